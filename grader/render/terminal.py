"""Text for terminals: the table of a class, progress.

Runs in the command. Tables and feedback go to standard output, coloured if it is a terminal and NO_COLOR is not set;
progress goes to standard error, and only to a terminal. Whatever is printed here goes through `shown`: nothing is read
as markup, and nothing acts on the terminal. Lines of a student's are moved in, so that none can pass for one of ours.
"""

from __future__ import annotations

import sys
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

_MOST_ROWS = 300
"""Submissions that are printed one by one; the class page has all."""


def output_console() -> Console:
    """Standard output: as wide as the terminal, as $COLUMNS says, or 80 columns; plain if it is a pipe or a file."""
    return Console(highlight=False, soft_wrap=False)


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
