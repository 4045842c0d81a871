"""A text of Python -> its tokens, without what a copy changes first: names, comments, docstrings, layout.

Pure functions, in the command. The text is a student's and may be anything: it is neither parsed nor compiled nor run,
and what is no Python gives tokens too. One regular expression does the work, none of whose parts can go back over what
another has read, so that its time grows with the length of the text and not faster; highlighters' lexers, measured on
200 000 characters of blanks, take minutes.

Each kind of token becomes one character of a string, on which fingerprints are made: any name is the same character,
any text in quotes too; keywords, Python's own names, numbers and signs keep their difference.
"""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<skip>[ \t\f\r\v\\]+|\#[^\n]*)
    |(?P<newline>\n)
    |(?P<string>[A-Za-z]{0,2}(?:'''(?:\\.|[^\\])*?(?:'''|\Z)|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)
        |'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?))
    |(?P<number>[0-9][0-9A-Za-z_]*(?:\.[0-9_]+)?|\.[0-9][0-9A-Za-z_]*)
    |(?P<name>[^\W0-9]\w*)
    |(?P<sign>->|:=|\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^@=<>!]=|.)""",
    re.VERBOSE | re.DOTALL,
)
_KEPT = frozenset({*keyword.kwlist, *dir(builtins)})
_LAST = 0x10FFFF


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text: a character for each in `codes`, and where each begins and ends in the text."""

    codes: str
    places: list[tuple[int, int]]


@dataclass(frozen=True)
class Alphabet:
    """Which character stands for which kind of token; texts that are compared share one."""

    _codes: dict[str, str] = field(default_factory=dict)

    def tokens(self, text: str) -> Tokens:
        """The tokens of a text, in their order."""
        codes: list[str] = []
        places: list[tuple[int, int]] = []
        depth, line_begins = 0, True
        for found in _TOKEN.finditer(text):
            kind, value = str(found.lastgroup), found[0]
            if kind in ("skip", "newline"):
                line_begins = line_begins or kind == "newline"
                continue
            is_docstring = kind == "string" and line_begins and depth == 0
            line_begins = False
            if is_docstring:
                continue
            depth = max(0, depth + (value in ("(", "[", "{")) - (value in (")", "]", "}")))
            codes.append(self._code(kind, value))
            places.append(found.span())
        return Tokens("".join(codes), places)

    def _code(self, kind: str, value: str) -> str:
        if kind == "string" or (kind == "name" and value not in _KEPT and not value.startswith("__")):
            value = f"any {kind}"
        return self._codes.setdefault(value, chr(min(256 + len(self._codes), _LAST)))
