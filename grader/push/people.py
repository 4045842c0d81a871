"""Whose results these are in the LMS. Nothing is guessed.

Pure functions. A result names people by an id of the LMS where it has one, by the number in a download's file names, or
by what a roster says; each of these is looked up among those who can be graded. Exactly one person must come out. A
name alone is never enough, nor is a bare number that is no download's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grader.model.result import GradeResult
from grader.model.roster import Roster, RosterPerson, persons_of, standing
from grader.model.text import plain_line
from grader.push.base import LmsPerson


@dataclass(frozen=True)
class Found:
    """Results by people of the LMS, in the order of the results, and why others have nobody (id of the result, why)."""

    pairs: list[tuple[LmsPerson, GradeResult]] = field(default_factory=list)
    nobody: list[tuple[str, str]] = field(default_factory=list)


def find_people(
    results: Sequence[GradeResult], people: Sequence[LmsPerson], roster: Roster | None, teams: bool
) -> Found:
    """Who is meant by each result; the members of a group have a pair each.

    Whom two results claim gets neither, and what the roster leaves in doubt is held.
    """
    known = {person.student: person for person in roster.people} if roster else {}
    against = standing(roster, results)
    doubts = against.doubts if against else {}
    found = Found()
    claimed: dict[str, list[tuple[LmsPerson, GradeResult]]] = {}
    for result in results:
        name = result.submission.id
        if doubt := doubts.get(name):
            found.nobody.append((name, f"held for staff: {doubt}"))
            continue
        owners, problems = _owners(result, people, known, teams)
        found.nobody.extend((name, problem) for problem in problems)
        for owner in owners:
            claimed.setdefault(owner.id, []).append((owner, result))
    for claims in claimed.values():
        if len({result.submission.id for _, result in claims}) == 1:
            found.pairs.append(claims[0])
            continue
        names = [result.submission.id for _, result in claims]
        found.nobody.extend(
            (name, f"{_called(claims[0][0])} has several results: {', '.join(names)}") for name in names
        )
    return found


def _owners(
    result: GradeResult, people: Sequence[LmsPerson], known: dict[str, RosterPerson], teams: bool
) -> tuple[list[LmsPerson], list[str]]:
    members = result.submission.members
    if teams and not members:
        # The number in a team's file names is the group's; a person may have the same one, and is not meant.
        team = [person for person in people if person.group and person.group == result.submission.student]
        if team:
            return team, []
    owners, problems = [], []
    for member in persons_of(result):
        listed = known.get(member.student)
        matches = _matching({member.student, *_keys_of(listed)}, people, numbers=not teams)
        if listed is None and _is_bare(member.student) and not any(_has_number(one, member.student) for one in matches):
            # It may be of another course's download: that it is somebody's official number here proves nothing.
            problems.append(
                f"the number {_quoted(member.student)} is nobody's in a download; a --roster could tell whose"
            )
            continue
        if len(matches) == 1:
            owners.append(matches[0])
        elif matches:
            problems.append(f"{_quoted(member.student)} may be {' or '.join(map(_called, matches))}")
        else:
            problems.append(f"nobody in the assignment has the id {_quoted(member.student)}")
    return owners, problems


def _is_bare(student: str) -> bool:
    return student.strip().isdigit()


def _has_number(person: LmsPerson, student: str) -> bool:
    return student.strip() in person.numbers


def _matching(keys: Iterable[str], people: Sequence[LmsPerson], numbers: bool) -> list[LmsPerson]:
    exact = {key.strip() for key in keys}
    folded = {key.casefold() for key in exact}
    return [person for person in people if (numbers and exact & person.numbers) or folded & person.keys]


def _keys_of(person: RosterPerson | None) -> tuple[str, ...]:
    return (*person.ids, *person.logins, *person.emails) if person is not None else ()


def _called(person: LmsPerson) -> str:
    return f"{plain_line(person.name, 60)} ({person.id})" if person.name else person.id


def _quoted(text: str) -> str:
    return f"“{plain_line(text, 60)}”"
