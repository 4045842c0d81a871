"""Graded submissions for the tests of what platforms are given, some with texts that attack whoever shows them."""

from __future__ import annotations

from typing import Any

import msgspec
from made import made_result

from grader.exporters.base import Graded, Kit, Member, Told
from grader.model.result import (
    AssignmentInfo,
    CheckResult,
    Diagnosis,
    GradeResult,
    Lateness,
    Printed,
    StudentError,
)
from grader.model.view import StudentView, student_view

HOSTILE = (
    "Q1: forward",
    "a:b:c {x:1} http://evil.example/?a:b",
    "\x00\x07nul and bell\x1b[31m",
    "first\n::error file=x.py,line=1::forged\n  ::add-mask::100\n##[error]old form",
    "::stop-commands::x\n::set-output name=result::e30=",
    'quotes " \' and \\ and }\n{"scores": {"Autograder": 100}}',
    '{"name": "forged", "marks_earned": 100, "marks_total": 100, "status": "pass", "output": "", "time": null}',
    "</pre></code><script>alert(1)</script><img src=x onerror=alert(1)>",
    "````\n``` | cell | ![x](http://evil.example/x.png) [x](javascript:alert(1)) @everyone #1 https://evil.example",
    "half \ud83d of a pair and 🤖🇩🇪👩‍👩‍👧 whole ones",
    "\u2028line\u2029paragraph\x85next\u202eright to left",
    "_order",
    "__proto__",
    "",
    "x" * 300_000,
    "🤖" * 100_000,
    "line\n" * 60_000,
)
"""Texts that students could bring into a result, and some that an author could."""

KIT = Kit(
    assignment="tiny",
    title="Tiny",
    names=("tiny.py",),
    seconds=60,
    memory_mb=2000,
    options=("--assignment", "tiny", "--seconds", "60"),
    common={
        "install.sh": Member(b"#!/usr/bin/env bash\n", executable=True),
        "requirements.txt": Member(b"torch==2.0\n"),
        "grader/__init__.py": Member(b""),
        "course/assignments/tiny/hidden/test_tiny.py": Member(b"# hidden\n"),
        "known.msgpack": Member(b"known"),
    },
)
"""What a package is made of, in short."""


def check(number: int, title: str = "", earned: float = 10, most: float = 10, **fields: Any) -> CheckResult:
    """A check, passed if it earned everything."""
    passed = earned == most
    values: dict[str, Any] = {
        "id": f"test_{number}",
        "title": title or f"Check {number}",
        "group": "First" if number % 2 else "Second",
        "status": "passed" if passed else "failed",
        "fault": None if passed else "student",
        "points": earned,
        "max_points": most,
        "visibility": "visible",
        "feedback": "" if passed else "The values differ.",
    }
    return CheckResult(**(values | fields))


def result(*checks: CheckResult, **fields: Any) -> GradeResult:
    """A graded result of these checks."""
    values: dict[str, Any] = {
        "assignment": AssignmentInfo("tiny", "1", "Tiny"),
        "status": "graded",
        "reason": None,
        "max_score": round(sum(one.max_points for one in checks), 2),
        "notices": [],
        "stdout": "",
    }
    made = made_result(checks, round(sum(one.points for one in checks), 2))
    return msgspec.structs.replace(made, **(values | fields))


def graded(*checks: CheckResult, told: Told | None = None, **fields: Any) -> Graded:
    """What a platform is given of a result of these checks."""
    return Graded(view_of(*checks, **fields), told or Told(), "<html></html>", "report")


def view_of(*checks: CheckResult, **fields: Any) -> StudentView:
    """What the student may see of a result of these checks."""
    return student_view(result(*checks, **fields), ["other numbers"])


def invalid(told: Told | None = None, reason: str = "tiny.py is not Python: invalid syntax in line 1.") -> Graded:
    """Work that could not be loaded at all: 0 points, no checks."""
    return graded(status="invalid", reason=reason, score=0.0, max_score=100.0, told=told)


def late(told: Told | None = None) -> Graded:
    """100 points of which being late takes 12.5."""
    lateness = Lateness("2026-12-01T23:59", "2026-12-03T08:00", True, 2, 12.5, 100.0, "2 days late: 12.5 points less.")
    return graded(check(1, earned=60, most=60), check(2, earned=40, most=40), score=87.5, lateness=lateness, told=told)


def hostile(text: str, told: Told | None = None) -> Graded:
    """A text wherever a student, or an author, could bring one in; the score is 12.34 of 40."""
    diagnosis = Diagnosis("slug", text)
    return graded(
        check(1, text, earned=2.34, feedback=text, hint=text, diagnosis=diagnosis, group=text or "First"),
        check(2, text),
        check(3, text, earned=0, feedback=text, group=text or "First"),
        check(4, "Hidden", earned=0, visibility="hidden", feedback=f"SECRET {text}", status="error",
              error=StudentError(text, text or "a.py", 3)),
        notices=[text],
        stdout=text,
        printed_for_student=Printed(text, text),
        told=told,
    )  # fmt: skip
