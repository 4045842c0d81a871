"""What `grader export` tells beside the file that it writes: whose marks went where, and whose did not.

Runs in the command. Names are students' own: `say` shows them as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.exporters.gradebooks.filling import Filling, number_text
from grader.exporters.gradebooks.gradebook import Column, Sheet
from grader.exporters.gradebooks.marks import Mark
from grader.exporters.gradebooks.matching import Matched

_MOST = 100
"""Names of one kind that are listed."""


def filling_sentences(sheet: Sheet, column: Column, filling: Filling) -> Iterator[str]:
    """How the column was filled."""
    yield from sheet.notes
    most = "" if column.maximum is None else f", of {number_text(column.maximum)} points"
    counts = [f"{filling.new} filled", f"{filling.same} said so already", f"{len(filling.replaced)} replaced"]
    yield f"Column {column.called}{most}: {', '.join(counts)}."
    if filling.scaled_from is not None and column.maximum is not None:
        of, to = number_text(filling.scaled_from), number_text(column.maximum)
        yield f"Marks were scaled: {of} points of the assignment are {to} of the column."
    if filling.comma:
        yield "Numbers are written with a decimal comma, as the file has it."
    if filling.replaced:
        yield listed("Cells that said something else", filling.replaced)
    if filling.left:
        yield listed("Left as they are", (f"{one.who}: {one.why}" for one in filling.left))


def unmatched_sentences(matched: Matched) -> Iterator[str]:
    """Who of either side is missing on the other."""
    if matched.strangers:
        yield listed("Not in the gradebook", (f"{one.mark.called}: {one.why}" for one in matched.strangers))
    if matched.without:
        yield listed("In the gradebook, without a submission", (entry.called for entry in matched.without))


def mark_sentences(marks: Sequence[Mark], unreadable: Sequence[str]) -> Iterator[str]:
    """Who has no mark, and who has 0 since nothing could be graded."""
    if unreadable:
        yield listed("Results that cannot be read, grade them again", unreadable)
    if none := [f"{mark.called}: {mark.why}" for mark in marks if mark.score is None]:
        yield listed("No mark to write", none)
    if zeros := [mark.called for mark in marks if mark.status == "invalid" and mark.score is not None]:
        yield listed("0 points, since nothing in it could be graded", zeros)


def listed(title: str, lines: Iterable[str]) -> str:
    """A message of several lines, of which not all are shown if there are very many."""
    found = list(lines)
    more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
    return "\n".join([f"{title} ({len(found)}):", *found[:_MOST], *more])
