"""A student's view as Markdown, as GitHub shows it: in a job's summary, in a comment.

Pure functions of a `StudentView`. Whatever a student chose or printed, and every text of several lines, stands in a
block of code that it cannot close; names of checks have every character escaped that Markdown, HTML or GitHub's own
additions would act on.
"""

from __future__ import annotations

import re

from grader.exporters.words import capped, check_words, overall_lines, printed_words
from grader.model.text import plain_line
from grader.model.view import CheckView, StudentView

_ACTING = re.compile(r"[\\`*_{}\[\]()#+\-.!|~:@$^=\"']")
_TITLE_CHARACTERS = 300
_BACKTICKS = re.compile(r"`{3,}")
_NOTE = "\n\n*The rest is left out: it is longer than GitHub shows.*\n"


def view_markdown(view: StudentView, most_bytes: int) -> str:
    """All that a student may read, in at most so many bytes of UTF-8."""
    head = [f"## {escaped(view.title)}", *(block(line) for line in overall_lines(view))]
    parts = [*head, _table(view)] if view.groups else head
    parts += [_check(check) for group in view.groups for check in group.checks if check.status != "passed"]
    if printed := printed_words(view):
        parts.append(block(printed))
    return _within(parts, most_bytes)


def escaped(text: str) -> str:
    """A text as one line of Markdown that shows it to the letter, with nothing that acts: no link, no picture."""
    line = plain_line(text, _TITLE_CHARACTERS)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _ACTING.sub(r"\\\g<0>", line)


def block(text: str) -> str:
    """A text of several lines as it is, in a block of code whose fence is longer than any in it."""
    plain = capped(text, len(text) + 1).strip("\n")
    longest = max((len(found) for found in _BACKTICKS.findall(plain)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{plain}\n{fence}"


def _table(view: StudentView) -> str:
    rows = ["| | Check | Points |", "|---|---|---|"]
    for group in view.groups:
        for check in group.checks:
            sign = "✅" if check.status == "passed" else "➖" if check.status == "skipped" else "❌"
            rows.append(f"| {sign} | {escaped(check.title)} | {check.points:g} / {check.max_points:g} |")
    return "\n".join(rows)


def _check(check: CheckView) -> str:
    return f"### {escaped(check.title)}\n\n{block(check_words(check) or 'This check did not pass.')}"


def _within(parts: list[str], most: int) -> str:
    """As many parts as there is room for."""
    kept: list[str] = []
    left = most - len(_NOTE.encode("utf-8"))
    for part in parts:
        left -= len(part.encode("utf-8")) + 2
        if left < 0:
            return "\n\n".join(kept) + _NOTE
        kept.append(part)
    return "\n\n".join(kept) + "\n"
