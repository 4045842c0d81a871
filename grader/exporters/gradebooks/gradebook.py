"""What a learning platform's gradebook is: a sheet of people with columns to fill, and what the platform takes back.

Plain records and pure functions, in the command. Each platform's module makes a `Gradebook` of its own out of these. It
trusts the file, which is staff's; a column that cannot be filled says why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.errors import UsageProblem
from grader.exporters.gradebooks.marks import Mark
from grader.exporters.gradebooks.table import Table
from grader.model.headings import kind_of, value_of
from grader.model.roster import RosterPerson, person_from
from grader.model.roster import Row as Values
from grader.model.text import plain_line


@dataclass(frozen=True)
class Column:
    """A column of marks: where it is, its title, the platform's id of it, and how much it counts.

    `maximum` is None where the file does not tell. `closed` is why it cannot be filled, empty if it can.
    """

    index: int
    title: str
    number: str = ""
    maximum: Fraction | None = None
    closed: str = ""

    @property
    def called(self) -> str:
        """The title and the id, for people."""
        title = plain_line(self.title, 80)
        return f"{title} ({self.number})" if self.number else title


@dataclass(frozen=True)
class Entry:
    """A row of the sheet and whose it is; `closed` is why its cell stays as it is, empty if it can be filled.

    `nobody`: it stands for no person of the class, as the student that a teacher can turn into.
    """

    row: int
    person: RosterPerson
    closed: str = ""
    nobody: bool = False

    @property
    def called(self) -> str:
        """The name and the first id, for people."""
        name, id = plain_line(self.person.called, 60), plain_line(self.person.student, 60)
        return f"{name} ({id})" if name and name != id else id


@dataclass(frozen=True)
class Sheet:
    """A gradebook that was read.

    `by_name`: who has no id in it may be found by a name that only one has. `numbers` are the columns whose cells tell
    how numbers are written. `excused` are texts of a cell, in lower case, that no mark replaces. `comments` is the
    column of comments, if there is one. `of_one`: the file is of one assignment, and has no other column to fill.
    `notes` are what staff should know about how it was read.
    """

    table: Table
    columns: tuple[Column, ...]
    entries: tuple[Entry, ...]
    by_name: bool = False
    numbers: tuple[int, ...] = ()
    excused: frozenset[str] = frozenset()
    comments: int | None = None
    of_one: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Platform:
    """Whom a platform's download names: an id as the gradebook has it, and the name beside it, empty if unknown."""

    key: str = ""
    name: str = ""


@dataclass(frozen=True)
class Gradebook:
    """How one platform's marks go back.

    `worth` counts the headings in a row that are the platform's; `read` makes a sheet of a table, and raises NoTable
    where it is none. `named` tells whom a name in the platform's download names. `table` writes a file without a
    gradebook to fill, and `feedback` the name under which the platform takes a report back, by the names of what was
    handed in; where one of them is None, `no_table` or `no_feedback` says why in a sentence. `own_feedback` is for
    platforms that take reports back for each member of a group: the name for a person of the gradebook.
    """

    title: str
    worth: Callable[[Sequence[str]], int] | None = None
    read: Callable[[Table], Sheet] | None = None
    named: Callable[[str], Platform] = field(default=lambda name: Platform())
    table: Callable[[Sequence[Mark], str], str] | None = None
    no_table: str = ""
    feedback: Callable[[Sequence[str]], str | None] | None = None
    own_feedback: Callable[[RosterPerson], str | None] | None = None
    no_feedback: str = ""


def kinds_of(headings: Sequence[str], others: Iterable[int] = ()) -> dict[int, str]:
    """What the columns of people hold, by their places; those of `others` are none of them."""
    found = {index: kind_of(heading) for index, heading in enumerate(headings) if index not in set(others)}
    return {index: kind for index, kind in found.items() if kind not in ("", "extension")}


def values_in(table: Table, row: int, kinds: dict[int, str]) -> Values:
    """What a row tells of a person, by kind; empty if it tells nothing."""
    values: Values = {}
    for index, kind in kinds.items():
        if value := value_of(table.value(row, index)):
            values.setdefault(kind, []).append(value)
    return values


def entries_of(
    table: Table,
    kinds: dict[int, str],
    skipped: Callable[[Values], bool] = lambda values: False,
    closed: Callable[[int], str] = lambda row: "",
) -> tuple[Entry, ...]:
    """The rows below the headings in which there is a person; `skipped` are the platform's own."""
    found = ((row, values_in(table, row, kinds)) for row in table.body)
    return tuple(Entry(row, person_from(one), closed(row)) for row, one in found if one and not skipped(one))


def number_in(text: str) -> Fraction | None:
    """The number in a cell, with a point or a comma for its decimals; None where it is none, or could be two."""
    plain = re.sub(r"[\s\u00a0\u202f']", "", value_of(text))
    if found := re.fullmatch(r"(-?\d+)(?:[.,](\d*))?", plain):
        whole, decimals = found[1], found[2] or ""
        if len(decimals) == 3 and len(whole.lstrip("-")) <= 3 and whole.lstrip("-") != "0":
            return None  # 1.000 is one to some and a thousand to others
        return Fraction(f"{whole}.{decimals or '0'}")
    if re.fullmatch(r"\d{1,3}(,\d{3})+\.\d+", plain):
        return Fraction(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d+", plain):
        return Fraction(plain.replace(".", "").replace(",", "."))
    return None


def maximum_of(text: str) -> tuple[Fraction | None, str]:
    """How much a column counts, by the cell that says so, and why that keeps it from being filled."""
    if not text.strip():
        return None, ""
    number = number_in(text)
    if number is None:
        return None, f"its maximum is {plain_line(text.strip(), 40)}, which is no single number"
    return (number, "") if number > 0 else (None, "it counts for 0 points")


def chosen_column(sheet: Sheet, wanted: str | None, assignment: str, title: str) -> Column:
    """The column to fill: the one `wanted` by title, id or whole heading, else the only one called as the assignment.

    Raises:
        UsageProblem: there is none, there are several, or it cannot be filled.
    """
    open_ones = [column for column in sheet.columns if not column.closed]
    listed = ", ".join(column.called for column in open_ones[:20]) or "none"
    if wanted is not None:
        asked, headings = wanted.strip(), sheet.table.headings
        found = [one for one in sheet.columns if asked in (one.number, one.title.strip(), one.called)]
        found = found or [one for one in sheet.columns if asked == headings[one.index].strip()]
        found = found or [one for one in sheet.columns if _plain(asked) and _plain(asked) == _plain(one.title)]
        found = found or [
            one for one in open_ones if _plain(asked) in {_plain(part) for part in _parts(one.title)} - {""}
        ]
        what = f"is called {plain_line(wanted, 80)}"
    else:
        names = {_plain(assignment), _plain(title)} - {""}
        found = [one for one in open_ones if _plain(one.title) in names]
        found = found or [one for one in open_ones if names & {_plain(part) for part in _parts(one.title)}]
        found = found or (open_ones if sheet.of_one else [])
        what = f"is called {assignment} or {plain_line(title, 80)}"
    if len(found) != 1:
        how_many = "No column" if not found else "More than one column"
        raise UsageProblem(f"{how_many} {what}. Say --column with a title or an id; there are: {listed}.")
    if found[0].closed:
        raise UsageProblem(f"The column {found[0].called} cannot be filled: {found[0].closed}.")
    return found[0]


def _plain(title: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", title.casefold()))


def _parts(title: str) -> list[str]:
    """What stands on either side of a colon or a dash, as in `Homework 3: Attention`, and without a last bracket."""
    bare = re.sub(r"\s*\([^()]*\)\s*$", "", title)
    return [bare, *re.split(r":\s|\s[-–—|]\s", bare)]
