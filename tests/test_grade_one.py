"""One submission inside a platform's autograder: time that runs out, what the platform says, what cannot be graded."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from grader.cli import grade_one
from grader.cli.main import cli

Command = Callable[..., subprocess.CompletedProcess[str]]

RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A container's root, with nothing handed in yet."""
    (tmp_path / "root" / "autograder" / "submission").mkdir(parents=True)
    return tmp_path / "root"


def graded(grader: Command, course: Path, place: Path, *options: object) -> dict[str, Any]:
    """The result that Gradescope would read."""
    ran = run(grader, course, place, *options)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads((place / "autograder" / "results" / "results.json").read_bytes())
    return found


def run(grader: Command, course: Path, place: Path, *options: object) -> subprocess.CompletedProcess[str]:
    arguments = ["--assignment", "tiny", "--for", "gradescope", "--course", course, "--root", place]
    return grader("grade-one", *arguments, "--hidden-checks", "report", *options)


def test_time_that_runs_out_gives_a_part_never_nothing(grader: Command, tiny_course: Path, place: Path) -> None:
    """Every call hangs, and each check could take 60 seconds: the platform would stop it all in the second one."""
    toml = tiny_course / "assignments" / "tiny" / "assignment.toml"
    toml.write_text(toml.read_text().replace("check_seconds = 1", "check_seconds = 60"))
    source = RIGHT.replace("return x.sum()", "while True: pass")
    (place / "autograder" / "submission" / "tiny.py").write_text(source)
    found = graded(grader, tiny_course, place, "--seconds", "20", "--result", place / "whole.json")
    statuses = {test["tags"][0]: test["tags"][1] for test in found["tests"]}
    assert set(statuses.values()) == {"passed", "timeout"}
    assert 0 < found["score"] < 100
    whole = json.loads((place / "whole.json").read_bytes())
    assert whole["status"] == "graded"
    assert {check["fault"] for check in whole["checks"] if check["status"] == "timeout"} == {"student"}
    assert whole["seconds"] < 20
    (late,) = [check for check in whole["checks"] if check["status"] == "timeout"][:1]
    assert "share of the time that the platform gives" in late["feedback"]


def test_nothing_handed_in_is_a_zero_with_its_reason(grader: Command, tiny_course: Path, place: Path) -> None:
    found = graded(grader, tiny_course, place)
    assert found["score"] == 0
    assert "tiny.py" in found["output"]


def test_what_cannot_be_graded_is_no_mark(grader: Command, tiny_course: Path, place: Path) -> None:
    (place / "autograder" / "submission" / "tiny.py").write_text(RIGHT)
    check = tiny_course / "assignments" / "tiny" / "handout" / "check_tiny.py"
    check.write_text(check.read_text().replace("student.double(", "student.double(undefined_name, "))
    ran = run(grader, tiny_course, place)
    assert ran.returncode == 1
    assert not (place / "autograder" / "results").exists()
    assert "not the student's doing" in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr
    strict = run(grader, tiny_course, place, "--known", place / "nowhere.msgpack")
    assert strict.returncode == 1
    assert "nowhere.msgpack cannot be read" in strict.stderr
    assert "nowhere" not in strict.stdout


def test_what_the_platform_says_is_kept(grader: Command, tiny_course: Path, place: Path) -> None:
    (place / "autograder" / "submission" / "tiny.py").write_text(RIGHT)
    toml = tiny_course / "assignments" / "tiny" / "assignment.toml"
    deadline = '\n[deadline]\ndue = 2026-02-03T23:59\nzone = "UTC"\nper_day = 10\n'
    toml.write_text(toml.read_text() + deadline)
    metadata = {
        "created_at": "2026-02-04T14:31:11.000000+00:00",
        "assignment": {"due_date": "2026-02-03T23:59:00.000000+00:00", "total_points": "50.0"},
        "users": [{"email": "a@example.edu", "id": 1, "name": "A"}, {"email": "b@example.edu", "id": 2, "name": "B"}],
        "previous_submissions": [
            {"submission_time": "2026-02-04T12:00:00.000000+00:00", "score": 31.5, "autograder_error": False}
        ],
    }
    (place / "autograder" / "submission_metadata.json").write_text(json.dumps(metadata))
    found = graded(grader, tiny_course, place, "--result", place / "whole.json")
    assert found["score"] == 45  # of 50: a day late
    assert "after the deadline" in found["output"]
    whole = json.loads((place / "whole.json").read_bytes())
    assert [member["student"] for member in whole["submission"]["members"]] == ["a@example.edu", "b@example.edu"]
    assert whole["submission"]["late"] is True
    again = graded(grader, tiny_course, place, "--attempts", "1", "--hours", "24")
    assert again["score"] == 31.5
    assert "at most 1 submission may be graded within 24 hours" in again["output"]
    assert "2026-02-05 12:00" in again["output"]
    assert "tests" not in again
    hiding = graded(grader, tiny_course, place, "--attempts", "1", "--hidden-checks", "platform")
    assert [test["visibility"] for test in hiding["tests"]] == ["hidden"], "the total would be shown"


def test_a_bug_of_ours_is_told_to_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a platform takes "not graded", it must get that, whatever went wrong."""
    (tmp_path / "grade" / "student").mkdir(parents=True)
    (tmp_path / "grade" / "student" / "tiny.py").write_text(RIGHT)

    def broken(*_: object) -> None:
        raise KeyError("a name of ours")

    monkeypatch.setattr(grade_one, "grade_single", broken)
    course = Path(__file__).parent / "course"
    arguments = [
        "grade-one",
        "--assignment",
        "tiny",
        "--for",
        "prairielearn",
        "--course",
        str(course),
        "--root",
        str(tmp_path),
    ]
    ran = CliRunner().invoke(cli, arguments)
    assert (ran.exit_code, ran.exception) == (0, None)
    found = json.loads((tmp_path / "grade" / "results" / "results.json").read_bytes())
    assert found["gradable"] is False
    assert "a name of ours" not in found["message"]
