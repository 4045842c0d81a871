"""Results kept below a platform's limit in bytes: a longer one is refused, and with it the marks.

Pure function, in the command.
"""

from __future__ import annotations

from collections.abc import Callable

MOST_CHARACTERS = 4_000


def fitting(write: Callable[[int], bytes], limit: int) -> bytes:
    """What `write` gives with as many characters for each text of a check as fit into `limit` bytes.

    Asked with 0, it leaves the checks' details out.
    """
    characters = MOST_CHARACTERS
    while characters and len(content := write(characters)) > limit:
        characters //= 2
    return content if characters else write(0)
