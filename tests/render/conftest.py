"""Results of an invented class, for the tests of what people read."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.model.assignment import Deadline
from grader.model.late import with_lateness
from grader.model.observation import Observation, tensor_to_json
from grader.model.result import (
    SCHEMA_VERSION,
    AssignmentInfo,
    CheckResult,
    Diagnosis,
    Environment,
    FileInfo,
    GradeResult,
    Isolation,
    Printed,
    StudentError,
    SubmissionInfo,
)

SCALE = Diagnosis("scale-by-hidden", "You divide the scores by √`hidden`; each head is only √`head_dim` wide.")
QUERY = Diagnosis("mask-queries", "You hide the rows of padding queries. Only the key column of padding is hidden.")


def _check(number: int, group: str, title: str, points: float = 10, earned: float = 0, **more: Any) -> CheckResult:
    values: dict[str, Any] = {
        "id": f"test_{number}",
        "title": title,
        "group": group,
        "status": "passed",
        "fault": None,
        "points": points,
        "max_points": points,
        "visibility": "visible",
    }
    if more.get("status", "passed") != "passed":
        values |= {"fault": "student", "points": earned}
    return CheckResult(**(values | more))


def _checks() -> list[CheckResult]:
    weights = (
        "The weights of head 1 differ.\n"
        "  shape (2, 5, 5), dtype float32, on both sides\n"
        "  first difference at [0, 0, 1]\n"
        "    yours     0.31842107\n"
        "    expected  0.27318811   (difference 0.0452, allowed 0.0000373)"
    )
    return [
        _check(1, "Visibility", "Every query sees every real token", 5),
        _check(2, "Visibility", "A causal query sees itself and what stands before it", 5),
        _check(
            3,
            "Visibility",
            "Padding queries keep their rows",
            status="failed",
            visibility="hidden",
            diagnosis=QUERY,
            hint="Compare the shape of `nonpadding[:, None, :]` with that of your mask.",
            feedback="expected SECRET-VALUES",
            observations=[Observation("rows", "close", [0.25, "SECRET"], [0.5, "SECRET"], "SECRET differs")],
            staff_detail="SECRET traceback of tests/hidden",
        ),
        _check(4, "Weights", "Each query’s weights sum to 1"),
        _check(
            5,
            "Weights",
            "Weights are those of scaled dot products",
            status="failed",
            points=20,
            earned=7.5,
            diagnosis=SCALE,
            feedback=weights,
            hint="How wide are the vectors whose dot product you take?",
        ),
        _check(6, "Weights", "A row without a visible key is all zeros", visibility="hidden"),
        _check(
            7,
            "TinySelfAttn",
            "Two heads give the reference’s output",
            status="failed",
            diagnosis=SCALE,
            feedback="The outputs differ in 60 of 60 places, at most by 0.183; allowed is 0.00002.",
        ),
        _check(
            8,
            "TinySelfAttn",
            "A width that the heads cannot share raises ValueError",
            status="error",
            visibility="hidden",
            feedback="ZeroDivisionError: SECRET 33",
            error=StudentError("ZeroDivisionError", "attention.py", 41),
        ),
        _check(9, "TinySelfAttn", "Gradients reach query and key", status="skipped", feedback="Needs check 7."),
        _check(10, "TinySelfAttn", "Parameters have the names of the handout"),
    ]


def _result(**more: Any) -> GradeResult:
    checks = _checks()
    values: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "assignment": AssignmentInfo("attention", "1", "Self-attention from scratch"),
        "submission": _submission("s1001", "Wei Chen"),
        "status": "graded",
        "reason": None,
        "score": sum(check.points for check in checks),
        "max_score": 100,
        "checks": checks,
        "notices": ["The file was called attention (1).py and was taken for attention.py."],
        "stdout": "SECRET printed in a hidden check",
        "stderr": "",
        "environment": Environment("0.1.0", "3.11.7", "2.6.0", "2.1.0", "Linux"),
        "isolation": Isolation("A1", ["bubblewrap", "namespaces", "landlock", "seccomp"]),
        "seconds": 0.847,
        "printed_for_student": Printed("tensor([[0.2689, 0.7311]])\nepoch 1: loss 0.6931\n", ""),
    }
    return GradeResult(**(values | more))


def _submission(id: str, student: str, file: str = "attention.py") -> SubmissionInfo:
    return SubmissionInfo(id, student, None, "5e" * 32, [FileInfo(file, "3d" * 32, 2048)], file)


@pytest.fixture
def templates() -> tuple[Path, ...]:
    """The folder of templates, as the course ships it."""
    return (Path(__file__).parents[2] / "reports",)


@pytest.fixture
def make_result() -> Callable[..., GradeResult]:
    """Makes a result of ten checks, four of them hidden or failing for a known reason; fields by keyword."""
    return _result


@pytest.fixture
def make_check() -> Callable[..., CheckResult]:
    """Makes a check of a number, group and title, passed unless told otherwise; fields by keyword."""
    return _check


@pytest.fixture
def make_submission() -> Callable[..., SubmissionInfo]:
    """Makes a submission of an id, a student's name and optionally a file name."""
    return _submission


@pytest.fixture
def make_timed() -> Callable[..., GradeResult]:
    """Makes a result of work handed in at a time, due on 1 December 2026 at 23:59 PST; fields by keyword."""

    def make(submitted_at: str | None, lms: bool | None = None, **more: Any) -> GradeResult:
        about = msgspec.structs.replace(_submission("s1001", "Wei Chen"), submitted_at=submitted_at, lms_late=lms)
        terms = Deadline(datetime(2026, 12, 1, 23, 59), "America/Los_Angeles", per_day=10, cap=50)
        return with_lateness(_result(**({"submission": about} | more)), terms)

    return make


@pytest.fixture
def make_class() -> Callable[[int], list[GradeResult]]:
    """Makes a class of that many results: each seventh is invalid, each eleventh ungraded, none is like the next."""

    def one(number: int) -> GradeResult:
        submission = _submission(f"s{1001 + number}", f"Student {number * 7919 % 1000:03}")
        if number % 11 == 5:
            return _result(submission=submission, status="ungraded", reason="The disk is full; run again.", score=None)
        if number % 7 == 3:
            reason = "The file attention.py is not Python: invalid syntax in line 3."
            return _result(submission=submission, status="invalid", reason=reason, score=0, checks=[], notices=[])
        keep = number * 31 % 11
        passed = {"status": "passed", "fault": None, "feedback": "", "diagnosis": None, "error": None}
        checks = [
            msgspec.structs.replace(c, points=c.max_points, **passed) if place < keep else c
            for place, c in enumerate(_checks())
        ]
        score = sum(c.points for c in checks)
        return _result(submission=submission, checks=checks, score=score, seconds=number * 0.37 % 5)

    return lambda size: [one(number) for number in range(size)]


CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def _wave(count: int, height: float = 1.0) -> list[float]:
    return [height * math.sin(1.7 * n) for n in range(count)]


def _seen() -> list[Observation]:
    """A comparison of each kind that did not hold."""
    weights = [0.2442, 0.2573, 0.2261, 0.2724, 0.2360, 0.2580, 0.2568, 0.2492]
    wrong = [value + 0.03 * (n in (1, 6)) for n, value in enumerate(weights)]
    causal = [k <= q and k < 5 for q in range(6) for k in range(6)]
    sums = [1.0, 1.0, 0.8, 1.3, math.nan, 1.0]
    curve = [0.79 * math.exp(-0.05 * n) for n in range(30)]
    shares = {"of": ["[MASK]", "random"], "share": [0.8, 0.1], "low": [5900, 650], "high": [6250, 860]}

    def tensor(values: list[Any], *shape: int, dtype: str = "float32") -> dict[str, Any]:
        return tensor_to_json(dtype, shape, values)

    off = "It differs."
    return [
        Observation("weights", "close", tensor(weights, 1, 2, 4), tensor(wrong, 1, 2, 4), off, CLOSE),
        Observation("visible", "close", tensor(causal, 1, 6, 6, dtype="bool"), tensor([True] * 36, 1, 6, 6), off, {}),
        Observation("row sums", "rows_sum_to_one", tensor([1.0] * 6, 2, 3), tensor(sums, 2, 3), off, {"atol": 1e-4}),
        Observation("output", "shape", [2, 6, 32], [2, 32, 6], off),
        Observation("logits", "close", tensor([1.0, 2.0], 2), tensor([1.0], 1, 1), off, CLOSE),
        Observation("gradient", "close", tensor(_wave(360), 3, 10, 12), tensor(_wave(360, 2), 3, 10, 12), off, CLOSE),
        Observation("shares", "proportions", shares, {"count": [6002, 170], "total": [7600, 7600]}, off),
        Observation("losses", "curve", tensor(curve, 30), tensor(_wave(30, 0.9), 30), off, {"atol": 1e-3, "bar": 0.3}),
        Observation("finite output", "finite", "finite", tensor([1.0, math.nan, 2.0, math.inf], 2, 2), off),
        Observation("positive", "above", 0.0, tensor([1.0, -1.0, 0.0], 3), off, {"bound": 0.0}),
        Observation("ids after", "unchanged", tensor([1, 2, 3], 3, dtype="int64"), tensor([1, 9, 3], 3), off),
        Observation("parameters", "same", ["out.bias [32]", "qkv.weight [96, 32]"], ["out.bias [32]"], off),
    ]


@pytest.fixture
def seen() -> list[Observation]:
    """A comparison of each kind that did not hold."""
    return _seen()


@pytest.fixture
def make_figures() -> Callable[..., GradeResult]:
    """Makes a result with a visible failed check for each comparison of `seen`; more fields by keyword."""

    def make(**more: Any) -> GradeResult:
        figures = [
            _check(100 + n, "Figures", f"About {o.name}", status="failed", observations=[o], feedback=o.detail)
            for n, o in enumerate(_seen())
        ]
        return _result(**({"checks": [*_checks(), *figures]} | more))

    return make
