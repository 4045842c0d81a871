"""The list of a course's people, as LMSs and spreadsheets write it: a table with a row for each.

Runs in the command; the file is staff's own. Encoding, separator and the row with the headings are found by looking,
columns by what they are called, in English or German. Ids are text, and keep their zeros. A list that cannot be read
as a whole is refused in one sentence, before anything is graded.
"""

from __future__ import annotations

import csv
import io
import re
import stat
from datetime import datetime
from pathlib import Path

import msgspec

from grader.errors import UsageProblem
from grader.intake.files import shown
from grader.model.headings import encoding_of, is_no_person, kind_of, value_of
from grader.model.roster import Roster, RosterPerson, Row, person_from

_MAX_BYTES = 20 << 20
_SEPARATORS = "\t;,"
_HEADINGS = 10
"""Rows from the top among which the headings may be."""

_DATES = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d\d?)-(?P<d>\d\d?)"),
    re.compile(r"(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?(?P<y>\d{4})"),
    re.compile(r"(?P<a>\d\d?)/(?P<b>\d\d?)/(?P<y>\d{4})"),
)
_CLOCK = re.compile(r"[T ,]*(?P<h>\d\d?):(?P<m>\d\d)(?::\d\d)?\s*(?P<half>[ap]m)?\s*(?P<zone>Z|[+-]\d\d:?\d\d)?", re.I)


def read_roster(path: Path) -> Roster:
    """The people in a file.

    Raises:
        UsageProblem: it cannot be read, or is no list of people; the sentence says why.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageProblem(f"The roster {path} is not a regular file.")
        if path.stat().st_size > _MAX_BYTES:
            raise UsageProblem(f"The roster {path} is larger than {_MAX_BYTES >> 20} MB.")
        content = path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"The roster {path} cannot be read: {error.strerror}.") from None
    try:
        return roster_from(content)
    except ValueError as problem:
        raise UsageProblem(f"The roster {path} cannot be used: {problem}") from None


def roster_from(content: bytes) -> Roster:
    """The people in a table. Raises ValueError, whose text is a sentence, if there are none to be found."""
    if content.startswith((b"PK\3\4", b"\xd0\xcf\x11\xe0")):
        raise ValueError("it is a workbook; save it as CSV.")
    table, start, kinds = _best_table(_text(content))
    people: dict[str, RosterPerson] = {}
    for number, cells in enumerate(table[start + 1 :], start + 2):
        row: Row = {}
        for kind, cell in zip(kinds, cells, strict=False):
            if kind and (value := value_of(cell)):
                row.setdefault(kind, []).append(value)
        if not row or is_no_person(row.get("name", [""])[0]):
            continue
        person = _person(row, number)
        other = people.setdefault(person.student, person)
        if other != person or (other is not person and person.student == person.name):
            raise ValueError(f"row {number}: {shown(person.student)} stands for two people; tell them apart by ids.")
    if not people:
        raise ValueError("there is nobody in it.")
    return Roster(tuple(people.values()))


def _text(content: bytes) -> str:
    """Decoded by its mark, or by what it can only be."""
    mark, encoding = encoding_of(content)
    return content[len(mark) :].decode(encoding, "replace")


def _best_table(text: str) -> tuple[list[list[str]], int, list[str]]:
    """The table by whatever separator gives it most of our columns, the row of its headings, and their kinds."""
    plain = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    plain = re.sub(r"\Asep=.\n", "", plain)  # a line of Excel's own
    tables = [(table, *_headings(table)) for separator in _SEPARATORS if (table := _table(plain, separator))]
    best = max(tables, key=lambda found: (len(set(found[2])), len(found[2])), default=([], 0, []))
    table, start, kinds = best
    if not {"id", "login", "email", "name"} & set(kinds) and not {"first", "last"} <= set(kinds):
        if plain and len(tables) < len(_SEPARATORS):
            raise ValueError("its quotation marks do not match.")
        found = ", ".join(shown(cell) for cell in (table[0] if table else [])[:8]) or "empty"
        raise ValueError(f"no column is called id, login, email or name; its first row is: {found}.")
    return table, start, kinds


def _table(text: str, separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        return []


def _headings(table: list[list[str]]) -> tuple[int, list[str]]:
    """The row with the headings, and the kind of each column; empty where a column is none of ours."""
    rows = [[kind_of(cell) for cell in cells] for cells in table[:_HEADINGS]]
    start = max(range(len(rows)), key=lambda number: len(set(rows[number])))
    return start, rows[start]


def _person(row: Row, number: int) -> RosterPerson:
    extension = row.get("extension", [""])[0]
    person = person_from(row)
    return msgspec.structs.replace(person, extension=_moment(extension, number)) if extension else person


def _moment(text: str, number: int) -> str:
    """A time in ISO 8601; a date alone means the end of its day."""
    found = next((match for pattern in _DATES if (match := pattern.match(text))), None)
    if found is None:
        raise ValueError(f"row {number}: {shown(text)} is no date; write it as 2026-11-29 23:59.")
    clock = _CLOCK.fullmatch(text[found.end() :])
    rest = text[found.end() :].strip()
    if rest and clock is None:
        raise ValueError(f"row {number}: {shown(text)} is no time; write it as 2026-11-29 23:59.")
    month, day = _month_and_day(found, text, number)
    hour, minute, zone = 23, 59, ""
    if clock is not None:
        hour, minute, zone = int(clock["h"]), int(clock["m"]), (clock["zone"] or "").upper()
        if clock["half"]:
            hour = hour % 12 + (12 if clock["half"].lower() == "pm" else 0)
    try:
        return datetime(int(found["y"]), month, day, hour, minute).isoformat() + zone.replace("Z", "+00:00")
    except ValueError:
        raise ValueError(f"row {number}: there is no such time as {shown(text)}.") from None


def _month_and_day(found: re.Match[str], text: str, number: int) -> tuple[int, int]:
    parts = found.groupdict()
    if "a" not in parts:
        return int(parts["m"]), int(parts["d"])
    first, second = int(parts["a"]), int(parts["b"])
    if first <= 12 and second <= 12 and first != second:
        raise ValueError(f"row {number}: {shown(text)} can be read in two ways; write {found['y']}-MM-DD.")
    return (second, first) if first > 12 else (first, second)
