"""Hand-ins -> people of the roster.

Pure functions, in the command. Who is meant is the roster's business (`grader.model.roster`); here a person gets one
submission, and a team one for all its members. Where two hand-ins claim one person by nothing but a name, neither gets
it: they stay under the names that they came with, for staff to look at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.intake.layouts.base import HandIn, Who
from grader.model.roster import Claim, Finder, Match, Roster, RosterPerson
from grader.model.submission import Person


@dataclass(frozen=True)
class Assigned:
    """A hand-in and whose it is; `extension` is the latest due date of these people's own."""

    hand_in: HandIn
    people: tuple[Person, ...]
    extension: str | None = None


def assigned(hand_ins: Iterable[HandIn], roster: Roster | None) -> list[Assigned]:
    """Each hand-in with its people, as the roster calls them if there is one and it knows them."""
    found = list(hand_ins)
    if roster is None:
        return [Assigned(hand_in, _as_told(hand_in.people)) for hand_in in found]
    finder = Finder(roster)
    matches = [[finder.find(_claim(who)) for who in hand_in.people] for hand_in in found]
    claimed = [match.person.student for several in matches for match in several if match.person]
    given = []
    for hand_in, several in zip(found, matches, strict=True):
        team = finder.team(_claim(hand_in.who)) if len(hand_in.people) == 1 else ()
        sure = [None if _is_shared(match, claimed) else match.person for match in several]
        given.append(_given(hand_in, list(team) or sure))
    return given


def _given(hand_in: HandIn, known: list[RosterPerson | None] | list[RosterPerson]) -> Assigned:
    own = [person.extension for person in known if person is not None and person.extension]
    if len(known) > len(hand_in.people):  # a team
        people = tuple(Person(person.student, person.called) for person in known if person is not None)
    else:
        people = tuple(
            Person(who.student, who.name) if person is None else Person(person.student, person.called or who.name)
            for who, person in zip(hand_in.people, known, strict=True)
        )
    return Assigned(hand_in, people, max(own, default=None))


def _is_shared(match: Match, claimed: list[str]) -> bool:
    return match.by_name and match.person is not None and claimed.count(match.person.student) > 1


def _claim(who: Who) -> Claim:
    keys = (who.student, *who.logins) if who.is_id else who.logins
    return Claim(keys, who.name or who.student)


def _as_told(people: Iterable[Who]) -> tuple[Person, ...]:
    return tuple(Person(who.student, who.name) for who in people)
