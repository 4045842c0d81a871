"""`grader grade` on what platforms let people download, with and without a roster."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from downloads import as_folder, as_zip

from grader.batch.engines import Site
from grader.cli import grade as command
from grader.cli.regrade import Part
from grader.content import load_assignment
from grader.intake.source import find_submissions
from grader.model.result import GradeResult
from grader.pipeline import ungraded
from grader.store import Run

RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
WRONG = RIGHT.replace("2 * x", "x * x")
ROOT = Path(__file__).parent.parent
Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]


def grade(grader: Command, source: Path, out: Path, course: Path, *more: object) -> subprocess.CompletedProcess[str]:
    """`grader grade` for the tiny assignment."""
    return grader("grade", source, "--assignment", "tiny", "--out", out, "--course", course, *more)


def rows(out: Path) -> list[tuple[str, str, str, str, str]]:
    """(id, student, status, score, late) of each row of grades.csv."""
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return [(r["id"], r["student"], r["status"], r["score"], r["late"]) for r in csv.DictReader(file)]


CANVAS = {
    "oneilzoe_12345_987654_tiny.py": RIGHT,
    "garcíalópezana_LATE_12346_987660_tiny-2.py": WRONG,
    "team7_12347_987661_tiny.py": RIGHT,
    "chenwei_1001_987662_tiny.py": "",
    "studenttest_99_987663_tiny.py": RIGHT,
}
GRADEBOOK = """\
Student,ID,SIS User ID,SIS Login ID,Group,tiny (4711)
    Points Possible,,,,,100
"O'Neil, Zoë",12345,0017,zoneil,,
"García López, Ana",12346,0018,agarcia,,
"Roe, Jo",12347,0019,jroe,Team 7,
"Poe, Al",12348,0020,apoe,Team 7,
"Chen, Wei",1001,0021,wchen,,
"Chen, Wei",1002,0022,wchen2,,
"""


def test_a_download_of_canvas(grader: Command, tiny_course: Path, tmp_path: Path, read_results: Results) -> None:
    source, out = as_zip(tmp_path / "submissions.zip", CANVAS), tmp_path / "out"
    ran = grade(grader, source, out, tiny_course)
    assert ran.returncode == 0, ran.stderr
    title = "Recognised: Canvas download, 5 students, 1 late. If that is wrong, say --layout folders."
    assert title in ran.stderr
    plain = [
        ("chenwei_1001", "1001", "invalid", "0", "no"),
        ("garcialopezana_12346", "12346", "graded", "30", "yes"),
        ("oneilzoe_12345", "12345", "graded", "100", "no"),
        ("studenttest_99", "99", "graded", "100", "no"),
        ("team7_12347", "12347", "graded", "100", "no"),
    ]
    assert rows(out) == plain
    assert not (out / "roster.json").exists()

    (tmp_path / "gradebook.csv").write_text(GRADEBOOK, "utf-16")
    ran = grade(grader, source, out, tiny_course, "--roster", tmp_path / "gradebook.csv")
    assert ran.returncode == 0, ran.stderr
    assert "1 group, 4 students" in ran.stderr
    assert "Without a submission: Wei Chen (1002)." in ran.stderr
    assert "studenttest_99 (nobody of the roster has this id or name)" in ran.stderr
    with_roster = [*plain, ("team7_12347", "12348", "graded", "100", "no"), ("", "1002", "missing", "", "")]
    assert rows(out) == with_roster
    assert read_results(out)["oneilzoe_12345"]["submission"]["name"] == "Zoë O'Neil"
    index = (out / "index.html").read_text("utf-8")
    assert all(name in index for name in ("Wei Chen", "Jo Roe, Al Poe", "nobody of the roster has this id or name"))

    ran = grade(grader, source, out, tiny_course)  # the roster stays with the run
    assert "Nothing new to grade" in ran.stderr
    assert rows(out) == with_roster
    (out / "grades.csv").unlink()
    assert grader("report", out, "--course", tiny_course).returncode == 0
    assert rows(out) == with_roster
    assert (out / "index.html").read_text("utf-8") == index


MOODLE = {
    "Zoë ONeil_29123_assignsubmission_file/tiny.py": RIGHT,
    "Wei Chen_29124_assignsubmission_file/hw/tiny.py": WRONG,
    "Team 7_512_assignsubmission_file/tiny.py": RIGHT,
    "Default group_assignsubmission_file/notes.txt": "x",
}
PARTICIPANTS = """\
Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Gruppe
Zoë;O'Neil;007;zoe@example.edu;
Wei;Chen;008;wei@example.edu;
Wei;Chen;009;wei2@example.edu;
Jo;Roe;010;jo@example.edu;Team 7
Al;Poe;011;al@example.edu;Team 7
"""


@pytest.mark.full
def test_a_download_of_moodle(grader: Command, tiny_course: Path, tmp_path: Path) -> None:
    source, out = as_zip(tmp_path / "class.zip", MOODLE), tmp_path / "out"
    (tmp_path / "list.csv").write_bytes(PARTICIPANTS.encode("cp1252"))
    ran = grade(grader, source, out, tiny_course, "--roster", tmp_path / "list.csv")
    assert ran.returncode == 0, ran.stderr
    assert "Recognised: Moodle download" in ran.stderr
    assert rows(out) == [
        ("Default-group", "Default group", "invalid", "0", ""),
        ("Team-7_512", "010", "graded", "100", ""),
        ("Team-7_512", "011", "graded", "100", ""),
        ("Wei-Chen_29124", "29124", "graded", "30", ""),
        ("Zoe-ONeil_29123", "007", "graded", "100", ""),
        ("", "008", "missing", "", ""),
        ("", "009", "missing", "", ""),
    ]
    table = (out / "grades.csv").read_text("utf-8")
    assert "Held for staff: 2 people are called so: Wei Chen (008), Wei Chen (009)." in table
    assert table.count("Perhaps this person's work is Wei-Chen_29124.") == 2


INDEX = """\
submission_11:
  :submitters:
  - :name: Zoë O'Neil
    :sid: '0017'
    :email: zoe@example.edu
  - :name: Ana García López
    :sid: '0018'
    :email: ana@example.edu
  :created_at: 2026-11-29 10:14:00.000000000 Z
submission_12:
  :submitters:
  - :name: Wei Chen
    :sid:
    :email: wei@example.edu
  :created_at: 2026-12-02 10:14:00.000000000 Z
"""
GRADESCOPE = {
    "assignment_1_export/submission_metadata.yml": INDEX,
    "assignment_1_export/submission_11/tiny.py": RIGHT,
    "assignment_1_export/submission_12/tiny.py": RIGHT,
}
PEOPLE = """\
Name,SID,Email,Extension
Zoë O'Neil,0017,zoe@example.edu,
Ana García López,0018,ana@example.edu,
Wei Chen,0019,wei@example.edu,2026-12-03
Jo Roe,0020,jo@example.edu,
"""


@pytest.mark.full
@pytest.mark.parametrize("packed", [True, False])
def test_an_export_of_gradescope_with_groups(
    grader: Command, tiny_course: Path, tmp_path: Path, read_results: Results, packed: bool
) -> None:
    about = tiny_course / "assignments" / "tiny" / "assignment.toml"
    about.write_text(about.read_text() + '\n[deadline]\ndue = 2026-11-30T23:59:00\nzone = "UTC"\nper_day = 10\n')
    make = as_zip if packed else as_folder
    source, out = make(tmp_path / ("export.zip" if packed else "export"), GRADESCOPE), tmp_path / "out"
    ran = grade(grader, source, out, tiny_course)
    assert ran.returncode == 0, ran.stderr
    assert "Recognised: Gradescope export, 1 group, 1 student." in ran.stderr
    assert rows(out) == [
        ("submission_11", "0017", "graded", "100", "no"),
        ("submission_11", "0018", "graded", "100", "no"),
        ("submission_12", "wei@example.edu", "graded", "80", "yes"),
    ]
    if not packed:
        return
    (tmp_path / "people.csv").write_text(PEOPLE, "utf-8-sig")
    ran = grade(grader, source, out, tiny_course, "--roster", tmp_path / "people.csv")
    assert ran.returncode == 0, ran.stderr
    assert rows(out) == [
        ("submission_11", "0017", "graded", "100", "no"),
        ("submission_11", "0018", "graded", "100", "no"),
        ("submission_12", "0019", "graded", "100", "no"),
        ("", "0020", "missing", "", ""),
    ]
    assert read_results(out)["submission_12"]["submission"]["extension"] == "2026-12-03T23:59:00"


def test_a_roster_that_cannot_be_read_loses_nothing(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (tmp_path / "good.csv").write_text("id,name\nada,Ada\neve,Eve\n")
    (tmp_path / "bad.csv").write_text("points,comment\n1,good\n")
    assert grade(grader, tiny_class, out, tiny_course, "--roster", tmp_path / "good.csv").returncode == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for name, words in (("bad.csv", "no column is called id"), ("none.csv", "cannot be read")):
        ran = grade(grader, tiny_class, out, tiny_course, "--roster", tmp_path / name, "--fresh")
        assert ran.returncode == 2
        assert words in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_a_layout_that_is_not_there(grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path) -> None:
    ran = grade(grader, tiny_class, tmp_path / "out", tiny_course, "--layout", "canvas")
    assert ran.returncode == 2
    assert "SOURCE is no Canvas download" in ran.stderr
    assert not (tmp_path / "out").exists()


class _Slots:
    """Slots that grade nothing, one submission after the other."""

    def __enter__(self) -> _Slots:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def grade_all(self, work: list[Any], grade_one: Callable[[Any, Any], Any]) -> Any:
        """As the real ones, in this thread."""
        yield from (grade_one(read(), self) for read in work)


@pytest.mark.parametrize("changed", [set(), {"s0"}, {"s3", "s4"}, {"s9"}, {f"s{number}" for number in range(10)}])
@pytest.mark.parametrize("jobs", [1, 3])
def test_each_submission_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: set[str], jobs: int
) -> None:
    assignment = load_assignment(ROOT / "tests" / "course", "tiny")
    run = Run(tmp_path / "out")
    source = as_folder(tmp_path / "class", {f"s{number}/tiny.py": RIGHT for number in range(10)})
    reads: list[str] = []
    graded: list[str] = []

    def watched(name: str, read: Callable[[], Any]) -> Callable[[], Any]:
        def once() -> Any:
            reads.append(name)
            return read()

        return once

    def grade_one(submission: Any, slot: Any, course: Any) -> GradeResult:
        graded.append(submission.id)
        mark = command.fingerprint(submission, assignment)
        return msgspec.structs.replace(ungraded(submission, assignment, "B", ""), status="graded", fingerprint=mark)

    site = Site("B", "B", jobs, lambda _: _Slots())
    monkeypatch.setattr(command, "grade", grade_one)
    monkeypatch.setattr(command, "known_misconceptions", lambda *_: None)
    for round_number in range(2):
        work = [watched(name, read) for name, read in find_submissions(source, "tiny.py").submissions]
        command._Batch(ROOT / "tests" / "course", assignment, site, run, False, Part(run, None, True), False).grade(
            work
        )
        assert sorted(reads) == [f"s{number}" for number in range(10)]
        assert sorted(graded) == (sorted(changed) if round_number else [f"s{number}" for number in range(10)])
        reads.clear()
        graded.clear()
        for name in changed:
            (source / name / "tiny.py").write_text(WRONG)
    assert json.loads((tmp_path / "out" / "results" / "s3.json").read_text())["submission"]["id"] == "s3"
