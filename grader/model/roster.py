"""The people of a course, and who of them handed in what.

Pure functions and plain data; `grader.intake.roster` reads the file. Whoever handed in is found by an id, a login or an
address, failing that by a name that only one person has. Nothing is guessed: where several people may be meant, or an
id and a name mean different ones, the work is graded under the name that it came with, and staff read why.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import msgspec

from grader.model.result import GradeResult
from grader.model.submission import Person
from grader.model.text import plain_line


class RosterPerson(msgspec.Struct, frozen=True):
    """Somebody of the roster: `student` is the first of their `ids`, or a login or address where there is none.

    `group` is a team's name; `extension` is their own due date, in ISO 8601 in the course's zone.
    """

    student: str
    name: str = ""
    ids: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    group: str = ""
    extension: str | None = None

    @property
    def called(self) -> str:
        """The name as people say it: of `O'Neil, Zoë` the first name first."""
        last, comma, first = self.name.partition(",")
        return f"{first.strip()} {last.strip()}" if comma and "," not in first else self.name


Row = dict[str, list[str]]
"""Values of one person by kind of column, as `grader.model.headings` calls them."""


class Roster(msgspec.Struct, frozen=True):
    """Everybody of the course, in the order of the file."""

    people: tuple[RosterPerson, ...] = ()


class Claim(msgspec.Struct, frozen=True):
    """What a platform tells of whose work it is: ids, logins and addresses that no student can choose, and a name.

    Where nobody but staff has named it, as a folder, its name is both.
    """

    keys: tuple[str, ...]
    name: str


class Match(msgspec.Struct, frozen=True):
    """Who is meant: one person, `by_name` if nothing else told; or nobody, and `doubt` says why it is not clear."""

    person: RosterPerson | None = None
    by_name: bool = False
    doubt: str = ""


class Standing(msgspec.Struct, frozen=True):
    """A class against its roster: who handed in nothing, and ids of submissions whose people it does not have, and why.

    `doubts` are by the id of a submission; `hints` by the student who is missing.
    """

    missing: tuple[Person, ...] = ()
    doubts: dict[str, str] = {}
    hints: dict[str, str] = {}


class Finder:
    """Looks people of a roster up."""

    def __init__(self, roster: Roster) -> None:
        self._students = {person.student for person in roster.people}
        self._by_key: dict[str, list[RosterPerson]] = {}
        self._by_name: dict[str, list[RosterPerson]] = {}
        self._by_bare_name: dict[str, list[RosterPerson]] = {}
        self._teams: dict[str, list[RosterPerson]] = {}
        for person in roster.people:
            for key in {*person.ids, *map(_login, (*person.logins, *person.emails))}:
                self._by_key.setdefault(key, []).append(person)
            for name in _names(person.name):
                self._by_name.setdefault(name, []).append(person)
            for name in {_bare(name) for name in _names(person.name)}:
                self._by_bare_name.setdefault(name, []).append(person)
            if person.group:
                for name in {_plain(person.group), _plain(person.group).replace(" ", "")}:
                    self._teams.setdefault(name, []).append(person)

    def knows(self, student: str) -> bool:
        """Whether somebody of the roster is called so by their first id."""
        return student in self._students

    def find(self, claim: Claim) -> Match:
        """Whom a claim means."""
        by_key = self._keyed(claim.keys) or self._numbered(claim)
        named = self._named(claim.name)
        if len(by_key) == 1:
            (person,) = by_key
            if len(named) == 1 and named[0] != person:
                return Match(doubt=f"the id is {_called(person)}'s, but the name {_called(named[0])}'s")
            return Match(person)
        if len(by_key) > 1:
            return Match(doubt=f"may be {' or '.join(map(_called, by_key))}")
        if len(named) == 1:
            return Match(named[0], by_name=True)
        if named:
            return Match(doubt=f"{len(named)} people are called so: {', '.join(map(_called, named))}")
        return Match()

    def team(self, claim: Claim) -> Sequence[RosterPerson]:
        """The members of the team that a claim names; empty if it names none, or somebody who is not in it."""
        team = self._teams.get(_plain(claim.name), [])
        keyed = self._keyed(claim.keys)
        return team if not keyed or any(person in team for person in keyed) else []

    def namesakes(self, claim: Claim) -> list[RosterPerson]:
        """Everybody whom the name alone may mean."""
        return self._named(claim.name)

    def _keyed(self, keys: Iterable[str]) -> list[RosterPerson]:
        found: list[RosterPerson] = []
        for key in keys:
            for person in self._by_key.get(key, []) or self._by_key.get(_login(key), []):
                found += [] if person in found else [person]
        return found

    def _numbered(self, claim: Claim) -> list[RosterPerson]:
        """Whose id is one of the longer numbers in a folder's name, as in `ChenWei_1001`."""
        if claim.name not in claim.keys:
            return []
        return self._keyed(re.findall(r"(?<![^\W_])\d{4,}(?![^\W_])", claim.name))

    def _named(self, name: str) -> list[RosterPerson]:
        forms = _forms(name)
        for table, keys in ((self._by_name, forms), (self._by_bare_name, {_bare(form) for form in forms})):
            found: list[RosterPerson] = []
            for key in keys:
                found += [person for person in table.get(key, []) if person not in found]
            if found:
                return found
        return []


def person_from(row: Row) -> RosterPerson:
    """Somebody as a row of a table tells of them; their own due date is left out."""
    ids = [form for value in row.get("id", []) for form in _forms_of_id(value)]
    logins, emails = row.get("login", []), row.get("email", [])
    first, last = " ".join(row.get("first", [])), " ".join(row.get("last", []))
    name = f"{last}, {first}" if first and last else row.get("name", [first or last])[0]
    student = next(iter([*row.get("id", []), *logins, *emails]), "") or name
    return RosterPerson(student, name, tuple(ids), tuple(logins), tuple(emails), row.get("group", [""])[0])


def _forms_of_id(value: str) -> Iterable[str]:
    """An id; of a participant's in Moodle's worksheet, in whatever language, also as it is called in English."""
    yield value
    if (found := re.fullmatch(r"[^\W\d_][^\d]*\s(\d+)", value)) and found[0] != f"Participant {found[1]}":
        yield f"Participant {found[1]}"


def persons_of(result: GradeResult) -> list[Person]:
    """Those whose work it is: one person, or the members of a group."""
    about = result.submission
    return about.members or [Person(about.student, about.name)]


def standing(roster: Roster | None, results: Iterable[GradeResult]) -> Standing | None:
    """The class against its roster; None without one."""
    if roster is None:
        return None
    finder = Finder(roster)
    here: set[str] = set()
    doubts: dict[str, str] = {}
    hints: dict[str, str] = {}
    for result in results:
        about = result.submission
        people = persons_of(result)
        here |= {person.student for person in people}
        strangers = [person for person in people if not finder.knows(person.student)]
        if not strangers:
            continue
        claim = Claim((strangers[0].student,), strangers[0].name or strangers[0].student)
        match = finder.find(claim)
        shared = f"may be {_called(match.person)}'s, as may another submission" if match.person else ""
        doubts[about.id] = match.doubt or shared or "nobody of the roster has this id or name"
        for person in finder.namesakes(claim):
            hints.setdefault(person.student, about.id)
    missing = tuple(Person(person.student, person.called) for person in roster.people if person.student not in here)
    return Standing(missing, doubts, {who.student: hints[who.student] for who in missing if who.student in hints})


def _called(person: RosterPerson) -> str:
    name = plain_line(person.called, 60)
    return f"{name} ({plain_line(person.student, 60)})" if name else plain_line(person.student, 60)


def _login(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _plain(name: str) -> str:
    """Letters and digits in lower case; apostrophes and full stops vanish, as platforms drop them, the rest parts."""
    text = unicodedata.normalize("NFC", name).casefold()
    text = re.sub(r"['’`´.\"]", "", text)
    return " ".join(re.sub(r"[\W_]+", " ", text).split())


def _bare(name: str) -> str:
    """Without accents."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))


def _forms(name: str) -> set[str]:
    """How a platform's name can be looked up: the first name first."""
    last, comma, first = name.partition(",")
    return {form for form in (_plain(f"{first} {last}" if comma else name),) if form}


def _names(name: str) -> set[str]:
    """A person's name as platforms write it: `zoë oneil`, and the last name first without spaces, `oneilzoë`."""
    last, comma, first = name.partition(",")
    if comma:
        return {form for form in (_plain(f"{first} {last}"), _plain(f"{last}{first}").replace(" ", "")) if form}
    words = _plain(name).split()
    turned = {"".join([*words[place:], *words[:place]]) for place in range(1, len(words))}
    return turned | ({" ".join(words)} if words else set())
