"""A class against its roster: who is missing, and whose work nobody has."""

from __future__ import annotations

from typing import Any

import pytest

from grader.model.result import AssignmentInfo, Environment, GradeResult, Isolation, SubmissionInfo
from grader.model.roster import Roster, RosterPerson, Standing, standing
from grader.model.submission import Person

ROSTER = Roster(
    (
        RosterPerson("1", "O'Neil, Zoë", ("1",)),
        RosterPerson("2", "Chen, Wei", ("2",)),
        RosterPerson("3", "Chen, Wei", ("3",)),
        RosterPerson("4", "Na Li", ("4",)),
    )
)


def result(id: str, student: str, **about: Any) -> GradeResult:
    """A result of which nothing but its owner matters."""
    info = SubmissionInfo(id, student, None, "", [], **about)
    return GradeResult(
        *(1, AssignmentInfo("a", "1", "A"), info, "graded", None, 1.0, 1.0, [], [], "", ""),
        *(Environment("", "", "", "", ""), Isolation("B", []), 0.0),
    )


def test_without_a_roster_nobody_is_missing() -> None:
    assert standing(None, [result("a", "1")]) is None


def test_who_is_missing() -> None:
    assert standing(ROSTER, [result("a", "1"), result("b", "3", members=[Person("3"), Person("4")])]) == Standing(
        (Person("2", "Wei Chen"),)
    )


@pytest.mark.parametrize(
    ("about", "doubt", "hinted"),
    [
        (("wei", "Wei Chen"), "2 people are called so: Wei Chen (2), Wei Chen (3)", {"2", "3"}),
        (("x", "x", "Wei Chen"), "2 people are called so: Wei Chen (2), Wei Chen (3)", {"2", "3"}),
        (("li", "Na Li (1)", "Na Li"), "may be Na Li (4)'s, as may another submission", {"4"}),
        (("x", "x"), "nobody of the roster has this id or name", set()),
    ],
)
def test_whose_work_is_held(about: tuple[str, ...], doubt: str, hinted: set[str]) -> None:
    name, student, *called = about
    found = standing(ROSTER, [result(name, student, name="".join(called))])
    assert found is not None
    assert found.doubts == {name: doubt}
    assert {who.student for who in found.missing} == {"1", "2", "3", "4"}
    assert found.hints == dict.fromkeys(hinted, name)


def test_a_group_with_a_stranger_is_held_for_the_stranger() -> None:
    found = standing(ROSTER, [result("g", "1", members=[Person("1", "Zoë"), Person("99", "Somebody")])])
    assert found is not None
    assert found.doubts == {"g": "nobody of the roster has this id or name"}
    assert "1" not in {who.student for who in found.missing}
