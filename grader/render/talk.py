"""Talk: what a command tells its user beside the data that it prints, on standard error.

Runs in the command. Sentences may quote paths and names that students chose: what would act on a terminal is taken
out, and no line but the first of a message begins where messages do, so that none can pass for another. Imports next
to nothing, since every command talks.
"""

from __future__ import annotations

import sys

from grader.model.text import plain_text


def say(text: str) -> None:
    """Tell the user; further lines of `text` are moved in."""
    print(plain_text(text).replace("\n", "\n  "), file=sys.stderr, flush=True)
