"""Text for terminals: the table of a class, the checks of one submission, progress.

Runs in the command. Tables and feedback go to standard output, coloured if it is a terminal and NO_COLOR is not set;
progress goes to standard error, and only to a terminal. Whatever is printed here goes through `shown`: nothing is read
as markup, and nothing acts on the terminal. Lines of a student's are moved in, so that none can pass for one of ours.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.table import Table
from rich.text import Text

from grader.model.cohort import CohortRow, CohortView, cohort_view
from grader.model.result import GradeResult
from grader.model.text import plain_line, plain_text
from grader.model.view import CheckView, StudentView

_MARKS = {"passed": ("✓ pass", "green"), "skipped": ("– skip", "yellow")}
_FAILED = ("✗ FAIL", "red")
_WIDTH_WHEN_PIPED = 100
_MOST_ROWS = 300
"""Submissions that are printed one by one; the class page has all."""


def output_console() -> Console:
    """Standard output: as wide as the terminal, or 100 columns and plain when it is a pipe or a file."""
    piped = not sys.stdout.isatty()
    return Console(width=_WIDTH_WHEN_PIPED if piped else None, highlight=False, soft_wrap=False)


def shown(text: str, style: str = "") -> Text:
    """What may go to a terminal, whoever chose `text`."""
    return Text(plain_text(text, len(text)), style=style)


class _Throughput(ProgressColumn):
    """How many are done in a minute."""

    def render(self, task: Task) -> Text:
        return Text(f"{60 * task.completed / task.elapsed:.0f} a minute" if task.completed and task.elapsed else "")


class Progress:
    """A progress bar, with throughput and the time left, on standard error if that is a terminal, else nothing.

    `total` None: no end is known.
    """

    def __init__(self, what: str, total: int | None) -> None:
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Throughput(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=total is None,
        )
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self) -> None:
        """One more is done."""
        self._bar.advance(self._task)


def print_class(results: Iterable[GradeResult], index: Path) -> None:
    """The class as a table, its counts, and where the class page lies; of a large class those not graded alone."""
    view = cohort_view(results)
    rows = view.rows
    if len(rows) > _MOST_ROWS:
        rows = [row for row in rows if row.status != "graded"][:_MOST_ROWS]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("submission", no_wrap=True, max_width=28)
    table.add_column("status", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("passed", justify="right", no_wrap=True)
    table.add_column("outcome", ratio=1)
    for row in rows:
        table.add_row(*_class_row(row))
    console = output_console()
    if rows:
        console.print(table)
    console.print(shown(_counts(view)))
    console.print(shown(f"Class page: {index}"), soft_wrap=True)


def _class_row(row: CohortRow) -> list[Text]:
    score = "–" if row.score is None else f"{row.score:g}"
    what = "; ".join(f"{diagnosis.slug.replace('_', ' ')}" for diagnosis in row.diagnoses)
    outcome = f"{row.outcome} (looks like: {what})" if what else row.outcome
    passed = f"{row.passed}/{row.checks}" if row.checks else ""
    style = {"graded": "", "invalid": "yellow", "ungraded": "red"}.get(row.status, "")
    called = row.called or row.student
    who = row.id if row.id == called else f"{row.id} ({plain_line(called, 60)})"
    lines = [plain_line(outcome, 160), *(plain_line(text, 400) for text in row.late_texts if row.late == "yes")]
    cells = [plain_line(who, 160), row.status, score, passed, "\n".join(lines)]
    return [shown(cell, style if index == 1 else "") for index, cell in enumerate(cells)]


def _counts(view: CohortView) -> str:
    parts = [f"{count} {status}" for status, count in view.counts.items() if count]
    if late := sum(row.late == "yes" for row in view.rows):
        parts.append(f"{late} late")
    if unknown := sum(not row.late and bool(row.late_texts) for row in view.rows):
        parts.append(f"{unknown} of unknown time")
    if view.mean is not None:
        parts.append(f"mean {view.mean:g}, median {view.median:g} of {view.max_score:g}")
    count = len(view.rows)
    return f"{count} submission{'' if count == 1 else 's'}" + (f": {', '.join(parts)}" if parts else "")


def print_check(view: StudentView) -> None:
    """One submission's public checks: score, diagnoses, each check with what differs, and what comes later."""
    console = output_console()
    console.print(_hanging(console, _headline(view), 4, "bold"))
    for notice in view.notices:
        console.print(_hanging(console, f"note: {plain_text(notice, 1000)}", 6, "yellow"))
    for diagnosis in view.diagnoses:
        console.print(shown("\nThis looks like a known misconception:", "bold"))
        console.print(shown(_indented(console, diagnosis.explanation, 2)))
    for group in view.groups:
        console.print(shown(f"\n{group.name}  ({group.points:g}/{group.max_points:g})", "bold"))
        for check in group.checks:
            _print_one(console, check)
    if not view.hidden_topics or view.status != "graded":
        return
    console.print()
    passed = all(check.status == "passed" for group in view.groups for check in group.checks)
    everything = "All public checks passed. " if passed else ""
    topics = "; ".join(view.hidden_topics)
    console.print(shown(f"{everything}Hidden checks will still look at: {topics}."))


def print_changes(before: StudentView, now: StudentView) -> None:
    """What is different from the check before, for whoever watches a file."""
    console = output_console()
    console.print(shown("\nSince the last check:", "bold"))
    for line in changes(before, now):
        console.print(shown(_indented(console, plain_text(line, 400), 2)))


def changes(before: StudentView, now: StudentView) -> list[str]:
    """What became better and what worse from one check to the next, a line each."""
    lines = []
    if before.status != now.status:
        words = {"graded": "the file can be checked again", "invalid": "the file cannot be checked any more"}
        lines.append(words.get(now.status, now.status))
    elif before.score != now.score and before.score is not None and now.score is not None:
        lines.append(f"{before.score:g} → {now.score:g} of {now.max_score:g} public points")
    old = {check.id: check.status for group in before.groups for check in group.checks}
    for check in (check for group in now.groups for check in group.checks):
        was = old.get(check.id)
        if was is not None and (was == "passed") != (check.status == "passed"):
            lines.append(f"{'✓ passes now' if check.status == 'passed' else '✗ fails now'}: {check.title}")
        elif was is not None and was != check.status:
            lines.append(f"{check.title}: {was} → {check.status}")
    gone = {d.slug for d in before.diagnoses} - {d.slug for d in now.diagnoses}
    lines += [f"no longer looks like: {slug.replace('_', ' ')}" for slug in sorted(gone) if now.status == "graded"]
    return lines or ["nothing: the same checks pass and fail"]


def _headline(view: StudentView) -> str:
    if view.status != "graded":
        return f"{view.title}: {plain_text(view.reason or view.status, 2000)}"
    checks = [check for group in view.groups for check in group.checks]
    passed = sum(check.status == "passed" for check in checks)
    return f"{view.title}: {view.score:g} of {view.max_score:g} public points, {passed} of {len(checks)} checks passed"


def _print_one(console: Console, check: CheckView) -> None:
    mark, style = _MARKS.get(check.status, _FAILED)
    line = shown("  ") + shown(mark, style) + shown(f"  {check.title}  ({check.points:g}/{check.max_points:g})")
    console.print(line)
    if check.feedback:
        console.print(shown(_indented(console, plain_text(check.feedback, 2000), 10)))
    if check.status == "passed":
        for one in check.measured:
            console.print(shown(_indented(console, plain_line(one.sentence, 200), 10), "dim"))
    if check.hint:
        console.print(shown(_indented(console, f"Hint: {check.hint}", 10), "cyan"))


def _hanging(console: Console, text: str, columns: int, style: str) -> Text:
    """Every line but the first moved in."""
    return shown(_indented(console, text, columns).removeprefix(" " * columns), style)


def _indented(console: Console, text: str, columns: int) -> str:
    """Every line moved in, and broken where the console ends."""
    width = max(20, console.width - columns)
    lines: list[str] = []
    for line in text.splitlines():
        inner = len(line) - len(line.lstrip())
        broken = (
            textwrap.wrap(line, width, subsequent_indent=" " * inner, drop_whitespace=True)
            if len(line) > width
            else [line]
        )
        lines += [" " * columns + part for part in broken]
    return "\n".join(lines)
