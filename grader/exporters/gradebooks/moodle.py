"""Moodle: an assignment's grading worksheet or the course's grades filled in place, an import file, feedback files.

Pure functions, in the command. Formats as of Moodle's sources: `assignfeedback_offline` for the worksheet, whose
headings are in the user's language; `assignfeedback_file` for the zip of feedback, which takes files under the name
that a submissions download gives to a participant, `Name_29123_assignsubmission_file`; and the docs "Grade import".
In the worksheet `Participant 29123`, or what that is in the language, is the key; it is told by what is in the column.
Moodle takes no feedback for a team under the team's number: that number may be some participant's.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from grader.errors import UsageProblem
from grader.exporters.gradebooks.filling import number_text
from grader.exporters.gradebooks.gradebook import (
    Column,
    Entry,
    Gradebook,
    Platform,
    Sheet,
    entries_of,
    kinds_of,
    maximum_of,
    number_in,
)
from grader.exporters.gradebooks.marks import Mark
from grader.exporters.gradebooks.moodle_words import COMMENTS, GRADES, MAXIMA, NO, NO_MARKS, PARTICIPANT, SCALES
from grader.exporters.gradebooks.table import NoTable, Table
from grader.exporters.grades_csv import cell
from grader.model.roster import RosterPerson

_MARK = "_assignsubmission_"
_OWNER = re.compile(r"(?P<name>.*)_(?P<id>\d+)", re.DOTALL)
_IDENTIFIER = re.compile(r"(?P<word>[^\W\d][^\d]*?)\s?(?P<id>\d+)")


def _worth(headings: Sequence[str]) -> int:
    return len(kinds_of(headings)) + len({heading.strip().casefold() for heading in headings} & (GRADES | MAXIMA))


def _read(table: Table) -> Sheet:
    identifier = _identifier(table)
    if identifier is not None and (sheet := _worksheet(table, identifier)) is not None:
        return sheet
    return _grades(table)


def _identifier(table: Table) -> int | None:
    """The column with `Participant 29123` in each row, one word in all of them."""
    for index in range(min(3, len(table.headings))):
        found = [_IDENTIFIER.fullmatch(table.value(row, index).strip()) for row in table.body if table.rows[row]]
        words = {match["word"] for match in found if match}
        long = all(match and len(match["word"]) > 2 for match in found)
        if found and long and len(words) == 1 and len({match["id"] for match in found if match}) == len(found):
            return index
    return None


def _worksheet(table: Table, identifier: int) -> Sheet | None:
    headings = [heading.strip().casefold() for heading in table.headings]
    most = next((n for n, heading in enumerate(headings) if heading in MAXIMA), None)
    most = _by_content(table, identifier) if most is None else most
    grade = next((n for n, heading in enumerate(headings) if heading in GRADES), None)
    notes: tuple[str, ...] = ()
    if grade is None:
        if most is None or most == 0:
            return None
        grade = most - 1
        seen = table.headings[grade].strip()
        notes = (
            f"The worksheet's language is not known here; the column {seen} was taken for the grade by its place.",
        )
    column = _column(table, grade, most, any(heading in SCALES for heading in headings))
    others = [n for n in range(len(headings)) if n == identifier or n >= grade]
    kinds = kinds_of(table.headings, others) | {identifier: "id"}
    entries = entries_of(table, kinds, closed=lambda row: _closed(table, row, most))
    comments = max((n for n, text in enumerate(headings) if n > grade and any(w in text for w in COMMENTS)), default=-1)
    return Sheet(
        table,
        (column,),
        tuple(map(_numbered, entries)),
        numbers=(grade, *([most] if most is not None else [])),
        comments=None if comments < 0 else comments,
        of_one=True,
        notes=notes,
    )


def _by_content(table: Table, identifier: int) -> int | None:
    """The column that says one number above 0 in each row, behind one with numbers or nothing."""
    rows = [row for row in table.body if table.rows[row]]

    def is_most(index: int) -> bool:
        texts = {table.value(row, index).strip() for row in rows}
        number = number_in(next(iter(texts))) if len(texts) == 1 else None
        before = (table.value(row, index - 1).strip() for row in rows)
        return bool(number and number > 0) and all(text in ("", "-") or number_in(text) is not None for text in before)

    found = [index for index in range(identifier + 2, len(table.headings)) if is_most(index)]
    return found[0] if len(found) == 1 else None


def _column(table: Table, grade: int, most: int | None, by_scale: bool) -> Column:
    title = table.headings[grade].strip()
    texts = set() if most is None else {text for row in table.body if (text := table.value(row, most).strip())}
    if most is None or by_scale or len(texts) != 1:
        why = "the assignment is graded by a scale, or has no one maximum grade"
        return Column(grade, title, "", None, why)
    maximum, closed = maximum_of(next(iter(texts)))
    return Column(grade, title, "", maximum, closed)


def _closed(table: Table, row: int, most: int | None) -> str:
    """Whether one of the next columns says No: `Grade can be changed`, perhaps behind the state of marking."""
    if most is None:
        return ""
    says_no = any(table.value(row, index).strip().casefold() in NO for index in (most + 1, most + 2))
    return "Moodle says that this grade cannot be changed" if says_no else ""


def _numbered(entry: Entry) -> Entry:
    """Somebody also under the English word for a participant."""
    person = entry.person
    found = next((match for id in person.ids if (match := _IDENTIFIER.fullmatch(id))), None)
    called = f"{PARTICIPANT} {found['id']}" if found else ""
    if not called or called in person.ids:
        return entry
    return replace(entry, person=msgspec.structs.replace(person, ids=(called, *person.ids)))


def _grades(table: Table) -> Sheet:
    """The course's grades as Moodle exports them: `Assignment: HW1 (Real)`, without any maximum."""
    kinds = kinds_of(table.headings)
    if not {"id", "login", "email"} & set(kinds.values()):
        raise NoTable(
            "it is no grading worksheet, in which the first column says Participant 29123, and no table of grades "
            "with an ID number, a username or an email address"
        )
    begin = max(kinds) + 1
    columns = tuple(
        Column(index, heading.strip(), closed=_no_marks(table, index))
        for index, heading in enumerate(table.headings)
        if index >= begin and heading.strip()
    )
    note = "This table names no maximum: marks are written as the assignment counts them."
    return Sheet(table, columns, entries_of(table, kinds), notes=(note,))


def _no_marks(table: Table, index: int) -> str:
    if any(word in table.headings[index].casefold() for word in NO_MARKS):
        return "it holds no plain marks"
    texts = [text for row in table.body if (text := table.value(row, index).strip()) not in ("", "-")]
    numbers = [number_in(text) for text in texts]
    if any(number is None or number > 10**8 for number in numbers):  # the time of the export counts seconds
        return "it holds something else than marks"
    return ""


def _named(name: str) -> Platform:
    found = _OWNER.fullmatch(name.partition(_MARK)[0]) if _MARK in name else None
    if found is None:
        return Platform()
    return Platform(f"{PARTICIPANT} {found['id']}", "" if found["name"] == PARTICIPANT else found["name"])


def _feedback(names: Sequence[str]) -> str | None:
    for name in sorted(names, key=lambda name: f"{_MARK}file" not in name):
        owner, mark, rest = name.partition(_MARK)
        found = re.match(r"[a-z]+(?:_?/|_)", rest)
        if mark and found and _OWNER.fullmatch(owner):
            return f"{owner}{mark}{found[0]}report.html"
    return None


def _own_feedback(person: RosterPerson) -> str | None:
    """Where the report of somebody goes whom the worksheet numbers."""
    found = next((match for id in person.ids if (match := _IDENTIFIER.fullmatch(id))), None)
    name = re.sub(r"[&<>\"'`|:\\/\x00-\x1f]", "", person.called.replace("_", " ")).strip() or PARTICIPANT
    return f"{name}_{found['id']}{_MARK}file_/report.html" if found and found["word"] == PARTICIPANT else None


def _table(marks: Sequence[Mark], title: str) -> str:
    """A file for Moodle's grade import; columns of people are those of which something is known.

    Raises:
        UsageProblem: people are known by nothing that the import can find them by.
    """
    rows = [(_ways(mark), mark.score) for mark in marks if mark.score is not None]
    if any(not any(ways) for ways, _ in rows):
        raise UsageProblem(
            "A Moodle download names people by numbers that the grade import does not know; fill the grading worksheet "
            "with --into FILE, or grade with --roster FILE, a list with ID numbers, usernames or email addresses."
        )
    used = [n for n in range(3) if any(ways[n] for ways, _ in rows)]
    out = io.StringIO()
    write = csv.writer(out).writerow
    write([*(("idnumber", "username", "email")[n] for n in used), cell(title)])
    for ways, score in rows:
        write([*(cell(ways[n]) for n in used), number_text(score)])
    return out.getvalue()


def _ways(mark: Mark) -> tuple[str, str, str]:
    """The ID number, the user name and the address of somebody, as far as they are known."""
    numbers = tuple(id.rpartition(" ")[2] for id in mark.ids if id.startswith(f"{PARTICIPANT} "))
    id = next((id for id in mark.ids if not numbers or not id.endswith(numbers)), "")
    login, email = (mark.logins or ("",))[0], (mark.emails or ("",))[0]
    if not (id or login or email) and not (_feedback(mark.handed_in_as) or mark.student.startswith(PARTICIPANT)):
        return ("", "", mark.student) if "@" in mark.student else (mark.student, "", "")
    return id, login, email


GRADEBOOK = Gradebook(
    "Moodle",
    worth=_worth,
    read=_read,
    named=_named,
    table=_table,
    feedback=_feedback,
    own_feedback=_own_feedback,
)
