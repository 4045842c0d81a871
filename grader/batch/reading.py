"""Where a handout explains what a wrong variant misunderstands: the `Read on:` at the end of a variant's docstring.

Runs in the command, over the author's own texts. The form is `Read on: <heading>` or `Read on: <heading>, <words>`, as
the docstring's last paragraph: the text of a heading of the handout's README.md, and a few words that stand below it
before the next heading. It promises that a pointer leads somewhere: one that names what is not there is refused.
Emphasis, backticks and line breaks make no difference.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import NamedTuple

from grader.errors import UsageProblem
from grader.model.result import ReadOn

_POINTER = re.compile(r"(?:^|\n)[ \t]*Read on:(.*)\Z", re.DOTALL)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(```|~~~)")


class Section(NamedTuple):
    """A heading of a handout, without its marks, and the text below it up to the next one."""

    heading: str
    text: str


def split_docstring(docstring: str) -> tuple[str, str]:
    """The explanation that a student reads, as one paragraph, and what follows `Read on:`, empty without it."""
    found = _POINTER.search(docstring)
    explanation = docstring[: found.start()] if found else docstring
    return " ".join(explanation.split()), " ".join(found.group(1).split()) if found else ""


def sections(handout: str) -> list[Section]:
    """The sections of a handout in Markdown, in their order; what stands in a fenced block is no heading."""
    found: list[tuple[str, list[str]]] = []
    fence = ""
    for line in handout.splitlines():
        if mark := _FENCE.match(line):
            fence = "" if mark.group(1) == fence else fence or mark.group(1)
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            found.append((_plain(heading.group(1)), []))
        elif found:
            found[-1][1].append(line)
    return [Section(heading, _plain("\n".join(lines))) for heading, lines in found]


def read_on(pointer: str, variant: Path, handout: Path) -> ReadOn:
    """The place that `pointer`, the text after `Read on:` in the file `variant`, names in the file `handout`.

    Raises:
        UsageProblem: the handout cannot be read, or it has no such heading, or no such words below it.
    """
    try:
        known = sections(handout.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        raise UsageProblem(f"{variant} says where to read on in {handout}, which cannot be read.") from None
    wanted = _plain(pointer)
    begun = [one for one in known if wanted == one.heading or wanted.startswith(f"{one.heading}, ")]
    if not begun:
        name = wanted.split(", ")[0]
        close = difflib.get_close_matches(name, [one.heading for one in known], n=1)
        guess = f" Did you mean “{close[0]}”?" if close else ""
        raise UsageProblem(f"{variant} says to read on at “{wanted}”, but {handout} has no such heading.{guess}")
    heading = max((one.heading for one in begun), key=len)
    words = wanted.removeprefix(heading).removeprefix(", ")
    if not any(words in one.text for one in begun if one.heading == heading):
        raise UsageProblem(
            f"{variant} says to read on under the heading “{heading}” at “{words}”, but these words do not stand there "
            f"in {handout}."
        )
    return ReadOn(heading, words)


def _plain(markdown: str) -> str:
    """A text without backticks and the stars of emphasis, as one line."""
    return " ".join(re.sub(r"`|(?<!\s)\*+|\*+(?!\s)", "", markdown).split())
