"""Text of students made safe to show: in a report, on a terminal, in a table.

Pure functions, used in the command's process on whatever students chose or printed: names, file names, output,
messages of exceptions. What comes back holds no character that acts instead of being read: no control character but
newline and tab, no terminal escape, no bidirectional or zero-width character, no half of a surrogate pair. So it can
be encoded as UTF-8, cannot move a cursor or reorder what stands beside it, and is as long as it looks. Quoting for
HTML or CSV remains the business of whoever writes HTML or CSV.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ESCAPE = re.compile(r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]")
"""A terminal's control sequence, such as the one that turns text red."""

_BREAK = re.compile(r"\r\n?|[\u2028\u2029]")

_UNREADABLE = re.compile(
    "["
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional
    r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # no width
    r"\ud800-\udfff"  # half pairs
    r"\ufdd0-\ufdef\ufffe\uffff"  # not characters
    "]"
)


class Ends(NamedTuple):
    """The two ends of a long text; `left_out` characters between them are missing, and `tail` is empty if none is."""

    head: str
    left_out: int
    tail: str


def plain_text(text: str, cap: int = 4000) -> str:
    """`text` with only what can be read, in lines that end with a newline character.

    Of a longer text the first `cap` characters are kept, and a note that says how many are left out comes on top.
    """
    plain = _strip(text)
    if len(plain) <= cap:
        return plain
    return f"{plain[:cap]}\n[{len(plain) - cap:,} more characters are left out here]"


def plain_line(text: str, cap: int = 200) -> str:
    """`text` as one line, for a name or a table's cell: as `plain_text`, and each run of white space is one space."""
    plain = " ".join(_strip(text).split())
    if len(plain) <= cap:
        return plain
    return f"{plain[:cap]}… [{len(plain) - cap:,} more characters]"


def plain_ends(text: str, cap: int, lines: int = 400) -> Ends:
    """Beginning and end of `text`, as `plain_text`, together at most `cap` characters and about `lines` lines.

    For printed output, where the end matters as much as the beginning.
    """
    plain = _strip(text)
    if len(plain) <= cap and plain.count("\n") < lines:
        return Ends(plain, 0, "")
    half = max(1, lines // 2)
    head = "".join(plain[: cap - cap // 2].splitlines(keepends=True)[:half])
    rest = plain[max(len(head), len(plain) - cap // 2) :]
    tail = "".join(rest.splitlines(keepends=True)[-half:])
    left_out = len(plain) - len(head) - len(tail)
    return Ends(head, left_out, tail) if left_out else Ends(plain, 0, "")


def _strip(text: str) -> str:
    return _UNREADABLE.sub("", _BREAK.sub("\n", _ESCAPE.sub("", text)))
