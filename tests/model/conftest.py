"""Results for the tests of records and views: two real ones, graded once, and parts to build others of."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from grader.batch.local import Slots
from grader.content import course_folder, load_assignment, stub_file
from grader.model.observation import Observation
from grader.model.result import (
    SCHEMA_VERSION,
    AssignmentInfo,
    CheckResult,
    Environment,
    FileInfo,
    GradeResult,
    Isolation,
    SubmissionInfo,
)
from grader.model.submission import Submission, SubmittedFile

CONFINED = "B" if os.geteuid() == 0 else "A1"


def _submission(name: str, text: str, main: str) -> Submission:
    files = (SubmittedFile(main, text.encode()),)
    return Submission(name, f"Student {name}", files, main, {main: text}, None, ("A notice.",))


@pytest.fixture(scope="session")
def real_results() -> dict[str, GradeResult]:
    """The reference, the stub and a file that cannot be loaded, graded for real."""
    assignment = load_assignment(course_folder(), "attention")
    assert assignment.reference_file is not None
    main = assignment.main_file
    texts = {
        "reference": assignment.reference_file.read_text("utf-8"),
        "stub": stub_file(assignment).read_text("utf-8"),
        "broken": "def (:\n",
    }
    work = [lambda name=name, text=text: _submission(name, text, main) for name, text in texts.items()]
    with Slots(course_folder(), "attention", CONFINED, 1) as slots:
        graded = list(slots.grade_all(work, lambda submission, slot: slot.judge(submission)))
    return {result.submission.id: result for result in graded}


def counted(name: str, detail: str = "too few") -> Observation:
    """An observation of three shares."""
    expected = {"of": [name, "b", "c"], "share": [0.8, 0.1, 0.1], "low": [75, 5, 5], "high": [85, 15, 15]}
    return Observation(name, "proportions", expected, {"count": [70, 14, 16], "total": [100, 100, 100]}, detail)


@pytest.fixture
def make_counted() -> Callable[..., Observation]:
    """Makes an observation of three shares, two of which are outside of what is allowed."""
    return counted


@pytest.fixture
def make_check() -> Callable[..., CheckResult]:
    """Makes a visible check of 10 points that passed; fields by keyword."""

    def make(name: str, **fields: Any) -> CheckResult:
        values: dict[str, Any] = {
            "id": name,
            "title": f"Title of {name}",
            "group": "Group",
            "status": "passed",
            "fault": None,
            "points": 10.0,
            "max_points": 10.0,
            "visibility": "visible",
        }
        if fields.get("status", "passed") != "passed":
            values |= {"fault": "student", "points": 0.0}
        return CheckResult(**(values | fields))

    return make


@pytest.fixture
def make_result() -> Callable[..., GradeResult]:
    """Makes a graded result of some checks; fields by keyword."""

    def make(name: str, checks: list[CheckResult], **fields: Any) -> GradeResult:
        values: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "assignment": AssignmentInfo("attention", "1", "Attention"),
            "submission": SubmissionInfo(
                name, f"Student {name}", None, "ab" * 32, [FileInfo("attention.py", "cd" * 32, 9)], "attention.py"
            ),
            "status": "graded",
            "reason": None,
            "score": sum(check.points for check in checks),
            "max_score": 100.0,
            "checks": checks,
            "notices": [],
            "stdout": "",
            "stderr": "",
            "environment": Environment("0.1", "3.11", "2.6", "2.1", "Linux"),
            "isolation": Isolation("B", ["seccomp"]),
            "seconds": 0.5,
        }
        return GradeResult(**(values | fields))

    return make


@pytest.fixture
def secrets_everywhere(make_check: Callable[..., CheckResult]) -> Callable[..., CheckResult]:
    """Makes a hidden check in which every text that is not the author's says SECRET."""

    def make(status: str, **fields: Any) -> CheckResult:
        values: dict[str, Any] = {
            "status": status,
            "visibility": "hidden",
            "feedback": "expected SECRET",
            "observations": [Observation("SECRET", "close", ["SECRET"], "SECRET", "SECRET differs"), counted("SECRET")],
            "staff_detail": "SECRET in hidden/test_x.py",
        }
        return make_check("hidden", **(values | fields))

    return make
