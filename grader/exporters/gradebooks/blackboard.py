"""Blackboard Learn: the grade centre's download, filled in place.

Pure functions, in the command. Format as of Blackboard's help "Download and upload grades": a column's heading is
`Title [Total Pts: 100 Score] |12345`, its id behind the bar. The download called .xls is text in UTF-16 with tabs. A
row is found by Username, then Student ID.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.exporters.gradebooks.gradebook import Column, Gradebook, Sheet, entries_of, kinds_of, maximum_of
from grader.exporters.gradebooks.table import NoTable, Table

_TITLE = re.compile(r"(?P<title>.*?)\s*(?:\[(?P<points>[^\]]*)\])?\s*\|\s*(?P<id>\d+)\s*", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_OF_ITS_OWN = ("percentage", "prozent", "pourcentage", "porcentaje", "complete", "letter", "text")
"""What a bracket says of a column that is no plain score, or is computed."""
_TOTALS = frozenset({"total", "weighted total", "running total", "overall grade", "gesamt", "gewichtete summe"})


def _worth(headings: Sequence[str]) -> int:
    return len(kinds_of(headings)) + sum(_TITLE.fullmatch(heading) is not None for heading in headings)


def _read(table: Table) -> Sheet:
    headings = table.headings
    columns = tuple(
        _column(index, found) for index, heading in enumerate(headings) if (found := _TITLE.fullmatch(heading))
    )
    kinds = kinds_of(headings, [column.index for column in columns])
    if not columns or not {"id", "login"} & set(kinds.values()):
        raise NoTable("it has no column with a user name or student id, or none with an id, as in `HW1 [...] |12345`")
    return Sheet(table, columns, entries_of(table, kinds))


def _column(index: int, found: re.Match[str]) -> Column:
    title, points = found["title"], found["points"] or ""
    if title.casefold() in _TOTALS or any(word in points.casefold() for word in _OF_ITS_OWN):
        return Column(index, title, found["id"], None, f"it holds no plain score ([{points}])")
    number = _NUMBER.search(points)
    maximum, closed = maximum_of(number[0] if number else "")
    return Column(index, title, found["id"], maximum, closed)


GRADEBOOK = Gradebook(
    "Blackboard",
    worth=_worth,
    read=_read,
    no_table="Blackboard makes a new text column of a heading without its id; download the grades and fill that file "
    "with --into FILE.",
    no_feedback="Blackboard documents no way to take the reports of a class back as one file.",
)
