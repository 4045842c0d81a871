"""Text of students made safe to show: in a report, on a terminal, in a table.

Pure functions, used in the command's process on whatever students chose or printed: names, file names, output,
messages of exceptions. What comes back holds no character that acts instead of being read: no control character but
newline and tab, no terminal escape, no bidirectional or zero-width character, no half of a surrogate pair, no pile of
accents on one letter. So it can be encoded as UTF-8, cannot move a cursor, overprint what stands beside it or command
that it be reordered, and is as long as it looks. Letters that are written from right to left stay what they are.
Quoting for HTML or CSV remains the business of whoever writes HTML or CSV.

Every way out ends in one of these functions: `grader.render.html` and `grader.render.terminal` clean whatever they
write, `grader.render.talk` what commands say, `grader.exporters.grades_csv` its cells, `grader.intake` the names that
its sentences quote. Result files keep what was said to the letter and write what acts as an escape (`escaped_json`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_ESCAPE = re.compile(r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]")
"""A terminal's control sequence, such as the one that turns text red."""

_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Whatever ends a line for Python, a terminal or an editor, other than a line feed."""

_ACTING = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional
    r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"  # no width: joiners, selectors, fillers, tags
    r"\ud800-\udfff"  # half pairs
    r"\ufdd0-\ufdef"  # not characters, as the last two of each plane
) + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17))
"""Of the class Cf only the Arabic, Syriac and Kaithi signs are missing here: they are drawn, and move nothing."""

_UNREADABLE = re.compile(f"[{_ACTING}]")
_NEEDS_ESCAPE = re.compile(f"[{_ACTING}\u2028\u2029]")

_NOT_ASCII = re.compile(r"[^\x00-\x7f]{6,}")
_MARKS = 5
"""Marks that one letter may carry: no script needs more, and beyond they pile up over the lines around."""


_FEW = 40
"""So many characters that are left out need not be counted."""


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
    left_out = len(plain) - cap
    return f"{plain[:cap]}…" if left_out < _FEW else f"{plain[:cap]}… [{left_out:,} more characters]"


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


def escaped_json(content: bytes) -> bytes:
    """JSON with every character that acts written as `\\uXXXX`: the same data, and harmless to look at."""
    if content.isascii() and b"\x7f" not in content:
        return content
    return _NEEDS_ESCAPE.sub(_json_escape, content.decode("utf-8")).encode("utf-8")


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def _strip(text: str) -> str:
    plain = _UNREADABLE.sub("", _LINE_END.sub("\n", _ESCAPE.sub("", text)))
    if plain.isascii():
        return plain
    # The empty braille pattern is a space with another name, and plots made of braille need its width.
    return _NOT_ASCII.sub(_few_marks, plain.replace("\u2800", " "))


def _few_marks(found: re.Match[str]) -> str:
    """A run of characters with at most `_MARKS` marks on each letter."""
    kept, marks = [], 0
    for character in found[0]:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks <= _MARKS:
            kept.append(character)
    return "".join(kept)
