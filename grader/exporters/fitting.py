"""Texts that fit: platforms cut or refuse what is too long, and a result must arrive whole.

Pure functions. Of a text that is too long, each of its parts is cut to the same number of characters, as many as fit.
"""

from __future__ import annotations

from collections.abc import Callable

_CHARACTERS = (4_000, 2_000, 1_000, 400, 150, 40)


def fitted(write: Callable[[int], str], most: int, last: str) -> str:
    """What `write` makes when each of its parts may have so many characters, the most with which it fits.

    `most` is in bytes of UTF-8; `last` is what stands there if nothing fits.
    """
    for characters in _CHARACTERS:
        text = write(characters)
        if len(text.encode("utf-8")) <= most:
            return text
    return last
