"""`grader doctor`: what it prints of layers, modes and promises, and the status that it leaves with."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from grader.cli import doctor
from grader.sandbox.base import MODES, Probe
from grader.sandbox.contract import PROMISES
from grader.sandbox.layers import Layer

LAYERS = [
    Layer("bubblewrap", True, "bwrap --unshare-user … true: it ran", "", ("A1", "A2", "B")),
    Layer(
        "own namespaces", False, "unshare(PID, mount, network, IPC, UTS): Operation not permitted", "do this", ("A1",)
    ),
    Layer("sized tmpfs", False, "unshare(CLONE_NEWNS): Operation not permitted [red]x[/red]", "do this", ("A1", "B")),
    Layer("Landlock scopes", False, "ABI 5; restricted, signal to the parent: it worked", "do that " * 20, ()),
]


def run(monkeypatch: pytest.MonkeyPatch, works: str, problems: list[str | None], width: int = 80) -> Result:
    """`grader doctor` where this mode is the best that works."""
    probes = [Probe("x", mode, mode in (works, "plain"), ("layer one",), "it is not here") for mode in MODES]
    monkeypatch.setattr(doctor, "try_layers", lambda: LAYERS)
    monkeypatch.setattr(doctor, "probe_all", lambda: probes)
    monkeypatch.setattr(doctor, "try_contract", lambda mode: problems)
    monkeypatch.setattr(doctor, "output_console", lambda: Console(width=width, highlight=False))
    return CliRunner().invoke(doctor.command, [])


def test_everything_is_said_within_80_columns_and_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run(monkeypatch, "C", [None] * len(PROMISES))
    assert ran.exit_code == 0
    assert max(map(len, ran.output.splitlines())) <= 80
    assert "\x1b" not in ran.output
    lines = [line.split() for line in ran.output.splitlines()]
    assert ["bubblewrap", "present", "A1", "A2", "B"] in [words[:5] for words in lines]
    assert ["own", "namespaces", "missing", "A1"] in [words[:4] for words in lines]
    assert ["Landlock", "scopes", "missing", "–"] in [words[:4] for words in lines]
    text = " ".join(ran.output.split())
    assert "own namespaces, sized tmpfs: do this." in text  # once, for both
    assert "[red]x[/red]" in text  # no markup
    assert "`grade` takes mode C" in text
    assert "broken" not in text


def test_without_confinement_the_status_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run(monkeypatch, "plain", [])
    assert ran.exit_code == 3
    assert "No mode confines student code here" in " ".join(ran.output.split())


def test_a_broken_promise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run(monkeypatch, "B", ["a socket could be made", *[None] * (len(PROMISES) - 1)])
    assert ran.exit_code == 3
    assert f"broken  {PROMISES[0].title}: a socket could be made" in ran.output
