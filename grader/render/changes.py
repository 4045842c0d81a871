"""Before and after: the table of what became of each submission. Runs in the command; data, on standard output."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from grader.model.changes import Change
from grader.model.text import plain_line
from grader.render.terminal import output_console, shown


def print_changes(changes: Sequence[Change], kept: frozenset[str] = frozenset()) -> None:
    """A row for each submission, with the reasons; of those `kept` the result of before stays."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("submission", no_wrap=True, max_width=28)
    table.add_column("before", justify="right", no_wrap=True)
    table.add_column("after", justify="right", no_wrap=True)
    table.add_column("what changed", ratio=1)
    for change in changes:
        reasons = [plain_line(reason, 300) for reason in change.reasons] or ["nothing"]
        if change.id in kept:
            reasons.append(f"not taken: {change.before} stays")
        cells = (change.id, change.before, change.after, "\n".join(reasons))
        style = "yellow" if change.id in kept else ""
        table.add_row(*(shown(cell, style) for cell in cells))
    output_console().print(table)
