"""Every cheat of `tests/attacks/`, graded in one class between two honest submissions, in the mode of this machine.

A cheat may cost its author points and nobody else anything: no points that its code does not deserve, no submission
left ungraded, the honest ones at 100 before and after, no process or file left, nothing private in a student's report.
A line that begins with `BREACH:` in what a cheat printed means that it got somewhere it must not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
ATTACKS = sorted((ROOT / "tests" / "attacks").glob("*.py"))
CANARY = "CANARY-" + "PRIVATE"
DESERVED = {
    "constant_answers": 30,  # right answers to public checks, whose inputs are public
    "forged_unchanged": 64,  # right code but for its arguments, which only its own process can tell
    "many_tensors_observed": 4,  # each of these four answers one or two checks rightly
    "observation_without_length": 4,
    "wide_integer_observed": 4,
    "switches_tell_inputs": 100,  # right code, that tries to tell inputs to its author
    "sum_of_nothing": 11,  # zero where nothing is selected, rows that sum to 1, logits left alone
}
"""Points that a cheat's code earns honestly; all others must score 0."""
LIMITS = "\n[limits]\nimport_seconds = 5\ncheck_seconds = 2\ntotal_seconds = 12\ncpu_seconds = 20\n"

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def graded(
    grader: Callable[..., subprocess.CompletedProcess[str]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], Path]:
    """Results by name, and the folder of the runs; with short limits, which many cheats wait for."""
    folder = tmp_path_factory.mktemp("attacks")
    for name in ("assignments", "reference", "reports"):
        shutil.copytree(ROOT / name, folder / "course" / name)
    found: dict[str, Any] = {}
    for assignment, honest in (("attention", "class/s01"), ("mlm_loss", "class-mlm/m01")):
        with (folder / "course" / "assignments" / assignment / "assignment.toml").open("a") as file:
            file.write(LIMITS)
        source = folder / assignment
        source.mkdir()
        for path in ATTACKS:
            if ("def mlm_loss" in path.read_text("utf-8")) == (assignment == "mlm_loss"):
                shutil.copy(path, source)
        for name in ("00_honest", "zz_honest"):
            shutil.copy(ROOT / "examples" / honest / f"{assignment}.py", source / f"{name}.py")
        out = folder / f"{assignment}-out"
        ran = grader(
            "grade", source, "--assignment", assignment, "--out", out, "--course", folder / "course", seconds=900
        )
        assert ran.returncode == 0, ran.stderr[-3000:]
        for path in (out / "results").glob("*.json"):
            name = f"{assignment} {path.stem}" if "honest" in path.stem else path.stem
            found[name] = json.loads(path.read_text("utf-8"))
    return found, folder


@pytest.mark.parametrize("name", [path.stem for path in ATTACKS])
def test_a_cheat_gains_nothing(graded: tuple[dict[str, Any], Path], name: str) -> None:
    result = graded[0][name]
    assert result["status"] in ("graded", "invalid"), result["reason"]
    assert result["score"] <= DESERVED.get(name, 0)
    assert "BREACH:" not in result["stdout"] + result["stderr"]
    assert result["isolation"]["mode"] != "plain"
    faults = {check["fault"] for check in result["checks"] if check["status"] != "passed"}
    assert faults <= {"student"}


@pytest.mark.parametrize("assignment", ["attention", "mlm_loss"])
def test_the_honest_keep_their_marks(graded: tuple[dict[str, Any], Path], assignment: str) -> None:
    for name in ("00_honest", "zz_honest"):
        assert graded[0][f"{assignment} {name}"]["score"] == 100


def test_reports_hold_nothing_private(graded: tuple[dict[str, Any], Path]) -> None:
    reports = list(graded[1].glob("*-out/reports/*.html"))
    assert len(reports) == len(ATTACKS) + 4
    for path in reports:
        text = path.read_text("utf-8")
        assert CANARY not in text, path
        assert "<script" not in text, path
        assert len(text) <= 150_000, path


def test_results_stay_small(graded: tuple[dict[str, Any], Path]) -> None:
    sizes = {path.name: path.stat().st_size for path in graded[1].glob("*-out/results/*")}
    assert max(sizes.values()) < 2_000_000, sizes


def test_nothing_is_left_running(graded: tuple[dict[str, Any], Path]) -> None:
    assert graded[0]
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if "grader.sandbox.forkserver" in command and parent == 1 and int(folder.name) != os.getpid():
            left.append(command)
    assert left == []
