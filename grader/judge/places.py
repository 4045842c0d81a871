"""Lines of a submission as its author counts them: in a notebook by cell.

Pure functions, in the judge. Inside the grader a notebook is one text whose cells lie at known lines; whatever names a
line to a person passes through here once, after the line was found to exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.model.submission import Cell, Submission
from grader.sandbox.base import Place
from grader.wire.calls import ErrorReport

_LAST_LINE = 2000
"""Beyond it no cell is told: of a hidden check no more may be said of a line than its number up to here."""


@dataclass(frozen=True)
class Work:
    """The graded text and its siblings, as the judge sends them, and the cells of a notebook."""

    sources: dict[str, str]
    main: str
    cells: tuple[Cell, ...] = ()

    @classmethod
    def of(cls, submission: Submission, main: str) -> Work:
        """What is graded of a submission."""
        return cls(dict(submission.sources), main, submission.cells)

    def place(self, at: Place) -> Place:
        """A place as a person reads it."""
        file, line = self._in_cell(at.file, at.line)
        return replace(at, file=file, line=line)

    def error(self, report: ErrorReport) -> ErrorReport:
        """An error whose place a person reads."""
        if report.file is None or report.line is None:
            return report
        file, line = self._in_cell(report.file, report.line)
        return replace(report, file=file, line=line)

    def cell_of(self, line: int) -> Cell | None:
        """The cell that a line of the main text belongs to."""
        return next((cell for cell in self.cells if cell.first <= line <= cell.last), None)

    def lines(self, ranges: Sequence[tuple[int, int]]) -> str:
        """`lines 3 to 5 and 9` of the main text, in a notebook with the cell of each."""
        parts: dict[str, list[tuple[int, int]]] = {}
        for first, last in sorted(ranges):
            file, line = self._in_cell(self.main, first)
            cell = file.removeprefix(self.main).removeprefix(", ")
            parts.setdefault(cell, []).append((line, line + last - first))
        return "; ".join(_told(cell, _merged(lines)) for cell, lines in parts.items())

    def _in_cell(self, file: str, line: int) -> tuple[str, int]:
        cell = self.cell_of(line) if file == self.main else None
        if cell is None:
            return file, line
        if line > _LAST_LINE:
            return f"{file}, all cells together", line
        return f"{file}, cell {cell.number}", line - cell.first + 1


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of lines, those that touch made one."""
    merged: list[tuple[int, int]] = []
    for first, last in ranges:
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _told(cell: str, ranges: Sequence[tuple[int, int]]) -> str:
    lines = [f"{first}" if first == last else f"{first} to {last}" for first, last in ranges]
    shown = lines[:6] + ([f"{len(lines) - 6} more places"] if len(lines) > 6 else [])
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    many = len(shown) > 1 or " to " in listed
    return f"{cell + ', ' if cell else ''}line{'s' if many else ''} {listed}"
