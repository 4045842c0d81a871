"""Python text read without parsing it: what it defines at the top level, and where its code is, outside of strings.

Pure functions, in the command and in the judge, on hostile text. A parser can be starved or crashed by what it reads,
and tells nothing of a file with one wrong character; this reads every character once. It is a guess where a text is not
laid out as Python usually is, and serves choices and sentences, never marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_STRING_OR_COMMENT = re.compile(
    r"#[^\n]*+"
    r'|"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'(?:[^'\\\n]|\\.)*+'?",
    re.DOTALL,
)
_NOT_NEWLINE = re.compile(r"[^\n]")
_DEFINITION = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_ASSIGNMENT = re.compile(r"((?:\w+[ \t]*,[ \t]*)*\w+)[ \t]*(?::[^=\n]{0,200})?=(?!=)")
_IMPORT = re.compile(r"(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(\([^)]{0,5000}\)|[^\n;]{0,1000})")
_NAME = re.compile(r"\w+")
_ALIAS = re.compile(r"[\w.]+[ \t]+as[ \t]+(\w+)")


def code_alone(text: str) -> str:
    """The text with a space in place of every character of a string or comment, its lines and columns as they were."""
    return _STRING_OR_COMMENT.sub(lambda found: _NOT_NEWLINE.sub(" ", found[0]), text)


def defined_names(text: str) -> set[str]:
    """Names that a text defines, assigns or imports by name at its top level, that is without indentation."""
    code = code_alone(text)
    found: set[str] = set()
    start = 0
    while start < len(code):
        end = code.find("\n", start)
        end = len(code) if end < 0 else end
        if not code[start : start + 1].isspace():
            found |= _names_of(code, start)
        start = end + 1
    return found


def _names_of(code: str, start: int) -> set[str]:
    """Names that the statement which begins here binds."""
    if match := _DEFINITION.match(code, start):
        return {match[1]}
    if match := _IMPORT.match(code, start):
        parts = match[1].strip("()").split(",")
        return {name for part in parts if (name := _imported(part.strip()))}
    if match := _ASSIGNMENT.match(code, start):
        return set(_NAME.findall(match[1]))
    return set()


def _imported(part: str) -> str:
    if alias := _ALIAS.fullmatch(part):
        return alias[1]
    return part.partition(".")[0].strip() if _NAME.match(part) else ""


def missing_names(wanted: Iterable[str], text: str) -> list[str]:
    """Those of `wanted` that the text does not define at its top level."""
    defined = defined_names(text)
    return [name for name in wanted if name not in defined]
