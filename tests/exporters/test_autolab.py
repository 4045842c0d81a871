"""Autolab: what its server makes of the lines that a job prints, and the job itself, made by a real `make`."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from containers import SOURCES, Container, Workshop, needs_container
from views import HOSTILE, KIT, check, graded, hostile, invalid

from grader.exporters.autolab import Autolab
from grader.exporters.base import Graded, Told

TANGO_BYTES = 1000 * 1024
SERVER_LINES = 10_000


def saved_by_server(output: str, problems: tuple[str, ...] = ("Autograder",)) -> dict[str, float | None]:
    """The scores that Autolab has after a job: its `saveAutograde`, told again from its documentation and source.

    Whatever goes wrong makes every problem a 0.
    """
    lines = output.rstrip().split("\n")
    try:
        quoted = re.sub(r"([a-zA-Z0-9]+):", r'"\1":', lines[-1])
        scores = json.loads(quoted)["scores"]
        if not scores or any(name not in problems for name in scores):
            raise ValueError(scores)
        return dict(scores)
    except (ValueError, KeyError, TypeError):
        return dict.fromkeys(problems, 0)


def semantic(output: str) -> dict[str, Any]:
    """The feedback that Autolab shows as tables: the line before the last."""
    found: dict[str, Any] = json.loads(output.splitlines()[-2])
    assert found["_presentation"] == "semantic"
    return found


def printed(one: Graded) -> str:
    """What the job prints."""
    delivery = Autolab().deliver(one)
    assert delivery.exit_status == 0
    assert delivery.files == {}
    return delivery.stdout


def told(**environment: str) -> Told:
    """What the Makefile's variables tell."""
    return Autolab().told(None, environment)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_change_no_score_and_keep_the_limits(text: str) -> None:
    output = printed(hostile(text))
    assert saved_by_server(output) == {"Autograder": 12.34}
    assert len(output.encode("utf-8")) < TANGO_BYTES
    assert output.count("\n{") >= 2
    found = semantic(output)
    shown = [name for stage in found["stages"] for name in found[stage]["_order"]]
    assert len(shown) == 4
    assert not [name for name in [*found["stages"], *shown] if name.startswith("_")]
    assert "SECRET" not in output


@pytest.mark.parametrize("name", ["Q1: forward", "1:2", 'say "x:y"', "a\\b:", "ß: x", "x:", ":x"])
def test_no_name_of_a_problem_breaks_the_last_line(name: str) -> None:
    one = graded(check(1), told=told(GRADER_PROBLEM=name))
    last = printed(one).splitlines()[-1]
    (problem,) = json.loads(last)["scores"]
    assert re.search(r"[a-zA-Z0-9]:", problem) is None
    assert saved_by_server(printed(one), (problem,)) == {problem: 10.0}


def test_a_colon_in_the_last_line_would_make_a_zero_on_the_server() -> None:
    """So that the test above is about something."""
    assert saved_by_server('{"scores": {"Q1: forward": 5}}', ("Q1: forward",)) == {"Q1: forward": 0}
    assert saved_by_server('{"scores": {}}') == {"Autograder": 0}
    assert saved_by_server("make: *** [autograde] Error 1") == {"Autograder": 0}


def test_stages_are_groups_and_hints_are_of_what_failed() -> None:
    found = semantic(printed(graded(check(1, "Rows"), check(2, earned=2.5, hint="Which axis?"), check(3, "Rows"))))
    assert found["stages"] == ["First", "Second"]
    assert found["First"] == {"_order": ["Rows", "Rows (2)"], "Rows": {"passed": True}, "Rows (2)": {"passed": True}}
    hint = found["Second"]["Check 2"]["hint"]
    assert hint == "2.5 of 10 points. The values differ.\nHint: Which axis?"


def test_a_thousand_checks_stay_below_what_tango_cuts() -> None:
    output = printed(graded(*(check(n, earned=0, feedback="x" * 4000) for n in range(1000))))
    assert len(output.encode("utf-8")) < TANGO_BYTES
    assert output.count("\n") < SERVER_LINES
    assert saved_by_server(output) == {"Autograder": 0.0}
    assert semantic(output)["stages"]


def test_invalid_is_a_zero_with_its_reason() -> None:
    output = printed(invalid())
    assert saved_by_server(output) == {"Autograder": 0.0}
    assert output.startswith("tiny.py is not Python: invalid syntax in line 1.")


def test_what_could_not_be_graded_has_no_score_and_is_no_zero() -> None:
    delivery = Autolab().decline("The disk is full: tell staff.\n{", told(GRADER_PROBLEM="Q1: all"))
    assert delivery.exit_status == 0  # any other status makes `make` print a line after the last
    assert saved_by_server(delivery.stdout, ("Q1 - all",)) == {"Q1 - all": None}


def test_a_scoreboard_is_filled_on_request() -> None:
    one = graded(check(1), told=told(GRADER_SCOREBOARD="yes"))
    assert json.loads(printed(one).splitlines()[-1]) == {"scores": {"Autograder": 10.0}, "scoreboard": [10.0]}
    one = graded(check(1), told=told(GRADER_SCOREBOARD=""))
    assert json.loads(printed(one).splitlines()[-1]) == {"scores": {"Autograder": 10.0}}


def members_of_tar() -> dict[str, tarfile.TarInfo]:
    """The members of autograde.tar, by name."""
    content = Autolab().package(KIT).members["autograde.tar"].content
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {member.name: member for member in archive}


def test_the_package_holds_hidden_tests_in_the_tar_alone() -> None:
    package = Autolab().package(KIT)
    assert [name for name, member in package.members.items() if b"# hidden" in member.content] == ["autograde.tar"]
    found = members_of_tar()
    assert set(found) == {"course/assignments/tiny/hidden/test_tiny.py", "known.msgpack", "run.sh"}
    assert {member.mode & 0o077 for member in found.values()} == {0}
    assert package.members["image/Dockerfile"].content.startswith(b"# The image")


def job(folder: Path, python: str, makefile: bytes, tar: bytes, environment: Mapping[str, str] | None = None) -> str:
    """What `make` prints in a job's folder, as Tango keeps it: standard output and error in one."""
    folder.mkdir()
    (folder / "Makefile").write_bytes(makefile)
    (folder / "autograde.tar").write_bytes(tar)
    (folder / "tiny.py").write_text("x = 1\n")
    # Tango's make is not started by another one, as that of these tests may be, which would print names of folders.
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    ran = subprocess.run(
        ["make", f"PYTHON={python}"],
        cwd=folder,
        env={**outside, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0
    return ran.stdout


GOOD = """echo talk >&2; echo words; echo '{"_presentation": "semantic"}'; echo '{"scores": {"Autograder": 7.5}}'"""
FAKES = {
    "graded": (GOOD, 7.5),
    "nothing": ("exit 0", None),
    "crashed": ("""echo '{"scores": {"Autograder": 9}}'; echo; echo Killed; exit 137""", None),
    "failed": ("exit 3", None),
    "cut": ("""printf '{"sco'""", None),
}
"""What the grader could do: a shell command, and the score that Autolab may have after it."""


@pytest.mark.skipif(shutil.which("make") is None, reason="needs the layer: make")
@pytest.mark.parametrize("name", FAKES)
def test_make_never_ends_without_a_line_of_scores(tmp_path: Path, name: str) -> None:
    text, expected = FAKES[name]
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{text}\n")
    python.chmod(0o755)
    package = Autolab().package(KIT).members
    makefile, tar = package["autograde-Makefile"].content, package["autograde.tar"].content
    output = job(tmp_path / "job", str(python), makefile, tar)
    assert saved_by_server(output) == {"Autograder": expected}
    assert "talk" not in output
    broken = job(tmp_path / "broken", str(python), makefile, b"no tar")
    assert saved_by_server(broken) == {"Autograder": None}
    missing = job(tmp_path / "missing", "/nowhere/python", makefile, tar)
    assert saved_by_server(missing) == {"Autograder": None}


@pytest.mark.parametrize("name", ["run.sh"])
def test_scripts_are_shell(name: str, tmp_path: Path) -> None:
    content = Autolab().package(KIT).members["autograde.tar"].content
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(tmp_path, filter="data")
    assert subprocess.run(["bash", "-n", str(tmp_path / name)], check=False).returncode == 0


@needs_container
@pytest.mark.full
def test_the_package_gives_the_marks_of_grade_without_namespaces(workshop: Workshop) -> None:
    files = workshop.package("autolab", "--seconds", "60")
    environment = workshop.installed(files / "image")
    for name, text in SOURCES.items():
        folder = workshop.folder / f"job-{name}"
        folder.mkdir()
        shutil.copy(files / "autograde-Makefile", folder / "Makefile")
        shutil.copy(files / "autograde.tar", folder)
        (folder / "tiny.py").write_text(text)
        ran = Container({"/home/autograde/job": folder}, {"/opt/grader": environment}).run(
            ["make"], cwd="/home/autograde/job"
        )
        output = ran.stdout + ran.stderr
        assert saved_by_server(output) == {"Autograder": workshop.expected[name]["score"]}, output
        assert len(semantic(output)["stages"]) == (2 if workshop.expected[name]["checks"] else 1)
