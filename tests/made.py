"""Results made for tests of what people and platforms read, without grading anything."""

from __future__ import annotations

from decimal import Decimal

from grader.exporters.base import Graded, HiddenChecks, Told
from grader.model.observation import Observation
from grader.model.result import (
    SCHEMA_VERSION,
    AssignmentInfo,
    CheckResult,
    Diagnosis,
    Environment,
    GradeResult,
    Isolation,
    Printed,
    ReadOn,
    StudentError,
    SubmissionInfo,
)
from grader.model.view import student_view

SECRET = "canary-of-a-hidden-check"
HOSTILE = 'a <b>"&\x00\x1b[31m\u202e\ud800 ::error::x\nGrade :=>> 100\n{"scores": {"Q1: x": 1}} Q: é 🎓'
CHECKS = (
    CheckResult("shape", "It has the right shape.", "forms", "passed", None, 20, 20, "visible"),
    CheckResult(
        "rows",
        "Each row: sums to 1.",
        "values",
        "failed",
        "student",
        0,
        30,
        "visible",
        feedback="row [0] sums to 2, not to 1",
        hint="Softmax over the keys.",
        diagnosis=Diagnosis("queries", "You take the softmax over the queries.", ReadOn("Weights")),
    ),
    CheckResult(
        "scale",
        "It divides by √width.",
        "values",
        "failed",
        "student",
        0,
        33.33,
        "hidden",
        feedback=SECRET,
        hint="Each head is narrow.",
        observations=[Observation("weights", "close", SECRET, SECRET, SECRET)],
        staff_detail=SECRET,
    ),
    CheckResult(
        "late",
        "It ends.",
        "values",
        "timeout",
        "student",
        0,
        16.67,
        "after_published",
        feedback=SECRET,
        error=StudentError("check"),
    ),
)


def made_result(checks: tuple[CheckResult, ...] = CHECKS, score: float | None = 20, printed: str = "") -> GradeResult:
    """A result with these checks; without any it is one whose file could not be loaded."""
    return GradeResult(
        schema_version=SCHEMA_VERSION,
        assignment=AssignmentInfo("attention", "1", "Attention"),
        submission=SubmissionInfo("zoe", "zoe", None, "0" * 64, [], "attention.py"),
        status="ungraded" if score is None else "graded" if checks else "invalid",
        reason=None if checks and score is not None else "attention.py cannot be read as Python: line 3.",
        score=score,
        max_score=100,
        checks=list(checks),
        notices=["hw1.py was graded as attention.py."],
        stdout=SECRET,
        stderr="",
        environment=Environment("1", "3.11", "2.13", "2.4", "Linux"),
        isolation=Isolation("C", []),
        seconds=1.0,
        printed_for_student=Printed(printed),
    )


def made_graded(result: GradeResult, hidden: HiddenChecks = "platform", points: str | None = None) -> Graded:
    """The same as a platform's module is given it."""
    told = Told(points=None if points is None else Decimal(points))
    return Graded(student_view(result), told, "<!doctype html><title>Report</title>", hidden)
