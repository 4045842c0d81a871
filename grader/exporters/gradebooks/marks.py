"""The marks of a class, a record for each person, out of results.

Pure functions, in the command. Each member of a group has the group's mark. Whoever was not graded, or is held for
staff, has no mark: there is nothing to write for them, and above all not 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from grader.model.late import late_word
from grader.model.result import GradeResult
from grader.model.roster import Roster, RosterPerson, Standing, persons_of
from grader.model.submission import Person
from grader.model.text import plain_line


@dataclass(frozen=True)
class Mark:
    """What one person got: `score` of `max_score` points, None where there is no mark, and `why` not.

    `keys` are ids, logins and addresses as the run and its roster have them; `ids`, `logins` and `emails` are the
    roster's, empty without one. `handed_in_as` are names in the platform's download; `in_group` tells that they are
    several people's.
    """

    result: str
    student: str
    name: str
    score: Fraction | None
    max_score: Fraction
    status: str
    late: str
    why: str = ""
    ids: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    handed_in_as: tuple[str, ...] = ()
    in_group: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """By what the person can be found."""
        return (self.student, *self.ids, *self.logins, *self.emails)

    @property
    def called(self) -> str:
        """The name and the id, for people."""
        name, id = plain_line(self.name, 60), plain_line(self.student, 60)
        return f"{name} ({id})" if name and name != id else id


def marks_of(results: Iterable[GradeResult], roster: Roster | None, people: Standing | None) -> list[Mark]:
    """The marks of everybody, in the order of the results; `people` is the class against its roster."""
    known = {person.student: person for person in roster.people} if roster else {}
    doubts = people.doubts if people else {}
    found = []
    for result in results:
        persons = persons_of(result)
        for person in persons:
            one = known.get(person.student, RosterPerson(person.student))
            found.append(_mark(result, person, one, doubts.get(result.submission.id, ""), len(persons) > 1))
    return found


def _mark(result: GradeResult, person: Person, known: RosterPerson, doubt: str, in_group: bool) -> Mark:
    why = f"held for staff: {doubt}" if doubt else ""
    if result.status == "ungraded" or result.score is None:
        why = "not graded, and not their doing"
    return Mark(
        result=result.submission.id,
        student=person.student,
        name=person.name or known.called,
        score=None if why or result.score is None else Fraction(str(result.score)),
        max_score=Fraction(str(result.max_score)),
        status=result.status,
        late=late_word(result),
        why=why,
        ids=known.ids,
        logins=known.logins,
        emails=known.emails,
        handed_in_as=tuple(result.submission.handed_in_as),
        in_group=in_group,
    )
