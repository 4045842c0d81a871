"""Words for platforms that read reStructuredText: every text shows as it is, whatever stands in it.

Pure functions. reStructuredText can include files and raw HTML, so nothing of a student's may act: one line is
escaped character by character, and text of several lines becomes a literal block (reStructuredText Markup
Specification, Escaping Mechanism and Literal Blocks).
"""

from __future__ import annotations

from grader.model.text import plain_line, plain_text


def rst_line(text: str, characters: int = 300) -> str:
    """One line of text, for a paragraph."""
    return "".join(_escaped(character) for character in plain_line(text, characters))


def rst_block(text: str, characters: int) -> str:
    """Text of several lines, as a block that shows them as they are; empty for none."""
    text = plain_text(text, characters).expandtabs(4)
    if not text.strip():
        return ""
    return "::\n\n" + "\n".join(f"    {line}" for line in text.split("\n"))


def _escaped(character: str) -> str:
    """A letter, digit or space as it is; whatever else may be markup, behind a backslash."""
    return character if character.isalnum() or character == " " else f"\\{character}"
