"""Deadlines from `assignment.toml` to what people read, on the tiny course."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from grader.batch.local import Slots
from grader.content import load_assignment, templates_folders
from grader.judge.diagnosis import Misconceptions
from grader.model.jsonform import result_schema
from grader.model.late import with_lateness
from grader.model.submission import Person, Submission
from grader.pipeline import Course, fingerprint, grade, publish, publish_class, ungraded
from grader.store import Run

ROOT = Path(__file__).parent.parent
MODE = "B" if os.geteuid() == 0 else "A1"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
DEADLINE = """
[deadline]
due = 2026-12-01T23:59
zone = "America/Los_Angeles"
grace_minutes = 15
per_day = 10
cap = 50
last_day = 2026-12-08T23:59
[deadline.extensions]
"12345" = 2026-12-03T23:59
"""
Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]


def submission(name: str, submitted_at: str | None, text: str = RIGHT, **fields: Any) -> Submission:
    """Work as intake hands it on."""
    return Submission(
        name, name, (), "tiny.py", {"tiny.py": text}, graded_file="tiny.py", submitted_at=submitted_at, **fields
    )


SUBMISSIONS = [
    submission("kept", "2026-12-01T10:00:00-08:00", late=False),
    submission("last-minute", "2026-12-02T08:13:59Z", late=True),
    submission("late", "2026-12-03T10:59:00Z", late=True),
    submission("broken", "2026-12-03T10:59:00Z", "def double(\n"),
    submission("12345", "2026-12-04T01:00:00Z"),
    submission("pair", "2026-12-04T01:00:00Z", members=(Person("pair"), Person("12345", "Zoë"))),
    submission("from-roster", "2026-12-04T10:59:00Z", extension="2026-12-03T23:59"),
    submission("over", "2026-12-10T10:59:00Z"),
    submission("naive", "2026-12-10T10:59:00", late=True),
    submission("nowhen", None),
]
SCORES = {
    "kept": 100,
    "last-minute": 100,
    "late": 80,
    "broken": 0,
    "12345": 100,
    "pair": 100,
    "from-roster": 90,
    "over": 0,
    "naive": 100,
    "nowhen": 100,
}
WORDS = dict(zip(SCORES, ["no", "no", "yes", "yes", "no", "no", "yes", "yes", "", ""], strict=True))


@pytest.fixture
def late_course(tiny_course: Path) -> Path:
    """The tiny course with a deadline."""
    with (tiny_course / "assignments" / "tiny" / "assignment.toml").open("a") as file:
        file.write(DEADLINE)
    return tiny_course


def test_a_class_with_a_deadline(late_course: Path, tmp_path: Path, read_results: Results) -> None:
    assignment = load_assignment(late_course, "tiny")
    templates, run = templates_folders(late_course), Run(tmp_path / "out")
    run.prepare()
    course = Course(assignment, MODE, Misconceptions("", []))
    with Slots(late_course, "tiny", MODE, 1) as slots:
        work = [lambda given=given: given for given in SUBMISSIONS]
        for result in slots.grade_all(work, lambda given, slot: grade(given, slot, course)):
            publish(result, run, templates)
    publish_class(run.results(), run, templates)
    found = read_results(run.folder)
    assert {name: result["score"] for name, result in found.items()} == SCORES
    for result in found.values():
        jsonschema.validate(result, result_schema())
    late = found["late"]["lateness"]
    assert late["reason"] == (
        "Handed in 1 day, 3 hours after the deadline (1 Dec 2026, 23:59 PST): 20 points off 100 "
        "(10 for each day begun, at most 50, after 15 minutes of grace)."
    )
    assert (late["score_before"], late["deduction"], late["days"]) == (100, 20, 2)
    assert all(check["status"] == "passed" for check in found["over"]["checks"])
    assert found["last-minute"]["submission"] | {"late": False, "lms_late": True} == found["last-minute"]["submission"]
    assert "the LMS says late" in found["last-minute"]["staff_notices"][0]
    assert found["nowhen"]["lateness"] is found["naive"]["lateness"] is None
    assert "names no zone" in found["naive"]["staff_notices"][0]
    rows = csv.DictReader((run.folder / "grades.csv").read_text("utf-8").splitlines())
    assert {row["id"]: row["late"] for row in rows} == WORDS
    assert late["reason"] in (run.folder / "reports" / "late.html").read_text("utf-8")
    assert late["reason"] in (run.folder / "index.html").read_text("utf-8")
    assert "your extended deadline was 3 Dec" in (run.folder / "reports" / "pair.html").read_text("utf-8")


def test_the_examples_of_the_documentation(tiny_course: Path) -> None:
    """The table for `assignment.toml` is read as it stands, and the table of examples is true."""
    text = (ROOT / "docs" / "deadlines.md").read_text("utf-8")
    (toml,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    with (tiny_course / "assignments" / "tiny" / "assignment.toml").open("a") as file:
        file.write(toml)
    assignment = load_assignment(tiny_course, "tiny")
    assert assignment.about.deadline is not None
    terms = msgspec.structs.replace(assignment.about.deadline, grace_minutes=0)
    rows = re.findall(r"^\| (\d) December, ([\d:]+)[^|]*\| (\d) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert len(rows) == 5
    for day, clock, days, score in rows:
        bare = ungraded(submission("a", f"2026-12-0{day}T{clock}-08:00"), assignment, MODE, "")
        result = with_lateness(msgspec.structs.replace(bare, status="graded", score=87.5), terms)
        assert result.lateness is not None
        assert (result.lateness.days, result.score) == (int(days), float(score))
        if clock == "02:59":
            assert f"> {result.lateness.reason}\n" in text


def test_a_result_is_made_from_its_deadline(late_course: Path) -> None:
    given = submission("late", "2026-12-03T10:59:00Z")
    before = fingerprint(given, load_assignment(late_course, "tiny"))
    path = late_course / "assignments" / "tiny" / "assignment.toml"
    path.write_text(path.read_text().replace("per_day = 10", "per_day = 20"))
    assert fingerprint(given, load_assignment(late_course, "tiny")) != before


def test_a_folder_has_no_times(
    grader: Command, tiny_class: Path, late_course: Path, tmp_path: Path, read_results: Results
) -> None:
    out = tmp_path / "out"
    ran = grader("grade", tiny_class, "--assignment", "tiny", "--out", out, "--course", late_course)
    assert ran.returncode == 0, ran.stderr
    assert {result["score"] for result in read_results(out).values()} == {100, 30, 0}
    assert "3 of unknown time" in ran.stdout
    assert "Nobody here has the ids of these extensions in assignment.toml: 12345." in ran.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("America/Los_Angeles", "America/Los_Angels", "there is no time zone 'America/Los_Angels'; did you mean"),
        ("2026-12-08", "2026-11-08", "line 18: `last_day` lies before `due`."),
        ("per_day = 10", "per_day = -10", "key `per_day`: expected `float` >= 0.0."),
        ("cap = 50", "cap = 500", "key `cap`: expected `float` <= 100.0."),
        ("T23:59\nzone", "\nzone", "key `due`: expected a date and time, as 2026-12-01T23:59."),
    ],
)
def test_a_deadline_that_cannot_be_meant(
    grader: Command, tiny_class: Path, late_course: Path, tmp_path: Path, old: str, new: str, words: str
) -> None:
    path = late_course / "assignments" / "tiny" / "assignment.toml"
    path.write_text(path.read_text().replace(old, new))
    ran = grader("grade", tiny_class, "--assignment", "tiny", "--out", tmp_path / "o", "--course", late_course)
    assert ran.returncode == 2
    assert words in ran.stderr
    assert not (tmp_path / "o").exists()


def test_the_kit_names_nobody(grader: Command, late_course: Path, tmp_path: Path) -> None:
    kit = tmp_path / "kit"
    assert grader("release", "tiny", "--out", kit, "--course", late_course).returncode == 0
    assert [path for path in kit.rglob("*") if path.is_file() and b"12345" in path.read_bytes()] == []
    (tmp_path / "tiny.py").write_text(RIGHT)
    ran = grader("check", tmp_path / "tiny.py", "--course", kit, "--json", tmp_path / "result.json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["lateness"] is None
