"""Runs to push, made without grading, and `grader push` called in this process."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lms_canvas
import lms_moodle
import pytest
from lms_canvas import Canvas
from lms_moodle import Moodle
from lms_web import served

from grader.cli.main import cli
from grader.errors import GraderError
from grader.model.result import (
    SCHEMA_VERSION,
    AssignmentInfo,
    CheckResult,
    Environment,
    GradeResult,
    Isolation,
    StudentError,
    SubmissionInfo,
)
from grader.model.submission import Person
from grader.store import Run

SECRET = "SECRET-of-a-hidden-check"


def make_result(id: str, student: str, score: float | None, **more: Any) -> GradeResult:
    """A result of three checks, the last of them hidden and failed, full of what no student may read."""
    about: dict[str, Any] = {"visibility": "visible", "group": "All", "status": "passed", "fault": None}
    hidden = {**about, "visibility": "hidden", "status": "error", "fault": "student", "feedback": SECRET}
    error = StudentError(SECRET, "tiny.py", 3)
    checks = [
        CheckResult(id="double", title="double(x) is twice x", points=40, max_points=40, **about),
        CheckResult(id="half", title="a < b & c", points=10, max_points=20, **{**about, "status": "failed"}),
        CheckResult(
            id="total", title="total(x) is the sum", points=0, max_points=40, error=error, staff_detail=SECRET, **hidden
        ),
    ]
    status = "ungraded" if score is None else "graded"
    return GradeResult(
        **{
            "schema_version": SCHEMA_VERSION,
            "assignment": AssignmentInfo("tiny", "1", "Tiny exercise"),
            "submission": SubmissionInfo(id, student, None, "5e" * 32, [], "tiny.py", members=more.pop("members", [])),
            "status": status,
            "reason": f"{SECRET}: the disk is full" if score is None else None,
            "score": score,
            "max_score": 100.0,
            "checks": checks,
            "notices": ["The file was called tiny (1).py."],
            "stdout": SECRET,
            "stderr": SECRET,
            "environment": Environment("0.1.0", "3.11", "2.6.0", "2.1.0", "Linux"),
            "isolation": Isolation("A1", []),
            "seconds": 0.5,
            "staff_notices": [SECRET],
            **more,
        }
    )


@dataclass
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def all(self) -> str:
        """All that it printed."""
        return self.out + self.err


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run of ada (75), bob (62.5) and cyd (invalid, 0), by the ids 11, 12 and 13."""
    made = Run(tmp_path / "out")
    made.prepare()
    made.save(make_result("ada_11", "11", 75.0))
    made.save(make_result("bob_12", "12", 62.5))
    reason = "The file tiny.py is not Python: invalid syntax in line 1."
    made.save(make_result("cyd_13", "13", 0.0, status="invalid", reason=reason, checks=[]))
    for name in made.ids():
        made.save_report(name, f"<!doctype html><p>report of {name}")
    return Run(made.folder)


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    """Canvas with the three students, and its token in the environment."""
    monkeypatch.setenv("CANVAS_TOKEN", lms_canvas.TOKEN)
    made = Canvas()
    for number, name in ((11, "Ada Lovelace"), (12, "Bob Noyce"), (13, "Cyd Charisse")):
        made.enrol(number, name, login_id=name.split()[0].lower(), sis_user_id=f"s{number}")
    with served(made):
        yield made


@pytest.fixture
def moodle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Moodle]:
    """Moodle with the three students, whose participants' numbers are 11, 12 and 13 and ids 301, 302 and 303."""
    monkeypatch.setenv("MOODLE_TOKEN", lms_moodle.TOKEN)
    made = Moodle()
    for number, name in ((11, "Ada Lovelace"), (12, "Bob Noyce"), (13, "Cyd Charisse")):
        made.enrol(290 + number, name, number, email=f"{name.split()[0].lower()}@example.edu", idnumber=f"s{number}")
    with served(made):
        yield made


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    """`grader push` in this process, with the exit status that it would have."""
    before = dict(os.environ)
    try:
        status = cli.main(["push", *map(str, arguments)], standalone_mode=False) or 0
        said = ""
    except GraderError as problem:
        status, said = problem.exit_status, f"grader: {problem}\n"
    except SystemExit as leaving:
        status, said = int(leaving.code or 0), ""
    assert dict(os.environ) == before
    gc.collect()  # a caught exception may hold the run, and with it the lock that ends with the process
    printed = capsys.readouterr()
    return Ran(int(status), printed.out, printed.err + said)


@pytest.fixture
def push_canvas(canvas: Canvas, run: Run, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Pushes the run to Canvas, with more options."""
    at = ("--url", canvas.url, "--course-id", 101, "--assignment-id", 202)
    return lambda *more: called(capsys, "canvas", run.folder, *at, *more)


@pytest.fixture
def push_moodle(moodle: Moodle, run: Run, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Pushes the run to Moodle, with more options."""
    return lambda *more: called(capsys, "moodle", run.folder, "--url", moodle.url, "--assignment-id", 77, *more)


@pytest.fixture
def result() -> Callable[..., GradeResult]:
    """Makes a result: id, student, score; fields by keyword, `members` for a group."""
    return make_result


@pytest.fixture
def person() -> type[Person]:
    """A member of a group."""
    return Person
