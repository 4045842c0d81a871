"""`grader grade --only` and `--failed`: a part of a class again, before and after, and nobody's mark falls unasked."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]
HIDDEN = Path("assignments", "tiny", "hidden", "test_tiny.py")


@pytest.fixture
def arguments(tiny_course: Path, tiny_class: Path, tmp_path: Path) -> list[object]:
    """`grade` of the tiny class."""
    return ["grade", tiny_class, "--assignment", "tiny", "--out", tmp_path / "out", "--course", tiny_course]


@pytest.mark.full
def test_only_a_part_is_graded(
    grader: Command, arguments: list[object], tiny_class: Path, tmp_path: Path, read_results: Results
) -> None:
    assert grader(*arguments).returncode == 0
    before = read_results(tmp_path / "out")
    good = (tiny_class / "ada" / "tiny.py").read_text()
    (tiny_class / "bob" / "tiny.py").write_text(good)
    (tiny_class / "cyd" / "tiny.py").write_text(good.replace("x.sum()", "x.mean()"))
    ran = grader(*arguments, "--only", "bob")
    assert ran.returncode == 0, ran.stderr
    after = read_results(tmp_path / "out")
    assert (before["bob"]["score"], after["bob"]["score"]) == (30, 100)
    assert (after["ada"], after["cyd"]) == (before["ada"], before["cyd"])
    words = " ".join(ran.stdout.split())
    assert "bob 30 100 double: now passed, 40 points instead of 0 double_negative: now passed" in words
    again = grader(*arguments, "--failed")
    assert again.returncode == 0, again.stderr
    assert "cyd 0 (invalid) 70 graded instead of invalid" in " ".join(again.stdout.split())
    assert "Nobody in SOURCE has a result that is ungraded or invalid." in grader(*arguments, "--failed").stderr


@pytest.mark.full
def test_a_lower_result_is_taken_only_when_asked(
    grader: Command, arguments: list[object], tiny_class: Path, tmp_path: Path, read_results: Results
) -> None:
    assert grader(*arguments).returncode == 0
    before = read_results(tmp_path / "out")
    (tiny_class / "ada" / "tiny.py").write_text((tiny_class / "bob" / "tiny.py").read_text())
    kept = grader(*arguments, "--only", "ada")
    assert kept.returncode == 0, kept.stderr
    assert "Not taken, since marks would fall: ada (100, would be 30). --accept-lower takes them." in kept.stderr
    assert read_results(tmp_path / "out") == before
    assert "ada,ada,graded,100" in (tmp_path / "out" / "grades.csv").read_text("utf-8")
    taken = grader(*arguments, "--only", "ada", "--accept-lower")
    assert taken.returncode == 0, taken.stderr
    assert read_results(tmp_path / "out")["ada"]["score"] == 30


@pytest.mark.full
def test_a_whole_run_tells_whose_marks_fell_with_the_same_files(
    grader: Command, arguments: list[object], tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    assert grader(*arguments).returncode == 0
    path = tiny_course / HIDDEN
    path.write_text(
        path.read_text().replace("student.total(x), reference.total(x)", "student.double(x), 2.0 * x + x.eq(1.0) * 0")
    )
    ran = grader(*arguments)
    assert ran.returncode == 0, ran.stderr
    assert "Lower than before, with the same files: bob (30, now 0)." in ran.stderr
    assert read_results(tmp_path / "out")["bob"]["score"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--only", "bobb"], "There is no submission 'bobb' in SOURCE. Did you mean bob?"),
        (["--only", "ada", "--fresh"], "--fresh grades everything again, --only and --failed a part"),
        (["--accept-lower"], "--accept-lower goes with --only ID or --failed"),
    ],
)
def test_a_part_that_cannot_be_meant(
    grader: Command, arguments: list[object], tmp_path: Path, options: list[str], words: str
) -> None:
    ran = grader(*arguments, *options)
    assert ran.returncode == 2
    assert words in ran.stderr
    assert not (tmp_path / "out").exists()
