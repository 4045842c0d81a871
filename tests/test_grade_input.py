"""What `grader grade` makes of bad input, of odd folders, and of classes that change."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
ROOT = Path(__file__).parent.parent
Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]


def grade(grader: Command, source: Path, out: Path, course: Path, *more: object) -> subprocess.CompletedProcess[str]:
    """`grader grade` for the tiny assignment."""
    return grader("grade", source, "--assignment", "tiny", "--out", out, "--course", course, *more)


BAD = {
    "no source": (["grade", "{tmp}/none", "--assignment", "tiny", "--out", "{tmp}/o"], "does not exist"),
    "unknown assignment": (["grade", "{class}", "--assignment", "tinny", "--out", "{tmp}/o"], "Did you mean tiny?"),
    "bad archive": (["grade", "{tmp}/bad.zip", "--assignment", "tiny", "--out", "{tmp}/o"], "cannot be unpacked"),
    "out is a file": (["grade", "{class}", "--assignment", "tiny", "--out", "{tmp}/file"], "is a file"),
    "empty source": (["grade", "{tmp}/empty", "--assignment", "tiny", "--out", "{tmp}/o"], "holds no submission"),
    "no option": (["grade", "{class}", "--assignment", "tiny"], "--out"),
    "check nothing": (["check", "{tmp}/empty"], "holds none of"),
    "report nothing": (["report", "{tmp}/empty"], "holds no run"),
    "no course": (["check", "{tmp}/empty", "--course", "{tmp}/empty"], "holds no folder"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, case: str
) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 nonsense")
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    template, words = BAD[case]
    arguments = [text.format(tmp=tmp_path, **{"class": tiny_class}) for text in template]
    if "--course" not in arguments:
        arguments += ["--course", str(tiny_course)]
    ran = grader(*arguments)
    assert ran.returncode == 2
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""
    assert not (tmp_path / "o").exists()


def test_typo_in_assignment_toml(grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path) -> None:
    path = tiny_course / "assignments" / "tiny" / "assignment.toml"
    path.write_text(path.read_text().replace("check_seconds", "check_secnods"))
    ran = grade(grader, tiny_class, tmp_path / "o", tiny_course)
    assert ran.returncode == 2
    assert "line 10" in ran.stderr
    assert "check_secnods" in ran.stderr
    assert "did you mean `check_seconds`?" in ran.stderr
    assert not (tmp_path / "o").exists()


def test_public_part_alone_cannot_grade(grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path) -> None:
    (tiny_course / "reference" / "tiny.py").unlink()
    ran = grade(grader, tiny_class, tmp_path / "o", tiny_course)
    assert ran.returncode == 2
    assert "--course" in ran.stderr


def test_report_renders_again(grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    grade(grader, tiny_class, out, tiny_course)
    pages = {path: path.read_bytes() for path in [*(out / "reports").iterdir(), out / "index.html"]}
    for path in pages:
        path.unlink()
    ran = grader("report", out, "--course", tiny_course)
    assert ran.returncode == 0
    assert {path: path.read_bytes() for path in pages} == pages


@pytest.mark.full
def test_who_comes_and_goes_moves_nobodys_result(
    grader: Command, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    source, out = tmp_path / "class", tmp_path / "out"
    for name in ("李雷", "王伟"):
        (source / name).mkdir(parents=True)
        (source / name / "tiny.py").write_text(RIGHT)
    grade(grader, source, out, tiny_course)
    before = {result["submission"]["student"]: name for name, result in read_results(out).items()}
    assert len(before) == 2
    (source / "张三").mkdir()
    (source / "张三" / "tiny.py").write_text("def double(x):\n    return x\n")
    shutil.rmtree(source / "李雷")
    grade(grader, source, out, tiny_course)
    after = {result["submission"]["student"]: name for name, result in read_results(out).items()}
    assert {student: after[student] for student in before} == before
    assert len(after) == 3
    reports = {name: (out / "reports" / f"{name}.html").read_text("utf-8") for name in after.values()}
    assert all(student in reports[name] for student, name in after.items())


def test_another_assignment_does_not_mix(grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    grade(grader, tiny_class, out, tiny_course)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    source = ROOT / "examples" / "class-mlm"
    ran = grader("grade", source, "--assignment", "mlm_loss", "--out", out)
    assert ran.returncode == 2
    assert "holds results of tiny" in ran.stderr
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_a_missing_report_is_rendered_again(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    grade(grader, tiny_class, out, tiny_course)
    report = out / "reports" / "ada.html"
    text = report.read_bytes()
    report.unlink()
    assert "Nothing new" in grade(grader, tiny_class, out, tiny_course).stderr
    assert report.read_bytes() == text


def test_out_inside_source_is_no_student(
    grader: Command, tiny_class: Path, tiny_course: Path, read_results: Results
) -> None:
    out = tiny_class / "graded"
    for _ in range(2):
        assert grade(grader, tiny_class, out, tiny_course).returncode == 0
    assert sorted(read_results(out)) == ["ada", "bob", "cyd"]
    ran = grade(grader, tiny_class, tiny_class, tiny_course)
    assert ran.returncode == 2
    assert "is SOURCE itself" in ran.stderr


def test_one_bad_member_of_a_class_zip_is_its_owners(
    grader: Command, tiny_course: Path, tmp_path: Path, read_results: Results
) -> None:
    source, out = tmp_path / "class.zip", tmp_path / "out"
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann/tiny.py", RIGHT)
        archive.writestr("ben/tiny.py", RIGHT)
        archive.writestr("ben/weights.bin", bytes((20 << 20) + 1))
    assert grade(grader, source, out, tiny_course).returncode == 0
    found = read_results(out)
    assert (found["ann"]["status"], found["ben"]["status"]) == ("graded", "invalid")
    assert "weights.bin" in found["ben"]["reason"]


@pytest.mark.parametrize(("key", "value"), [("check_seconds", -3), ("check_seconds", 0), ("import_seconds", 0)])
def test_limits_that_would_fail_everybody(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, key: str, value: int
) -> None:
    path = tiny_course / "assignments" / "tiny" / "assignment.toml"
    path.write_text("".join(f"{key} = {value}\n" if key in line else line for line in path.open()))
    ran = grade(grader, tiny_class, tmp_path / "o", tiny_course)
    assert ran.returncode == 2
    assert f"key `{key}`" in ran.stderr
    assert not (tmp_path / "o").exists()
