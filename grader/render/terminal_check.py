"""One submission's checks on a terminal, and what changed since the last time.

Runs in the command, on what its reader may see. The order is that of the report: the score, the probable
misconception, then each group of checks in the order of the handout: what differs in words and side by side, the hint.
Notices and what comes later stand at the end. As in `terminal`, every text goes through `shown`, and nothing is told by
colour alone.
"""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.model.result import ReadOn
from grader.model.text import plain_line, plain_text
from grader.model.view import CheckView, StudentView
from grader.render.arrays import side_by_side
from grader.render.terminal import output_console, shown

_MARKS = {"passed": ("✓ pass", "green"), "skipped": ("– skip", "yellow")}
_FAILED = ("✗ FAIL", "red")
_INDENT = 10
"""Columns before what belongs to a check."""


def print_check(view: StudentView, public: bool = True) -> None:
    """One submission: score, diagnoses, each check with what differs, notices, and what comes later.

    `public`: these are the public checks alone, as `grader check` runs them.
    """
    console = output_console()
    console.print(_hanging(console, _headline(view, public), 4, "bold"))
    for diagnosis in view.diagnoses:
        console.print(shown("\nThis looks like a known misconception:", "bold"))
        console.print(shown(_indented(console, diagnosis.explanation, 2)))
        if diagnosis.read_on is not None:
            console.print(shown(_indented(console, _read_on(diagnosis.read_on), 2), "cyan"))
    for group in view.groups:
        console.print(shown(f"\n{group.name}  ({group.points:g}/{group.max_points:g})", "bold"))
        for check in group.checks:
            _print_one(console, check)
    if view.notices:
        console.print()
    for notice in view.notices:
        console.print(_hanging(console, f"note: {plain_text(notice, 1000)}", 6, "yellow"))
    if not view.hidden_topics or view.status != "graded":
        return
    console.print()
    passed = all(check.status == "passed" for group in view.groups for check in group.checks)
    everything = "All public checks passed. " if passed else ""
    topics = "; ".join(view.hidden_topics)
    console.print(shown(_indented(console, f"{everything}Hidden checks will still look at: {topics}.", 0)))


def _read_on(place: ReadOn) -> str:
    more = "" if place.words.endswith((".", "?", "!", ":")) else " …"  # they are the beginning of a sentence
    words = f", at “{place.words}{more}”" if place.words else ""
    return f"Read on in README.md: “{place.heading}”{words}"


def print_changes(before: StudentView, now: StudentView, worked: StudentView | None = None) -> None:
    """What is different from the check before, for whoever watches a file; `worked`: see `changes`."""
    console = output_console()
    console.print(shown("\nSince the last check:", "bold"))
    for line in changes(before, now, worked):
        console.print(shown(_indented(console, plain_text(line, 400), 2)))


def changes(before: StudentView, now: StudentView, worked: StudentView | None = None) -> list[str]:
    """What became better and what worse from one check to the next, a line each.

    Of a file that can be checked again, the changes are those since it last could: `worked`.
    """
    lines = []
    if before.status != now.status:
        words = {"graded": "the file can be checked again", "invalid": "the file cannot be checked any more"}
        lines.append(words.get(now.status, now.status))
        before = worked if worked is not None and now.status == "graded" else before
    if before.status == now.status:
        lines += _better_and_worse(before, now)
    return lines or ["nothing: the same checks pass and fail"]


def _better_and_worse(before: StudentView, now: StudentView) -> list[str]:
    lines = []
    if before.score != now.score and before.score is not None and now.score is not None:
        lines.append(f"{before.score:g} → {now.score:g} of {now.max_score:g} public points")
    old = {check.id: check.status for group in before.groups for check in group.checks}
    for check in (check for group in now.groups for check in group.checks):
        was = old.get(check.id)
        if was is not None and (was == "passed") != (check.status == "passed"):
            lines.append(f"{'✓ passes now' if check.status == 'passed' else '✗ fails now'}: {check.title}")
        elif was is not None and was != check.status:
            lines.append(f"{check.title}: {was} → {check.status}")
    looked, looks = ({diagnosis.slug for diagnosis in view.diagnoses} for view in (before, now))
    lines += [f"no longer looks like: {slug.replace('_', ' ')}" for slug in sorted(looked - looks)]
    return lines + [f"looks like now: {slug.replace('_', ' ')}" for slug in sorted(looks - looked)]


def _headline(view: StudentView, public: bool) -> str:
    if view.status != "graded":
        return f"{view.title}: {plain_text(view.reason or view.status, 2000)}"
    checks = [check for group in view.groups for check in group.checks]
    passed = sum(check.status == "passed" for check in checks)
    points = f"{view.score:g} of {view.max_score:g} {'public points' if public else 'points'}"
    return f"{view.title}: {points}, {passed} of {len(checks)} checks passed"


def _print_one(console: Console, check: CheckView) -> None:
    mark, style = _MARKS.get(check.status, _FAILED)
    title = (
        f"{plain_text(check.title, 400)}  ({check.points:g}/{check.max_points:g}){', hidden' if check.hidden else ''}"
    )
    lines = _indented(console, title, _INDENT).removeprefix(" " * _INDENT)
    console.print(shown("  ") + shown(mark, style) + shown(f"  {lines}"))
    if check.feedback:
        console.print(shown(_indented(console, plain_text(check.feedback, 2000), _INDENT)))
    if check.seen is not None:
        part, drawn = side_by_side(check.seen, console.width - _INDENT)
        if part:
            console.print(shown(_indented(console, part, _INDENT), "dim"))
        for line in drawn:
            console.print(Text(" " * _INDENT) + line, no_wrap=True, crop=True)
    if check.status == "passed":
        for one in check.measured:
            console.print(shown(_indented(console, plain_line(one.sentence, 200), _INDENT), "dim"))
    if check.hint:
        console.print(shown(_indented(console, f"Hint: {check.hint}", _INDENT), "cyan"))


def _hanging(console: Console, text: str, columns: int, style: str) -> Text:
    """Every line but the first moved in."""
    return shown(_indented(console, text, columns).removeprefix(" " * columns), style)


def _indented(console: Console, text: str, columns: int) -> str:
    """Every line moved in, and broken where the console ends: counted in cells, so that none begins further left."""
    width = max(20, console.width - columns)
    lines: list[str] = []
    for line in text.splitlines():
        plain = line.expandtabs(8)
        inner = min(len(plain) - len(plain.lstrip(" ")), width // 2)
        lines += [" " * columns + part for part in _broken(plain[inner:], width - inner, " " * inner)]
    return "\n".join(lines)


def _broken(line: str, width: int, inner: str) -> list[str]:
    """A line in parts of at most `width` cells, broken at spaces where there are any."""
    if cell_len(line) <= width:
        return [inner + line]
    parts, part = [], ""
    for word in re.findall(r"\S+\s*|\s+", line):
        if part and cell_len(part + word.rstrip()) > width:
            parts.append(part.rstrip())
            part = ""
        rest = word
        while cell_len(rest.rstrip()) > width:
            head, rest = _cut(rest, width)
            parts.append(head)
        part += rest
    return [inner + one for one in [*parts, part.rstrip()] if one or not parts]


def _cut(text: str, width: int) -> tuple[str, str]:
    """The most signs that fit, at least one, and the rest."""
    count = 1
    while count < len(text) and cell_len(text[: count + 1]) <= width:
        count += 1
    return text[:count], text[count:]
