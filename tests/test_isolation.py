"""What `grade` demands of a machine: confinement, or being told to do without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.errors import MachineProblem, UsageProblem
from grader.sandbox import modes
from grader.sandbox.base import MODES, Probe

Command = Callable[..., subprocess.CompletedProcess[str]]
CONFINED = "B" if os.geteuid() == 0 else "A1"


def offering(monkeypatch: pytest.MonkeyPatch, *working: str) -> None:
    """Let only these modes work."""

    def probe(mode: str) -> Probe:
        return Probe("test", mode, mode in working, (), f"{mode} is not here")

    monkeypatch.setattr(modes, "probe", probe)


def test_this_machine_confines(grader: Command) -> None:
    assert modes.choose("auto", "confined") == CONFINED
    assert modes.choose("strict", "confined") == CONFINED
    ran = grader("doctor")
    assert ran.returncode == 0, ran.stdout
    assert "broken" not in ran.stdout
    assert f"`grade` takes mode {CONFINED}" in ran.stdout
    assert "A2" in ran.stdout


def test_nothing_degrades_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, "plain")
    for isolation in ("auto", "strict"):
        with pytest.raises(MachineProblem, match=r"nothing was graded.*--isolation plain"):
            modes.choose(isolation, "confined")
    assert modes.choose("plain", "confined") == "plain"


def test_the_assignments_minimum_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, "B", "plain")
    assert modes.choose("auto", "B") == "B"
    with pytest.raises(MachineProblem):
        modes.choose("auto", "A1")
    offering(monkeypatch, "plain")
    assert modes.choose("auto", "plain") == "plain"
    with pytest.raises(UsageProblem, match="minimum"):
        modes.choose("auto", "everything")
    assert MODES[-1] == "plain"


def test_grade_refuses_without_confinement_and_obeys_when_told(
    tiny_class: Path, tiny_course: Path, tmp_path: Path, cache: Path, read_results: Callable[[Path], dict[str, Any]]
) -> None:
    """A real machine without namespaces: no capabilities (for root), and no new ones to be had."""
    setpriv = shutil.which("setpriv")
    assert setpriv, "setpriv (util-linux) takes the privileges away for this test; install util-linux"
    out = tmp_path / "out"
    bare = [setpriv, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    if os.geteuid() != 0:
        bare = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns"]
    arguments = ["grade", tiny_class, "--assignment", "tiny", "--out", out, "--course", tiny_course]
    command = [*bare, sys.executable, "-m", "grader.cli.main", *map(str, arguments)]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert ran.returncode == 3, ran.stderr
    assert "can't be confined on this machine, so nothing was graded" in ran.stderr
    assert "grader doctor" in ran.stderr
    assert not out.exists()
    told = subprocess.run(
        [*command, "--isolation", "plain"], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    assert told.returncode == 0, told.stderr
    assert "NOT confined" in told.stderr
    found = read_results(out)
    assert {result["isolation"]["mode"] for result in found.values()} == {"plain"}
    assert found["ada"]["score"] == 100


def test_mode_and_layers_are_in_every_result(
    grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path, read_results: Callable[[Path], dict[str, Any]]
) -> None:
    out = tmp_path / "out"
    grader("grade", tiny_class, "--assignment", "tiny", "--out", out, "--course", tiny_course)
    isolation = read_results(out)["ada"]["isolation"]
    assert isolation["mode"] == CONFINED
    assert {"seccomp", "rlimits", "no_new_privs", "sized tmpfs"} <= set(isolation["layers"])
    assert any(layer.startswith("Landlock") for layer in isolation["layers"])
