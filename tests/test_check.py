"""`grader init` and `grader check` as a student uses them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest
from notebooks import notebook

from grader.model.jsonform import result_schema

ROOT = Path(__file__).parent.parent
CLASS = ROOT / "examples" / "class"
RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x\n"
Command = Callable[..., subprocess.CompletedProcess[str]]


def test_init_makes_a_folder_and_never_overwrites(grader: Command, tmp_path: Path) -> None:
    ran = grader("init", "attention", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    folder = tmp_path / "attention"
    assert {path.name for path in folder.iterdir()} >= {"attention.py", "README.md", "check_attention.py"}
    assert "CANARY-PRIVATE" not in "".join(path.read_text("utf-8") for path in folder.iterdir())
    (folder / "attention.py").write_text("mine")
    again = grader("init", "attention", cwd=tmp_path)
    assert again.returncode == 2
    assert "nothing was written" in again.stderr
    assert (folder / "attention.py").read_text() == "mine"


def test_stub_fails_every_check_and_says_what_is_next(grader: Command, tmp_path: Path) -> None:
    grader("init", "attention", tmp_path / "hw")
    ran = grader("check", tmp_path / "hw")
    assert ran.returncode == 1
    assert "0 of 30 public points, 0 of 8 checks passed" in ran.stdout
    assert "not written yet at attention.py" in ran.stdout
    assert "Hidden checks will still look at: visibility with padding" in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr


def test_right_work_passes(grader: Command) -> None:
    ran = grader("check", CLASS / "s01" / "attention.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "30 of 30 public points" in ran.stdout
    assert "All public checks passed. Hidden checks will still look at" in ran.stdout
    assert ran.stderr == ""


def test_wrong_work_shows_what_differs_and_the_misconception(grader: Command, tmp_path: Path) -> None:
    ran = grader("check", CLASS / "s06", "--json", tmp_path / "r.json", "--html", tmp_path / "r.html")
    assert ran.returncode == 1
    assert "You take the softmax over the queries" in " ".join(ran.stdout.split())
    assert "first at [0, 0, 0]: yours 0.253" in " ".join(ran.stdout.split())
    assert "expected 0.24420001" in ran.stdout
    result = json.loads((tmp_path / "r.json").read_text("utf-8"))
    jsonschema.validate(result, result_schema())
    assert result["max_score"] == 30
    assert {check["visibility"] for check in result["checks"]} == {"visible"}
    html = (tmp_path / "r.html").read_text("utf-8")
    assert "softmax over the queries" in html
    assert "What hidden checks will still look at" in html


@pytest.mark.full
def test_checks_agree_with_grade(grader: Command, tmp_path: Path) -> None:
    source = CLASS / "s05"
    grader("check", source, "--json", tmp_path / "r.json")
    grader("grade", source, "--assignment", "attention", "--out", tmp_path / "out")
    graded = json.loads((tmp_path / "out" / "results" / "s05.json").read_text("utf-8"))
    checked = json.loads((tmp_path / "r.json").read_text("utf-8"))

    def shared(result: dict) -> list:  # type: ignore[type-arg]
        keys = ("id", "title", "status", "points", "max_points", "observations")
        return [[check[key] for key in keys] for check in result["checks"] if check["visibility"] == "visible"]

    assert shared(checked) == shared(graded)
    assert len(shared(checked)) == 8


def test_file_that_cannot_be_imported(grader: Command) -> None:
    ran = grader("check", CLASS / "s09")
    assert ran.returncode == 1
    assert "SyntaxError at attention.py, line 13" in " ".join(ran.stdout.split())


def test_other_name_needs_the_assignment(grader: Command, tmp_path: Path) -> None:
    file = tmp_path / "my work.py"
    file.write_bytes((CLASS / "s01" / "attention.py").read_bytes())
    ran = grader("check", file)
    assert ran.returncode == 2
    assert "--assignment" in ran.stderr
    assert grader("check", file, "--assignment", "attention").returncode == 0


RIGHT = "def double(x):\n    return 2 * x\n"


def test_a_notebook_and_a_folder_with_one(grader: Command, tiny_course: Path, tmp_path: Path) -> None:
    wrong = RIGHT.replace("2 * x", "MISSING * x")
    (tmp_path / "tiny.ipynb").write_bytes(notebook("%matplotlib inline\nimport torch", wrong))
    for path in (tmp_path / "tiny.ipynb", tmp_path):
        ran = grader("check", path, "--course", tiny_course)
        assert ran.returncode == 1, ran.stderr
        assert "NameError at tiny.ipynb, cell 2, line 2, in double" in ran.stdout
        assert "Cell 2, line 2 uses `MISSING`, which no cell defines" in " ".join(ran.stdout.split())
    (tmp_path / "tiny.ipynb").write_bytes(notebook(RIGHT))
    ran = grader("check", tmp_path, "--course", tiny_course)
    assert ran.returncode == 0, ran.stdout
    assert "40 of 40 public points" in ran.stdout


def test_a_renamed_notebook_and_one_that_is_found_by_its_content(
    grader: Command, tiny_course: Path, tmp_path: Path
) -> None:
    (tmp_path / "tiny (1).ipynb").write_bytes(notebook(RIGHT))
    ran = grader("check", tmp_path, "--course", tiny_course)
    assert ran.returncode == 0, ran.stderr
    assert "tiny (1).ipynb was checked as tiny.ipynb." in ran.stdout
    (tmp_path / "tiny (1).ipynb").rename(tmp_path / "q3 JD.ipynb")
    assert grader("check", tmp_path, "--course", tiny_course).returncode == 2
    (tmp_path / "q3 JD.ipynb").write_bytes(notebook(f"{RIGHT}def total(x): return x.sum()"))
    (tmp_path / "notes.py").write_text("x = 1")
    ran = grader("check", tmp_path, "--course", tiny_course, "--assignment", "tiny")
    assert ran.returncode == 0, ran.stderr
    assert "q3 JD.ipynb was checked as tiny.ipynb." in ran.stdout


def test_both_a_file_and_a_notebook(grader: Command, tiny_course: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(RIGHT)
    (tmp_path / "tiny.ipynb").write_bytes(notebook("x = 1"))
    ran = grader("check", tmp_path, "--course", tiny_course)
    assert ran.returncode == 0, ran.stderr
    assert "tiny.py was checked, and not tiny.ipynb" in " ".join(ran.stdout.split())
    ran = grader("check", tmp_path / "tiny.ipynb", "--course", tiny_course)
    assert ran.returncode == 1
    assert "Of both, tiny.py would be graded" in " ".join(ran.stdout.split())


def test_current_folder_is_the_default(grader: Command) -> None:
    assert grader("check", cwd=CLASS / "s01").returncode == 0


def test_broken_public_check_is_not_the_students(grader: Command, tiny_course: Path, tmp_path: Path) -> None:
    path = tiny_course / "assignments" / "tiny" / "handout" / "check_tiny.py"
    path.write_text(path.read_text().replace("    expect.close(", "    1 / 0\n    expect.close("))
    (tmp_path / "tiny.py").write_text("def double(x):\n    return 2 * x\n")
    ran = grader("check", tmp_path / "tiny.py", "--course", tiny_course)
    assert ran.returncode == 3
    assert "not your doing" in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr


@pytest.fixture
def watching(tiny_course: Path, tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A student's file with a mistake that is being watched, and the log of what was said."""
    folder = tmp_path / "hw"
    folder.mkdir()
    file = folder / "tiny.py"
    file.write_text(WRONG)
    log = tmp_path / "log.txt"
    with log.open("w") as output:
        running = subprocess.Popen(
            [sys.executable, "-m", "grader.cli.main", "check", folder, "--watch", "--course", tiny_course],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
        )
        try:
            wait_for(log, "Watching")
            assert "0 of 40 public points" in log.read_text()
            yield file, log
        finally:
            running.send_signal(signal.SIGINT)
            assert running.wait(30) in (0, 130)


def test_watch_checks_again_after_a_save_and_says_what_changed(watching: tuple[Path, Path]) -> None:
    file, log = watching
    file.write_text(RIGHT)
    wait_for(log, "Since the last check:")
    told = log.read_text().split("Since the last check:")[1]
    assert "0 → 40 of 40 public points" in told
    assert "✓ passes now: double(x) is twice x." in told
    file.write_text(WRONG)
    wait_for(log, "✗ fails now: double(x) is twice x.")


def test_watch_survives_what_editors_do(watching: tuple[Path, Path]) -> None:
    file, log = watching
    file.write_text("def double(x:\n    return 2 *")  # half a file
    wait_for(log, "the file cannot be checked any more")
    beside = file.with_name("tiny.py~new")
    beside.write_text(RIGHT)
    os.replace(beside, file)  # as most editors save
    wait_for(log, "40 of 40 public points")
    wait_for(log, "the file can be checked again")
    file.rename(file.with_name("tiny.bak"))
    wait_for(log, "tiny.py cannot be read")
    file.write_bytes(b"")
    file.write_text(WRONG)
    wait_for(log, "✗ fails now: double(x) is twice x.", "tiny.py cannot be read")


def test_watch_does_not_check_what_did_not_change(watching: tuple[Path, Path]) -> None:
    file, log = watching
    os.utime(file)
    file.write_text(WRONG)
    file.write_text(WRONG + "# the end\n")
    wait_for(log, "nothing: the same checks pass and fail")
    assert log.read_text().count("public points") == 2


def wait_for(log: Path, text: str, after: str | None = None) -> None:
    """Until a log holds a text, behind the last place of another one if that is given; fails after a minute."""
    deadline = time.monotonic() + 60
    while text not in (log.read_text() if after is None else log.read_text().rpartition(after)[2]):
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
