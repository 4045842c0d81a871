"""Canvas: the gradebook export, and comment files under the names of a submissions download.

Pure functions, in the command. Formats as of Canvas's own importer (`gradebook_importer.rb`) and its guide "How do I
import grades in the Gradebook". Information ends with the column `Section`; behind it are assignments, `Title (id)`.
Between the headings and the people stand a row that may say `Manual Posting` and the row `Points Possible`, in which
totals say `(read only)`. `EX` is an excused student. A row is found by ID, SIS User ID, SIS Login ID, then the name.
Comment files go back as `{owner}_{user id}_{file id}_…`: Canvas takes the first two numbers between underscores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.exporters.gradebooks.gradebook import (
    Column,
    Entry,
    Gradebook,
    Platform,
    Sheet,
    entries_of,
    kinds_of,
    maximum_of,
)
from grader.exporters.gradebooks.table import NoTable, Table
from grader.model.headings import is_no_person

_POINTS = "points possible"
_TITLE = re.compile(r"(?P<title>.*\S)\s*\((?P<id>\d+)\)\s*", re.DOTALL)
_FILE = re.compile(r"(?P<prefix>(?:LATE_)?anon_[A-Za-z0-9]{5,}_\d+_|[^/]*?_(?P<user>\d+)_\d+_).+", re.DOTALL)


def _worth(headings: Sequence[str]) -> int:
    known = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"}
    return len(known & {heading.strip() for heading in headings})


def _read(table: Table) -> Sheet:
    headings = [heading.strip() for heading in table.headings]
    if "Student" not in headings[:3] or "ID" not in headings[:5]:
        raise NoTable("its first columns are not Student and ID, as in an export of Canvas's gradebook")
    end = headings.index("Section") + 1 if "Section" in headings else headings.index("ID") + 1
    points = next((row for row in table.body if table.value(row, 0).strip().casefold() == _POINTS), None)
    begin = next((n for n in range(end, len(headings)) if _TITLE.fullmatch(headings[n])), len(headings))
    kinds = kinds_of(headings[:begin])
    columns = tuple(
        _column(index, heading, "" if points is None else table.value(points, index))
        for index, heading in enumerate(headings)
        if index >= end and heading and index not in kinds
    )

    def skipped(values: dict[str, list[str]]) -> bool:
        points = " ".join(values.get("name", [""])[0].split()).casefold().startswith(_POINTS)
        return points or not values.keys() & {"id", "login", "name", "last"}

    entries = tuple(map(_of_class, entries_of(table, kinds, skipped)))
    numbers = tuple(column.index for column in columns)
    return Sheet(table, columns, entries, True, numbers=numbers, excused=frozenset({"ex", "excused"}))


def _of_class(entry: Entry) -> Entry:
    """The row; that of Canvas's test student is nobody's."""
    name = entry.person.name
    return replace(entry, closed="it is Canvas's test student", nobody=True) if is_no_person(name) else entry


def _column(index: int, heading: str, points: str) -> Column:
    found = _TITLE.fullmatch(heading)
    title, number = (found["title"], found["id"]) if found else (heading, "")
    if points.strip().startswith("("):
        return Column(index, title, number, None, f"Canvas computes it itself {points.strip()}")
    maximum, closed = maximum_of(points)
    if not number:
        closed = closed or "its heading has no id, so that Canvas would make a new assignment of it"
    return Column(index, title, number, maximum, closed)


def _named(name: str) -> Platform:
    found = _FILE.fullmatch(name)
    return Platform(found["user"]) if found and found["user"] else Platform()


def _feedback(names: Sequence[str]) -> str | None:
    found = (match for name in names if (match := _FILE.fullmatch(name)))
    return next((f"{match['prefix']}report.html" for match in found), None)


GRADEBOOK = Gradebook(
    "Canvas",
    worth=_worth,
    read=_read,
    named=_named,
    no_table="Canvas makes a new assignment of every column that it does not know by its id; export the gradebook "
    "and fill that with --into FILE.",
    feedback=_feedback,
)
