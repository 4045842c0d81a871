"""What is shipped: the wheel, the sdist and the released kit hold the public part of the course and nothing private."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CANARY = b"CANARY-" + b"PRIVATE"  # in two parts, so that this file is no finding
SHIPPED = ("grader", "assignments", "reference", "reports")
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built from a clean copy of what git would clone."""
    folder = tmp_path_factory.mktemp("dist")
    source = folder / "source"
    source.mkdir()
    for name in SHIPPED:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "CHANGELOG.md", "constraints.txt"):
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder


def contents(package: Path) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of every file in a wheel or sdist."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            for name in archive.namelist():
                yield name, archive.read(name)
        return
    with tarfile.open(package) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member)
            if file is not None:
                yield member.name, file.read()


def private_files() -> list[Path]:
    """Every file of the course that no student may have."""
    folders = [ROOT / "reference", *(ROOT / "assignments").glob("*/hidden"), *(ROOT / "assignments").glob("*/variants")]
    return [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".json")]


def test_every_private_file_has_a_canary_of_its_own() -> None:
    files = private_files()
    first_lines = [path.read_bytes().split(b"\n", 1)[0] for path in files]
    assert len(first_lines) > 100
    starts = {".py": b"# " + CANARY, ".toml": b"# " + CANARY, ".json": b'{"canary": "' + CANARY}
    assert all(line.startswith(starts[path.suffix]) for path, line in zip(files, first_lines, strict=True))
    assert len(set(first_lines)) == len(first_lines)


@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"])
def test_packages_hold_the_public_part_alone(built: Path, pattern: str) -> None:
    (package,) = built.glob(pattern)
    found = dict(contents(package))
    leaks = [name for name, content in found.items() if CANARY in content]
    assert leaks == []
    course = [name for name in found if "grader/skeleton/" not in name]  # what `grader new` writes is nobody's course
    assert not [name for name in course if "/hidden/" in name or "/variants/" in name or "/reference/" in name]
    prefix = "grader/course/" if pattern == "*.whl" else ""
    for wanted in ("assignments/attention/assignment.toml", "assignments/attention/handout/attention.py"):
        assert [name for name in found if name.endswith(prefix + wanted)], wanted
    assert [name for name in found if name.endswith("handout/misconceptions.json")]
    assert [name for name in found if name.endswith("reports/student.html.j2")]


@pytest.mark.full
def test_new_works_from_a_wheel(built: Path, tmp_path: Path) -> None:
    """Where there is no checkout, in which a course would be found: its folder has to be named."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    bare = {name: value for name, value in os.environ.items() if name != "GRADER_COURSE"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "grader.cli.main", *arguments],
            cwd=tmp_path,
            env={**bare, "PYTHONPATH": str(tmp_path / "installed"), "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )

    refused = run("new", "mine")
    assert refused.returncode == 2
    assert refused.stderr == "grader: Name the folder of your course with --course; it is made if it is not there.\n"
    assert run("new", "mine", "--course", "course").returncode == 0
    proven = run("validate", "mine", "--course", "course")
    assert proven.returncode == 0, proven.stdout + proven.stderr
    (tmp_path / "installed" / "assignments").mkdir()  # as in a checkout: that is the course then
    assert run("new", "mine").returncode == 0
    assert (tmp_path / "installed" / "reference" / "mine.py").is_file()


def test_build_refuses_symbolic_links(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT))
    try:
        from hatch_build import public_files
    finally:
        sys.path.remove(str(ROOT))
    handout = tmp_path / "assignments" / "a" / "handout"
    handout.mkdir(parents=True)
    (handout / "README.md").write_text("x")
    assert public_files(tmp_path) == [Path("assignments/a/handout/README.md")]
    (handout / "answers.py").symlink_to(tmp_path / "secret.py")
    with pytest.raises(ValueError, match="symbolic link"):
        public_files(tmp_path)


@pytest.mark.parametrize(
    "extensions",
    [
        "[deadline.extensions]\n7 = 2026-12-03T23:59:00",
        "[ \"deadline\" . 'extensions' ]",
        "deadline.extensions.7 = 2026-12-03T23:59",
        'x = 1\n  extensions."7" = 2026-12-03T23:59',
        "deadline = { due = 2026-12-01T23:59:00, extensions = {} }",
    ],
)
def test_build_refuses_to_ship_names_of_students(tmp_path: Path, extensions: str) -> None:
    sys.path.insert(0, str(ROOT))
    try:
        from hatch_build import public_files
    finally:
        sys.path.remove(str(ROOT))
    path = tmp_path / "assignments" / "a" / "assignment.toml"
    path.parent.mkdir(parents=True)
    path.write_text('hidden_topics = ["all file extensions."]\n# extensions = 3\n')
    assert public_files(tmp_path) == [Path("assignments/a/assignment.toml")]
    path.write_text(f'title = "A"\n{extensions}\n')
    with pytest.raises(ValueError, match="name students"):
        public_files(tmp_path)


def test_released_kit_works_and_holds_nothing_private(grader: Command, tmp_path: Path) -> None:
    kit = tmp_path / "kit"
    assert grader("release", "attention", "--out", kit).returncode == 0
    files = [path for path in kit.rglob("*") if path.is_file()]
    assert len(files) >= 5
    assert not [path for path in files if CANARY in path.read_bytes()]
    again = grader("release", "attention", "--out", kit)
    assert again.returncode == 2
    assert "not empty" in again.stderr
    assert grader("init", "attention", tmp_path / "hw", "--course", kit).returncode == 0
    wrong = ROOT / "examples" / "class" / "s06" / "attention.py"
    ran = grader("check", wrong, "--course", kit)
    assert ran.returncode == 1
    assert "softmax over the queries" in " ".join(ran.stdout.split())


@pytest.mark.full
@pytest.mark.parametrize("assignment", sorted(path.parent.name for path in ROOT.glob("assignments/*/handout")))
def test_public_values_and_records_are_what_validate_writes(grader: Command, tmp_path: Path, assignment: str) -> None:
    """Which runs every check on every variant."""
    course = tmp_path / "course"
    for name in ("assignments", "reference"):
        shutil.copytree(ROOT / name, course / name)
    path = course / "assignments" / assignment / "handout" / "misconceptions.json"
    before = json.loads(path.read_text("utf-8"))
    path.unlink()
    record = course / "assignments" / assignment / "variants" / "failures.json"
    recorded = json.loads(record.read_text("utf-8"))
    ran = grader("validate", assignment, "--no-mutants", "--write", "--course", course, seconds=1500)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    from grader.judge.diagnosis import same_value

    assert same_value(json.loads(path.read_text("utf-8")), before)
    assert json.loads(record.read_text("utf-8")) == recorded


@pytest.mark.full
def test_wheel_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
    """A student's first hour: install the wheel in a new environment, init, edit, check."""
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch==")]
    for what in (pins, ["-c", str(ROOT / "constraints.txt"), str(wheel)]):
        subprocess.run([python, "-m", "pip", "install", "-q", *what], check=True, capture_output=True)
    command = environment / "bin" / "grader"
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GRADER_COURSE")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command, *arguments], cwd=tmp_path, env=bare, capture_output=True, text=True, check=False
        )

    assert run("init", "attention").returncode == 0
    assert run("check", "attention").returncode == 1
    shutil.copy(ROOT / "examples" / "class" / "s02" / "attention.py", tmp_path / "attention" / "attention.py")
    ran = run("check", "attention")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "All public checks passed" in ran.stdout
    refused = run("grade", "attention", "--assignment", "attention", "--out", "out")
    assert refused.returncode == 2
    assert "--course" in refused.stderr
