"""Marks into a column: what each cell will say, and what staff should know of it.

Pure functions, in the command. Where the column counts otherwise than the assignment, marks are scaled by exact
arithmetic and rounded once, half up, to 2 decimals. Numbers are written as the file writes them. Nobody without a mark
gets one, and a cell that says what it should already stays as it is, to the byte.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from grader.exporters.gradebooks.gradebook import Column, Entry, Sheet, number_in
from grader.exporters.gradebooks.marks import Mark

_BLANK = frozenset({"", "-", "\N{EN DASH}"})
_DECIMALS = re.compile(r"-?\d+([.,])\d{1,2}")


@dataclass(frozen=True)
class Left:
    """Somebody whose cell stays as it is, and why."""

    who: str
    why: str


@dataclass(frozen=True)
class Filling:
    """New cells by row and column, and how many: where there was nothing, there already, and in another's place.

    `replaced` tells of the last, as `Zoë O'Neil (12345): 80 becomes 75`. `scaled_from` is what the assignment counts,
    where the column counts otherwise.
    """

    cells: dict[tuple[int, int], str]
    new: int
    same: int
    replaced: tuple[str, ...]
    left: tuple[Left, ...]
    scaled_from: Fraction | None
    comma: bool


def filling(sheet: Sheet, column: Column, pairs: Iterable[tuple[Mark, Entry]]) -> Filling:
    """What becomes of the column."""
    comma = writes_comma(sheet, column)
    cells: dict[tuple[int, int], str] = {}
    replaced, left = [], []
    same = 0
    scaled_from: Fraction | None = None
    for mark, entry in pairs:
        if mark.score is None:
            continue  # told with those who have no mark
        old = sheet.table.value(entry.row, column.index).strip()
        if reason := _why_left(sheet, column, entry, old):
            left.append(Left(entry.called, reason))
            continue
        score = mark.score
        if column.maximum is not None and mark.max_score not in (column.maximum, 0):
            score, scaled_from = score * column.maximum / mark.max_score, mark.max_score
        number = _half_up(score)
        text = number_text(number, comma)
        before = number_in(old)
        if before is not None and _half_up(before) == number:
            same += 1
            continue
        if old not in _BLANK:
            replaced.append(f"{entry.called}: {old} becomes {text}")
        cells[entry.row, column.index] = text
    return Filling(cells, len(cells) - len(replaced), same, tuple(replaced), tuple(left), scaled_from, comma)


def with_comments(
    sheet: Sheet, filled: Mapping[tuple[int, int], str], comments: Mapping[int, str]
) -> dict[tuple[int, int], str]:
    """The cells and, in the rows that have a comment, that in the column of comments if nothing is there yet."""
    column = sheet.comments
    if column is None:
        return dict(filled)
    here = {row: text for row, text in comments.items() if column < len(sheet.table.rows[row])}
    blank = {row: text for row, text in here.items() if not sheet.table.value(row, column).strip()}
    return {**filled, **{(row, column): text for row, text in blank.items()}}


def _why_left(sheet: Sheet, column: Column, entry: Entry, old: str) -> str:
    if entry.closed:
        return entry.closed
    if old.casefold() in sheet.excused:
        return f"the cell says {old}"
    if column.index >= len(sheet.table.rows[entry.row]):
        return "the row ends before this column"
    return ""


def writes_comma(sheet: Sheet, column: Column) -> bool:
    """Whether the file writes decimals behind a comma: as the column does, else as all numbers of the file do.

    Where there is none with decimals, it does if it parts cells by semicolons, since then the comma is in use.
    """
    for indexes in ((column.index,), (*sheet.numbers, *(one.index for one in sheet.columns))):
        texts = (sheet.table.value(row, index).strip() for row in sheet.table.body for index in indexes)
        signs = {found[1] for text in texts if (found := _DECIMALS.fullmatch(text))}
        if len(signs) == 1:
            return signs == {","}
    return sheet.table.separator == ";"


def number_text(number: Fraction, comma: bool = False) -> str:
    """A number of at most 2 decimals, without trailing zeros."""
    cents = round(number * 100)
    text = f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def _half_up(number: Fraction) -> Fraction:
    return Fraction(math.floor(number * 100 + Fraction(1, 2)), 100)
