"""`grader new` end to end: a skeleton that proves itself, in a course of its own or in one that is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.content import load_private_assignment

ROOT = Path(__file__).parent.parent
SKELETON = ROOT / "grader" / "skeleton"
CANARY = "CANARY-" + "PRIVATE"  # in two parts, so that this file is no finding
PRIVATE = {"hidden", "variants", "reference"}
Command = Callable[..., subprocess.CompletedProcess[str]]


def everything(folder: Path) -> dict[Path, bytes]:
    """Every file in a folder, with what it holds."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def texts(folder: Path) -> dict[Path, str]:
    """The same as text."""
    return {path: content.decode("utf-8") for path, content in everything(folder).items()}


@pytest.fixture
def made(grader: Command, tmp_path: Path) -> Path:
    """A course that `grader new pooling` made."""
    ran = grader("new", "pooling", "--course", "course", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    told = [tmp_path / line for line in ran.stdout.splitlines()]
    assert told == [tmp_path / "course" / path for path in everything(tmp_path / "course")]
    assert "grader validate pooling --course course\n" in ran.stderr
    return tmp_path / "course"


def test_the_skeleton_proves_itself(grader: Command, made: Path) -> None:
    ran = grader("validate", "pooling", "--course", made)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"(\d+) mutants of the reference, \1 killed: 100.0%", ran.stdout)
    assert ran.stdout.splitlines()[-1] == "No surprises."
    about = load_private_assignment(made, "pooling").about
    assert (about.title, about.files) == ("Pooling", ["pooling.py"])


def test_the_skeleton_shows_what_a_check_can_say(made: Path) -> None:
    home = made / "assignments" / "pooling"
    checks = (home / "handout" / "check_pooling.py").read_text() + (home / "hidden" / "test_pooling.py").read_text()
    for shown in ("@points(", "@group(", "@hint(", "@needs(", "expect.close(", "expect.raises(", "reference, rng)"):
        assert shown in checks
    assert "reference" not in (home / "handout" / "check_pooling.py").read_text().partition("import torch")[2]
    sizes = re.search(r"^B, T, D = (\d+), (\d+), (\d+)$", checks, re.MULTILINE)
    assert sizes is not None
    assert len({1, *map(int, sizes.groups())}) == 4


def test_a_new_assignment_in_a_course_that_has_some(grader: Command, tiny_course: Path) -> None:
    before = everything(tiny_course)
    ran = grader("new", "softmax_2", "--course", tiny_course)
    assert ran.returncode == 0, ran.stderr
    after = everything(tiny_course)
    assert before.items() <= after.items()
    new = [path.as_posix() for path in after.keys() - before.keys()]
    assert all(path.startswith("assignments/softmax_2/") or path == "reference/softmax_2.py" for path in new)
    assert 'title = "Softmax 2"' in (tiny_course / "assignments" / "softmax_2" / "assignment.toml").read_text()
    assert not [path for path, text in texts(tiny_course).items() if "__ID__" in text or "__TITLE__" in text]


def test_the_course_may_be_named_in_the_environment(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "grader.cli.main", "new", "pooling"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "GRADER_COURSE": str(tmp_path / "mine")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "mine" / "reference" / "pooling.py").is_file()
    assert "grader validate pooling\n" in ran.stderr


@pytest.mark.parametrize("there", ["assignments/pooling/notes.txt", "reference/pooling.py", "dangling link"])
def test_nothing_is_overwritten(grader: Command, tiny_course: Path, there: str) -> None:
    path = tiny_course / there
    if there == "dangling link":
        path = tiny_course / "reference" / "pooling.py"
        path.symlink_to(tiny_course.parent / "elsewhere.py")
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    before = everything(tiny_course)
    ran = grader("new", "pooling", "--course", tiny_course)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert "is already there; nothing was written." in ran.stderr
    assert everything(tiny_course) == before
    assert not (tiny_course.parent / "elsewhere.py").exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Pooling", "take a small letter first"),
        ("2nd", "take a small letter first"),
        ("mean-pooling", "take a small letter first"),
        ("../pooling", "take a small letter first"),
        ("", "take a small letter first"),
        ("p" * 42, "41 at most"),
        ("lambda", "a word of Python's own"),
        ("random", "would hide the module random"),
        ("torch", "would hide the module torch"),
    ],
)
def test_an_id_that_cannot_be_one_is_refused(grader: Command, tmp_path: Path, name: str, why: str) -> None:
    ran = grader("new", name, "--course", tmp_path / "course")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert why in ran.stderr
    assert ran.stderr.endswith("Nothing was written.\n")
    assert len(ran.stderr.splitlines()) == 1
    assert not (tmp_path / "course").exists()


def test_a_course_that_cannot_be_written_is_told(grader: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    ran = grader("new", "pooling", "--course", tmp_path / "file")
    assert ran.returncode == 2
    assert "is a file; name the folder of your course." in ran.stderr
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "assignments").write_text("mine")
    ran = grader("new", "pooling", "--course", tmp_path / "course")
    assert ran.returncode == 2
    assert "cannot be written" in ran.stderr
    assert [path.name for path in (tmp_path / "course").rglob("*")] == ["assignments"]
    assert everything(tmp_path / "course") == {Path("assignments"): b"mine"}


@pytest.mark.parametrize("name", ["pooling", "hidden", "reference_2", "assignments"])
def test_private_files_alone_have_a_canary_each(grader: Command, tmp_path: Path, name: str) -> None:
    course = tmp_path / "course"
    assert grader("new", name, "--course", course).returncode == 0
    lines = []
    for path, text in texts(course).items():
        private = path.parts[0] == "reference" or path.parts[2] in PRIVATE
        assert (CANARY in text) == private, path
        lines += [text.splitlines()[0]] if private else []
    assert len(lines) >= 8
    assert len(set(lines)) == len(lines)
    assert all(re.fullmatch(rf"# {CANARY}-{name}-[a-z0-9_-]+", line) for line in lines)


def test_the_kit_of_a_new_assignment_holds_its_public_files(grader: Command, made: Path, tmp_path: Path) -> None:
    kit = tmp_path / "kit"
    assert grader("release", "pooling", "--course", made, "--out", kit).returncode == 0
    files = texts(kit)
    assert {path.name for path in files} == {"assignment.toml", "README.md", "pooling.py", "check_pooling.py"}
    assert not [path for path, text in files.items() if CANARY in text]


def test_the_skeleton_itself_holds_no_canary_and_no_module() -> None:
    """It is shipped: packages are searched for canaries; a file of Python in it would be one of the package's."""
    files = [path for path in SKELETON.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert {path.suffix for path in files} == {".txt"}
    assert not [path for path in files if CANARY in path.read_text("utf-8")]


def test_what_is_made_is_written_as_the_project_is(made: Path) -> None:
    for arguments in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *arguments, "--config", str(ROOT / "pyproject.toml"), str(made)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
