"""Gradescope: its table of grades, filled in place for whoever goes on with it elsewhere.

Pure functions, in the command. `HW1` and beside it `HW1 - Max Points` in the grades of a course; `Total Score` and `Max
Points` in those of one assignment. A row is found by SID, then Email. Gradescope documents no way to take grades back.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.exporters.gradebooks.gradebook import Column, Gradebook, Sheet, entries_of, kinds_of, maximum_of
from grader.exporters.gradebooks.table import NoTable, Table

_MAXIMUM = " - Max Points"


def _worth(headings: Sequence[str]) -> int:
    return len(kinds_of(headings)) + sum(heading.endswith(_MAXIMUM) for heading in headings)


def _read(table: Table) -> Sheet:
    headings = [heading.strip() for heading in table.headings]
    pairs = {headings.index(heading): heading + _MAXIMUM for heading in headings if heading + _MAXIMUM in headings}
    if "Total Score" in headings and "Max Points" in headings:
        pairs[headings.index("Total Score")] = "Max Points"
    kinds = kinds_of(headings, pairs)
    if not pairs or not {"id", "email"} & set(kinds.values()):
        raise NoTable("it has no column SID or Email, or none with its Max Points beside it")
    columns = tuple(_column(table, index, headings, headings.index(most)) for index, most in pairs.items())
    note = "Gradescope documents no way to take grades back; this file is for your own use."
    return Sheet(table, columns, entries_of(table, kinds), of_one=len(columns) == 1, notes=(note,))


def _column(table: Table, index: int, headings: list[str], most: int) -> Column:
    maxima = {maximum_of(text) for row in table.body if (text := table.value(row, most).strip())}
    if len(maxima) > 1:
        return Column(index, headings[index], "", None, "its maximum is not the same for everybody")
    maximum, closed = maxima.pop() if maxima else (None, "")
    return Column(index, headings[index], "", maximum, closed)


GRADEBOOK = Gradebook(
    "Gradescope",
    worth=_worth,
    read=_read,
    no_table="Gradescope documents no import of grades; --into FILE fills the table that it exports, for your own "
    "use, and --to csv writes a plain one.",
    no_feedback="Gradescope documents no way to take the reports of a class back.",
)
