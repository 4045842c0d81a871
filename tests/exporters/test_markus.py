"""MarkUs: what its server makes of the objects that a custom tester prints, and the script that prints them."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from containers import SOURCES, Container, Workshop, needs_container
from views import HOSTILE, KIT, check, graded, hostile, invalid

from grader.exporters.base import Graded, Told
from grader.exporters.markus import MarkUs

KEYS = {"name", "output", "marks_earned", "marks_total", "status", "time"}


def objects(output: str) -> list[dict[str, Any]]:
    """What MarkUs reads, one JSON object after another, each after its documented rules; all else is malformed."""
    decoder, found, rest = json.JSONDecoder(), [], output.strip()
    while rest:
        one, end = decoder.raw_decode(rest)
        assert isinstance(one, dict)
        found.append(one)
        rest = rest[end:].lstrip()
    for one in found:
        if not {"annotations", "tags", "extra_marks", "overall_comment"} & set(one):
            check_test(one)
    return found


def check_test(one: dict[str, Any]) -> None:
    """The rules for the object of a test."""
    assert set(one) == KEYS
    assert isinstance(one["name"], str)
    assert isinstance(one["output"], str)
    assert "\x00" not in one["output"]
    earned, total = one["marks_earned"], one["marks_total"]
    assert earned >= 0
    assert total >= 0
    assert one["status"] in ("pass", "partial", "fail", "error")
    assert one["status"] != "partial" or 0 < earned < total
    assert one["status"] != "fail" or earned == 0
    assert one["status"] != "pass" or earned >= total
    assert one["time"] is None or (isinstance(one["time"], int) and one["time"] >= 0)


def mark(output: str, most: float = 100.0) -> float | None:
    """A criterion's mark after a run: earned over total of all tests; None if it stays as it is."""
    tests = [one for one in objects(output) if "overall_comment" not in one]
    if not tests:
        return None
    earned, total = sum(one["marks_earned"] for one in tests), sum(one["marks_total"] for one in tests)
    return 0.0 if not earned or not total else min(1.0, earned / total) * most


def printed(one: Graded) -> str:
    """What the tester prints."""
    delivery = MarkUs().deliver(one)
    assert delivery.exit_status == 0
    return delivery.stdout


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_change_no_mark(text: str) -> None:
    output = printed(hostile(text))
    assert len(objects(output)) == 5
    assert mark(output, 40.0) == pytest.approx(12.34)
    assert "SECRET" not in output
    assert len(output) < 400_000
    output.encode("ascii")


def test_partial_is_what_lies_between() -> None:
    output = printed(graded(check(1), check(3, earned=2.5, hint="Which axis?"), check(5, earned=0)))
    assert [one["status"] for one in objects(output)[:3]] == ["pass", "partial", "fail"]
    assert objects(output)[1]["output"] == "The values differ.\nHint: Which axis?"
    assert objects(output)[3] == {"overall_comment": "12.5 of 30 points; 1 of 3 checks passed."}
    assert mark(output) == pytest.approx(12.5 / 30 * 100)


def test_invalid_is_a_zero_with_its_reason() -> None:
    output = printed(invalid())
    assert mark(output) == 0.0
    assert objects(output)[0]["output"].startswith("tiny.py is not Python")


def test_what_could_not_be_graded_leaves_the_mark_as_it_is() -> None:
    delivery = MarkUs().decline("The disk is full.", Told())
    assert mark(delivery.stdout) is None
    assert delivery.exit_status != 0


def ran_by_tester(folder: Path, python: str) -> subprocess.CompletedProcess[str]:
    """What the custom tester does: the files of the assignment over those of a student, then the script."""
    folder.mkdir()
    (folder / "tiny.py").write_text("x = 1\n")
    planted = folder / "course" / "assignments" / "tiny" / "hidden"
    planted.mkdir(parents=True)
    (planted / "test_mine.py").write_text("planted")
    for name, member in MarkUs().package(KIT).members.items():
        if name.startswith("upload/"):
            (folder / name.removeprefix("upload/")).write_bytes(member.content)
    (folder / "run_grader.sh").chmod(0o750)
    place = folder.parent / f"{folder.name}-python"
    place.write_text(f"#!/bin/sh\n{python}\n")
    place.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "GRADER_PYTHON": str(place)}
    return subprocess.run(
        ["./run_grader.sh"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_students_files_never_lie_among_the_tests(tmp_path: Path) -> None:
    listing = """for last; do :; done; cd "${last%/*}/.." && find . -type f | sort"""
    lines = ran_by_tester(tmp_path / "listing", listing).stdout.split()
    assert "./tests/course/assignments/tiny/hidden/test_tiny.py" in lines
    assert "./tests/course/assignments/tiny/hidden/test_mine.py" not in lines
    assert [line for line in lines if line.startswith("./submission")] == [
        "./submission/course/assignments/tiny/hidden/test_mine.py",
        "./submission/tiny.py",
    ]


@pytest.mark.parametrize("text", ["exit 1", "kill -9 $$", """echo '{"name": "half'; exit 1"""])
def test_a_grader_that_fails_prints_nothing(tmp_path: Path, text: str) -> None:
    ran = ran_by_tester(tmp_path / "job", text)
    assert ran.returncode != 0
    assert mark(ran.stdout) is None
    assert "Not graded: " in ran.stderr


def test_staff_talk_is_not_shown(tmp_path: Path) -> None:
    ran = ran_by_tester(tmp_path / "job", "echo SECRET >&2; echo '{}'")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "{}\n", "")


def test_the_package_holds_hidden_tests_in_the_archive_alone() -> None:
    members = MarkUs().package(KIT).members
    assert [name for name, one in members.items() if b"# hidden" in one.content] == ["upload/grader_tests.tar"]
    with tarfile.open(fileobj=io.BytesIO(members["upload/grader_tests.tar"].content)) as archive:
        assert archive.getnames() == ["course/assignments/tiny/hidden/test_tiny.py", "known.msgpack"]
    assert subprocess.run(["bash", "-n"], input=members["upload/run_grader.sh"].content, check=False).returncode == 0


@needs_container
@pytest.mark.full
def test_the_package_gives_the_marks_of_grade_without_namespaces(workshop: Workshop) -> None:
    files = workshop.package("markus", "--seconds", "60")
    environment = workshop.installed(files / "server")
    for name, text in SOURCES.items():
        folder = workshop.folder / f"tests-{name}"
        shutil.copytree(files / "upload", folder)
        (folder / "tiny.py").write_text(text)
        container = Container({"/home/docker/tests": folder}, {"/opt/grader": environment})
        ran = container.run(["./run_grader.sh"], cwd="/home/docker/tests")
        assert ran.returncode == 0, ran.stderr
        assert mark(ran.stdout) == workshop.expected[name]["score"], name
