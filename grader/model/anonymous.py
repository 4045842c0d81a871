"""A class without names: pseudonyms for people, and results, standings and texts in which nothing else tells who.

Pure functions over results, in the command, for `--anonymous`. Each submission is `Student 001` and so on, one for a
group, too. The order follows neither ids nor names: it is that of a digest over the files and the id, which nobody can
compute from a list of the class alone. Numbers may change when somebody hands in anew.

What is hidden: ids, names and their words, logins and addresses of the roster, groups' names, and file names other
than those that the assignment asks for; wherever a student's code, an exception or a notice may quote them (see
`known_names`). `[name]` stands there for everybody: a pseudonym in the place of a word that is also somebody's name
would tell whose it is. The author's own texts stay as they are: titles, hints, diagnoses. What tells somebody in
other ways, as a nickname or a drawing, nobody can know.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import msgspec

from grader.model.causes import KNOWN_ERRORS
from grader.model.changes import Change
from grader.model.known_names import joined_forms, numbers_of, orders_of, replacer, words_of
from grader.model.observation import Observation, is_tensor_json
from grader.model.result import CheckResult, FileInfo, GradeResult, Printed, SubmissionInfo
from grader.model.roster import Roster, RosterPerson, Standing, persons_of
from grader.model.submission import Person

FOLDER = "anonymous"
"""Where the reports lie under their pseudonyms, seen from the class page."""

_NOBODY, _FILE = "[name]", "[file]"
_SEVERAL, _NEARLY_ALL = 3, 0.8
"""A word in so many ids of a class, and in more than this share of them, tells nobody's name."""


class Veil:
    """The pseudonyms of a run, and everything seen through them."""

    def __init__(self, called: dict[tuple[str, bool], str], hide: Callable[[str], str]) -> None:
        self._called = called
        self._hide = hide
        self._twice = re.compile(r"(\[name\])(?:[ ._-]?\1| \(\1\))+")

    def name(self, id: str) -> str:
        """What the submission with this id is called, as `Student 001`."""
        return self._called.get((id, True), _NOBODY)

    def page(self, id: str) -> str:
        """The same as an id and the name of a file without its ending, as `student-001`."""
        return self.name(id).lower().replace(" ", "-")

    def text(self, text: str) -> str:
        """A text without whatever tells who somebody is."""
        return self._twice.sub(r"\1", self._hide(text)) if text else text

    def results(self, results: Iterable[GradeResult]) -> list[GradeResult]:
        """Results without names, in the order of their numbers."""
        return [self.result(result) for result in sorted(results, key=lambda one: self.name(one.submission.id))]

    def result(self, result: GradeResult) -> GradeResult:
        """A result without names."""
        printed = result.printed_for_student
        return msgspec.structs.replace(
            result,
            submission=self._submission(result.submission),
            reason=None if result.reason is None else self.text(result.reason),
            checks=[self._check(check) for check in result.checks],
            notices=[self.text(notice) for notice in result.notices],
            staff_notices=[self.text(notice) for notice in result.staff_notices],
            stdout=self.text(result.stdout),
            stderr=self.text(result.stderr),
            printed_for_student=Printed(self.text(printed.stdout), self.text(printed.stderr)),
        )

    def change(self, change: Change) -> Change:
        """What became of a submission, under its pseudonym."""
        return replace(change, id=self.name(change.id))

    def people(self, people: Standing | None) -> Standing | None:
        """The class against its roster, without names."""
        if people is None:
            return None
        called = {who.student: self._called.get((who.student, False), _NOBODY) for who in people.missing}
        return Standing(
            missing=tuple(Person(name) for name in sorted(called.values())),
            doubts=dict(sorted((self.page(id), self.text(doubt)) for id, doubt in people.doubts.items())),
            hints={called[who]: self.page(id) for who, id in people.hints.items() if who in called},
        )

    def _submission(self, about: SubmissionInfo) -> SubmissionInfo:
        names = {file.name: self._file(file.name, number) for number, file in enumerate(about.files, start=1)}
        graded = about.graded_file
        return msgspec.structs.replace(
            about,
            id=self.page(about.id),
            student=self.name(about.id),
            name="",
            members=[],
            handed_in_as=[],
            files=[FileInfo(names[file.name], file.sha256, file.bytes) for file in about.files],
            graded_file=None if graded is None else names.get(graded, self._file(graded, 0)),
        )

    def _file(self, name: str, number: int) -> str:
        hidden = self.text(name)
        return name if hidden == name else f"[file {number}]"

    def _check(self, check: CheckResult) -> CheckResult:
        error = check.error
        if error is not None:
            file = None if error.file is None else self.text(error.file)
            kind = error.type if error.type in KNOWN_ERRORS else self.text(error.type)
            error = msgspec.structs.replace(error, type=kind, file=file)
        return msgspec.structs.replace(
            check,
            feedback=self.text(check.feedback),
            staff_detail=self.text(check.staff_detail),
            error=error,
            observations=[self._observation(seen) for seen in check.observations],
        )

    def _observation(self, seen: Observation) -> Observation:
        actual = seen.actual if seen.kind == "proportions" else self._value(seen.actual)
        return msgspec.structs.replace(seen, actual=actual, detail=self.text(seen.detail))

    def _value(self, value: Any) -> Any:
        """What student code answered, with every string in it seen through the veil."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(one) for one in value]
        if isinstance(value, dict) and not is_tensor_json(value):
            return {self.text(key): self._value(one) for key, one in value.items()}
        return value


def veil_for(results: Sequence[GradeResult], roster: Roster | None, asked_for: Collection[str]) -> Veil:
    """The veil over a run: of all its results and the people of its roster.

    `asked_for` are the file names that the assignment asks for: they tell nothing, and stay.
    """
    order = sorted(results, key=lambda result: _digest(f"{result.submission.sha256} {result.submission.id}"))
    here = {person.student for result in results for person in persons_of(result)}
    people = roster.people if roster is not None else ()
    work = _digest(" ".join(result.submission.sha256 for result in order))  # else the order follows from the list alone
    away = sorted({person.student for person in people} - here, key=lambda student: _digest(f"{work} {student}"))
    called = _pseudonyms([result.submission.id for result in order], away)
    known = _Known(asked_for, _dull(results) | {word.lower() for name in asked_for for word in words_of(name)})
    for result in results:
        known.submission(result)
    for person in people:
        known.person(person)
    return Veil(called, replacer(known.strings, known.files))


def _pseudonyms(ids: Iterable[str], away: Iterable[str]) -> dict[tuple[str, bool], str]:
    """What submissions are called by their ids (True), and those who handed in nothing by theirs (False)."""
    keys = [*((id, True) for id in ids), *((student, False) for student in away)]
    width = max(3, len(str(len(keys))))
    return {key: f"Student {number:0{width}}" for number, key in enumerate(keys, start=1)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _dull(results: Sequence[GradeResult]) -> set[str]:
    """Words that nearly all folders bear, as `homework`."""
    words = Counter(word for result in results for word in {word.lower() for word in words_of(result.submission.id)})
    return {word for word, count in words.items() if count >= _SEVERAL and count > _NEARLY_ALL * len(results)}


class _Known:
    """Every string that tells who somebody is, with what stands in its place; `files` are those that name files."""

    def __init__(self, asked_for: Collection[str], dull: Collection[str]) -> None:
        self.strings: dict[str, str] = {}
        self.files: set[str] = set()
        self._asked_for = {name.lower() for name in asked_for}
        self._dull = dull

    def submission(self, result: GradeResult) -> None:
        """What a submission tells of its people, and the names of its files."""
        about = result.submission
        self._id(about.id)
        for person in persons_of(result):
            self._id(person.student)
            self._name(person.name)
        self._id(about.student)
        self._name(about.name)
        for name in {about.graded_file or "", *(file.name for file in about.files)}:
            for form in {name.lower(), PurePosixPath(name).name.lower()} - {"", *self._asked_for}:
                self.files.add(form)
                self.strings.setdefault(form, _FILE)

    def person(self, person: RosterPerson) -> None:
        """What the roster tells of somebody."""
        for id in (person.student, *person.ids, *person.logins):
            self._id(id)
        for address in person.emails:
            self._add(address)
            self._id(address.partition("@")[0])
        self._name(person.name)
        self._name(person.called)
        for form in joined_forms(person.group):
            self._add(form)

    def _id(self, id: str) -> None:
        """An id, or a folder's name: its words may be somebody's name."""
        self._add(id)
        for part in words_of(id) | numbers_of(id):
            if part.lower() not in self._dull:
                self._add(part)

    def _name(self, name: str) -> None:
        for part in {name, *words_of(name), *orders_of(name)}:
            self._add(part)

    def _add(self, text: str) -> None:
        """Note a string. No pseudonym stands in its place: where a name is also a word, that would tell whose it is."""
        if key := text.strip().lower():
            self.strings[key] = _NOBODY
