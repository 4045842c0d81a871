"""Syntax errors in words: the character that Python stumbles over by its name, and where such things come from.

Pure functions, in the judge. Where the error is, is the student process's word; the text that is looked at is the one
that was handed in. Only what stands outside of strings and comments is blamed: there any character is right.
"""

from __future__ import annotations

import re
import unicodedata

from grader.intake.scan import code_alone
from grader.wire.calls import ErrorReport

_NAMED = re.compile(r"\(?U\+([0-9A-Fa-f]{4,6})\)?")
_MARKER = re.compile(r"<{7}(?: |$)|={7}$|>{7}(?: |$)|\|{7}(?: |$)")
_CURLY = "“”„‟‘’‚‛«»″′"
_COPIED = "It often comes from copying out of a PDF or chat"
_REPLACEMENTS = {
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("−–—‐‑‒―", "-"),
    **dict.fromkeys("×∗⋅·•", "*"),
    "÷": "/",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "→": "->",
}
_USUAL = (
    "A bracket or quote that is not closed on a line before, or a missing colon, comma or operator is the usual cause."
)
_SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})


def explain_syntax(report: ErrorReport, source: str) -> str:
    """What is behind a syntax error in a file with this text, as sentences; empty for other errors or lines."""
    lines = source.split("\n")
    if report.kinds[0] not in _SYNTAX or report.line is None or not 1 <= report.line <= len(lines):
        return ""
    line, code = lines[report.line - 1], code_alone(source).split("\n")
    if marker := _marker_at(code, report.line):
        return marker
    if named := _NAMED.search(report.text):
        return _told_character(chr(min(int(named[1], 16), 0x10FFFF)), lines, report.line, code)
    if report.kinds[0] in ("TabError", "IndentationError") and (tabs := _told_tabs(lines, report.line)):
        return tabs
    if "unterminated string" in report.text and (curly := next((c for c in line if c in _CURLY), None)):
        return (
            f"Column {line.index(curly) + 1} holds {_name(curly)}, which does not end a string: "
            f"a straight quote does. {_COPIED}."
        )
    if odd := _first_odd(line, code[report.line - 1]):
        return _told_character(odd, lines, report.line, code)
    return _USUAL if report.text.strip() in ("invalid syntax", "") else ""


def _marker_at(code: list[str], number: int) -> str:
    """A marker of git at this line or at one just before it, where Python noticed nothing yet."""
    for at in range(number, max(0, number - 3), -1):
        if _MARKER.match(code[at - 1]):
            where = "This line" if at == number else "A line just above"
            return (
                f"{where} is a marker of a merge conflict of git (`{code[at - 1][:30].strip()}`): keep one of the two "
                "versions and delete all three kinds of markers."
            )
    return ""


def _told_character(character: str, lines: list[str], number: int, code: list[str]) -> str:
    """Name, column and usual cause of a character that Python does not take."""
    line, alone = lines[number - 1], code[number - 1]
    column = (alone.find(character) if character in alone else line.find(character)) + 1
    where = f"Column {column} holds" if column else "It holds"
    instead = _REPLACEMENTS.get(character) or unicodedata.normalize("NFKC", character)
    if unicodedata.category(character) in ("Zs", "Zl", "Zp"):
        advice = "type an ordinary space instead"
    elif unicodedata.category(character) in ("Cf", "Cc"):
        advice = "it cannot be seen; delete it, and type the line anew if need be"
    elif instead.isascii() and instead.isprintable() and instead != character:
        advice = f"type {instead} instead"
    else:
        advice = "type the line anew"
    return f"{where} {_name(character)}. {_COPIED}; {advice}."


def _name(character: str) -> str:
    """`“` (LEFT DOUBLE QUOTATION MARK, U+201C), without the character itself where it cannot be seen."""
    name = unicodedata.name(character, "a character without a name")
    shown = f"`{character}` " if unicodedata.category(character)[0] in "LNPS" else ""
    code = f"U+{ord(character):04X}"
    return f"{shown}({name}, {code})" if shown else f"a {name} ({code})"


def _told_tabs(lines: list[str], number: int) -> str:
    """That tabs and spaces are mixed in the indentation of a line and of those above it."""
    above = [line for line in lines[max(0, number - 30) : number] if line.strip()]
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in above]
    if not any("\t" in indent for indent in indents) or not any(" " in indent for indent in indents):
        return ""
    kind = "a tab (CHARACTER TABULATION, U+0009)" if "\t" in indents[-1] else "spaces"
    other = "spaces" if "\t" in indents[-1] else "tabs"
    return (
        f"This line is indented with {kind}, lines above with {other}; Python cannot compare the two. "
        "It often comes from two editors, or from copying; use four spaces everywhere."
    )


def _first_odd(line: str, alone: str) -> str | None:
    """The first character outside strings and comments that is no part of Python."""
    for character, code in zip(line, alone, strict=False):
        if character == code and not character.isascii() and not f"a{character}".isidentifier():
            return character
    return None
