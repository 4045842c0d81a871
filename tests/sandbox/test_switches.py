"""Global switches: what a check's code leaves behind is put back before the next one, and named."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from grader.model.assignment import SandboxNeeds
from grader.sandbox import switches
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Sandbox, StudentProcess
from grader.sandbox.contract import LIMITS
from grader.wire import calls

PATIENCE = 30.0

LEFT_BEHIND = [
    ("torch.set_grad_enabled(False)", "torch.is_grad_enabled()", "torch.set_grad_enabled"),
    ("torch.no_grad().__enter__()", "torch.is_grad_enabled()", "torch.set_grad_enabled"),
    ("torch.set_default_dtype(torch.float64)", "str(torch.zeros(1).dtype)", "torch.set_default_dtype"),
    ("torch.set_num_threads(2)", "torch.get_num_threads()", "torch.set_num_threads"),
    ("torch.set_default_device('meta')", "str(torch.zeros(1).device)", "torch.set_default_device"),
    (
        "torch._C._set_deterministic_algorithms(True, warn_only=True)",
        "torch.are_deterministic_algorithms_enabled()",
        "torch.use_deterministic_algorithms",
    ),
    ("torch.autograd.set_detect_anomaly(True)", "torch.is_anomaly_enabled()", "torch.set_anomaly_enabled"),
    ("torch.set_flush_denormal(True)", "(torch.tensor(1e-40) * 1).item() == 0", "torch.set_flush_denormal"),
    ("sys.setrecursionlimit(5000)", "sys.getrecursionlimit()", "sys.setrecursionlimit"),
    ("os.chdir('/')", "os.getcwd()", "os.chdir"),
    ("os.mkdir('d'); os.chdir('d'); os.rmdir('../d')", "os.readlink('/proc/self/cwd')", "os.chdir"),
]
NUMPY = ("numpy.seterr(all='raise')", "numpy.geterr()['divide']", "numpy.seterr")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A plain sandbox with torch."""
    opened = PlainBackend().open(LIMITS, SandboxNeeds(["numpy", "torch"]), slot=6)
    yield opened
    opened.close()


@pytest.fixture
def process(sandbox: Sandbox) -> Iterator[StudentProcess]:
    """A fresh process."""
    started = sandbox.spawn(20)
    yield started
    started.end()


def ask(process: StudentProcess, operation: str, arguments: dict[str, Any]) -> Any:
    """The value of one reply."""
    nonce = secrets.token_hex(4)
    reply = calls.parse_reply(*process.ask(calls.pack_request(nonce, operation, arguments).frame, PATIENCE), nonce)
    assert reply.error is None, reply.error
    return reply.value


def load(process: StudentProcess, code: str) -> None:
    """Import `code`."""
    arguments = {
        "files": {"a.py": code.encode()},
        "main": "a.py",
        "required": [],
        "seconds": 10.0,
        "definitions_only": False,
    }
    assert ask(process, calls.LOAD, arguments)["error"] is None


def call(process: StudentProcess, name: str) -> Any:
    """The result of a function without arguments."""
    return ask(process, calls.CALL, {"target": [None, name], "args": (), "kwargs": {}, "views": {}, "inspect": False})


@pytest.mark.parametrize(("change", "look", "name"), [*LEFT_BEHIND, NUMPY], ids=lambda text: text[:40])
def test_switches_are_put_back_and_named(process: StudentProcess, change: str, look: str, name: str) -> None:
    load(process, f"import os, sys, numpy, torch\ndef change():\n    {change}\ndef look():\n    return {look}")
    assert ask(process, calls.RESET, {"seed": 1}) == []
    before = call(process, "look")
    call(process, "change")
    assert call(process, "look") != before
    assert ask(process, calls.RESET, {"seed": 1}) == [name]
    assert call(process, "look") == before
    assert ask(process, calls.RESET, {"seed": 1}) == []


def test_what_is_switched_at_import_is_put_back_too(process: StudentProcess) -> None:
    load(process, "import torch\ntorch.set_default_dtype(torch.float64)\ndef look(): return str(torch.zeros(1).dtype)")
    assert ask(process, calls.RESET, {"seed": 1}) == ["torch.set_default_dtype"]
    assert call(process, "look") == "torch.float32"


def test_several_at_once(process: StudentProcess) -> None:
    load(process, "import torch, sys\ntorch.set_grad_enabled(False)\nsys.setrecursionlimit(4000)")
    assert ask(process, calls.RESET, {"seed": 1}) == ["torch.set_grad_enabled", "sys.setrecursionlimit"]


def test_warnings_are_put_back_without_a_word(process: StudentProcess) -> None:
    code = "import warnings\ndef change(): warnings.simplefilter('error')\ndef look(): return str(warnings.filters)"
    load(process, code)
    ask(process, calls.RESET, {"seed": 1})
    before = call(process, "look")
    call(process, "change")
    assert call(process, "look") != before
    assert ask(process, calls.RESET, {"seed": 1}) == []
    assert call(process, "look") == before


def test_a_switch_that_was_broken_is_named_and_stops_no_other(process: StudentProcess) -> None:
    load(
        process,
        "import torch, sys\ndef no(): raise ValueError\ntorch.is_grad_enabled = no\nsys.setrecursionlimit(4000)",
    )
    assert ask(process, calls.RESET, {"seed": 1}) == ["torch.set_grad_enabled", "sys.setrecursionlimit"]


def test_generators_are_seeded(process: StudentProcess) -> None:
    drawing = "torch.rand(2).tolist(), numpy.random.rand(), random.random()"
    load(process, f"import torch, numpy, random\ndef draw():\n    return {drawing}")
    drawn = []
    for seed in (1, 2**32 + 5, 1):
        ask(process, calls.RESET, {"seed": seed})
        drawn.append(call(process, "draw"))
    assert drawn[0] == drawn[2]
    assert all(mine != theirs for mine, theirs in zip(drawn[0], drawn[1], strict=True))


def test_nothing_moved_is_nothing_named() -> None:
    assert switches.restore(switches.current()) == []
