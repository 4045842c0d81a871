"""`grades.csv`: its columns, and that no cell of a student's is more than text."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.exporters.grades_csv import COLUMNS, cell, grades_csv
from grader.model.result import AssignmentInfo, Environment, GradeResult, Isolation, SubmissionInfo
from grader.model.roster import Standing
from grader.model.submission import Person

GROUP = [Person("1", "Ann"), Person("2", "Ben")]


def result(name: str, student: str, **fields: Any) -> GradeResult:
    """A graded result of 87.5 points."""
    values: dict[str, Any] = {
        "schema_version": 1,
        "assignment": AssignmentInfo("attention", "1", "Attention"),
        "submission": SubmissionInfo(name, student, None, "", []),
        "status": "graded",
        "reason": None,
        "score": 87.5,
        "max_score": 100.0,
        "checks": [],
        "notices": [],
        "stdout": "",
        "stderr": "",
        "environment": Environment("", "", "", "", ""),
        "isolation": Isolation("B", []),
        "seconds": 0.0,
    }
    return GradeResult(**(values | fields))


def rows(*results: GradeResult) -> list[list[str]]:
    """The table as a spreadsheet reads it."""
    return list(csv.reader(io.StringIO("".join(grades_csv(results)), newline="")))


def test_columns_and_rows() -> None:
    found = rows(
        result("ann", "Ann"),
        result("ben", "Chen, Wei", score=100.0, notices=["file renamed", "a; b"]),
        result("cy", 'Cy "x"', status="invalid", score=0.0, reason="empty"),
        result("dee", "Dee", status="ungraded", score=None, reason="disk"),
        result("eve", "Zoë", score=33.33, max_score=99.99),
    )
    assert found[0] == ["id", "student", "status", "score", "max_score", "late", "notices"] == list(COLUMNS)
    assert found[1:] == [
        ["ann", "Ann", "graded", "87.5", "100", "", ""],
        ["ben", "Chen, Wei", "graded", "100", "100", "", "file renamed; a; b"],
        ["cy", 'Cy "x"', "invalid", "0", "100", "", ""],
        ["dee", "Dee", "ungraded", "", "100", "", ""],
        ["eve", "Zoë", "graded", "33.33", "99.99", "", ""],
    ]


@pytest.mark.parametrize(("late", "word"), [(True, "yes"), (False, "no"), (None, "")])
def test_late_is_yes_no_or_empty(late: bool | None, word: str) -> None:
    about = SubmissionInfo("a", "A", None, "", [], late=late)
    assert rows(result("a", "A", submission=about))[1][5] == word


def test_an_empty_class_is_a_header() -> None:
    assert "".join(grades_csv([])) == "id,student,status,score,max_score,late,notices\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "=cmd|' /C calc'!A0",
        "\t=1",
        "\r=1",
        " =1",
        "\u200b=1",
        '"=1',
        "＝1",
        "＋1",
        "－1",
        "＠A1",
    ],
)
def test_formulas_are_defused(text: str) -> None:
    found = cell(text)
    assert found.startswith("'")
    assert rows(result("a", text, notices=[text]))[1][1::5] == [found, found]


@pytest.mark.parametrize(
    ("text", "defused"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a.py was graded.; -rf.py is a link.", "a.py was graded.; '-rf.py is a link."),
        ('=1; "@A1"', "'=1; '\"@A1\""),
        ("a; b", "a; b"),
        ("3 - 2 = 1", "3 - 2 = 1"),
        ("'=1", "'=1"),
    ],
)
def test_what_stands_behind_a_semicolon_is_a_cell_elsewhere(text: str, defused: str) -> None:
    assert cell(text) == defused


@given(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=3))
def test_whatever_a_student_is_called_one_row_is_theirs(student: str, notices: list[str]) -> None:
    found = rows(result("a", student, notices=notices), result("b", "B"))
    assert [row[0] for row in found] == ["id", "a", "b"]
    assert [len(row) for row in found] == [7, 7, 7]
    for text in (found[1][1], found[1][6]):
        assert not text.startswith(("=", "+", "-", "@", "\t", "\r"))
        assert len(text.splitlines()) <= 1


@given(st.integers(0, 10_000))
def test_scores_keep_their_two_decimals(hundredths: int) -> None:
    found = rows(result("a", "A", score=hundredths / 100))
    assert float(found[1][3]) == hundredths / 100
    assert "e" not in found[1][3]


def test_each_member_of_a_group_has_a_row() -> None:
    about = SubmissionInfo("team7", "1", None, "", [], members=GROUP)
    found = rows(result("team7", "1", submission=about))
    assert [row[:4] for row in found[1:]] == [["team7", "1", "graded", "87.5"], ["team7", "2", "graded", "87.5"]]


def test_missing_invalid_and_ungraded_stay_three_things() -> None:
    people = Standing((Person("=4", "Dee"), Person("5")), {"eve": "2 people are called so: a, b"}, {"5": "eve"})
    results = [
        result("ann", "1"),
        result("ben", "2", score=0.0),
        result("cy", "3", status="invalid", score=0.0),
        result("dan", "9", status="ungraded", score=None),
        result("eve", "Eve", notices=["renamed"]),
    ]
    found = list(csv.reader(io.StringIO("".join(grades_csv(results, people)), newline="")))
    assert [(row[0], row[1], row[2], row[3]) for row in found[1:]] == [
        ("ann", "1", "graded", "87.5"),
        ("ben", "2", "graded", "0"),
        ("cy", "3", "invalid", "0"),
        ("dan", "9", "ungraded", ""),
        ("eve", "Eve", "graded", "87.5"),
        ("", "'=4", "missing", ""),
        ("", "5", "missing", ""),
    ]
    assert found[5][6] == "Held for staff: 2 people are called so: a, b.; renamed"
    assert [row[4:] for row in found[6:]] == [["100", "", ""], ["100", "", "Perhaps this person's work is eve."]]


def test_a_class_in_which_everybody_is_missing() -> None:
    found = "".join(grades_csv([], Standing((Person("1", "Ann"),))))
    assert found.splitlines()[1:] == [",1,missing,,,,"]
