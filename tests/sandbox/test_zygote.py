"""Zygotes: what a warm one holds, and that one that fails is the machine's fault, in words."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator

import pytest

from grader.model.assignment import SandboxNeeds
from grader.sandbox.base import Sandbox, SandboxBroken
from grader.sandbox.contract import LIMITS
from grader.sandbox.modes import backend_for
from grader.sandbox.running import run_code
from grader.sandbox.zygote import ZygoteSandbox, launch_command

CONFINED = "B" if os.geteuid() == 0 else "A1"
MODES = [CONFINED, "plain"]

SAY = """
import json, socket, struct, sys
channel = socket.socket(fileno=int(sys.argv[1]))
def say(message):
    body = json.dumps(message).encode()
    channel.sendall(struct.pack(">I", len(body)) + body)
"""


def scripted(code: str) -> ZygoteSandbox:
    """A zygote that does what `code` says instead of its work."""
    launch = launch_command(lambda channel: [sys.executable, "-S", "-c", SAY + code, str(channel)], {})
    return ZygoteSandbox("plain", launch, 1000)


@pytest.fixture(scope="module", params=MODES)
def warm(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox warmed up as for grading."""
    sandbox = backend_for(request.param).open(LIMITS, SandboxNeeds(["numpy", "torch"]), slot=4)
    sandbox.wait_ready()
    yield sandbox
    sandbox.close()


def test_a_warm_zygote_holds_torch_and_nothing_of_the_judge(warm: Sandbox) -> None:
    loaded = set(run_code(warm, "import sys\nanswer = sorted(sys.modules)"))
    assert {"torch", "numpy", "grader.sandbox.worker"} <= loaded
    parts = {name.split(".")[1] for name in loaded if name.startswith("grader.")}
    assert parts == {"wire", "sandbox"}
    assert not {"pytest", "_pytest", "pluggy", "msgspec", "hypothesis"} & loaded


def test_a_warm_zygote_computes_with_one_thread(warm: Sandbox) -> None:
    code = """
import os, torch
x = torch.randn(300, 300, requires_grad=True)
(x @ x).sum().backward()
answer = [torch.get_num_threads(), x.grad.shape == x.shape]
"""
    assert run_code(warm, code) == [1, True]


def test_processes_share_nothing_but_the_start(warm: Sandbox) -> None:
    code = "import torch, random\nanswer = [torch.is_grad_enabled(), getattr(random, 'mark', None)]\n"
    change = "torch.set_grad_enabled(False)\nrandom.mark = 1\nanswer = 1"
    assert run_code(warm, code + change) == 1
    assert run_code(warm, code) == [True, None]


def test_it_is_ready_more_than_once(warm: Sandbox) -> None:
    warm.wait_ready()
    warm.sweep()
    warm.wait_ready()
    assert run_code(warm, "answer = 3") == 3


@pytest.mark.parametrize("mode", MODES)
def test_a_preload_that_is_missing_is_named(mode: str) -> None:
    sandbox = backend_for(mode).open(LIMITS, SandboxNeeds(["no_such_module"]), slot=4)
    with pytest.raises(SandboxBroken, match="No module named 'no_such_module'"):
        sandbox.wait_ready()


def test_a_command_that_is_missing() -> None:
    with pytest.raises(SandboxBroken, match="could not be started"):
        ZygoteSandbox("plain", launch_command(lambda channel: ["/no/such/program", str(channel)], {}), 1000)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("sys.exit('a library is missing')", "a library is missing"),
        ("sys.exit(7)", "status 7"),
        ("channel.send(b'ab')", "did not start"),
        ("say({'ready': True, 'threads': 2})", "more than one thread"),
        ("say({'ready': True})", "more than one thread"),
    ],
)
def test_a_zygote_that_does_not_start_well(code: str, words: str) -> None:
    with pytest.raises(SandboxBroken, match=words):
        scripted(code).wait_ready()


READY = "say({'ready': True, 'threads': 1})\n"


@pytest.mark.parametrize("code", ["", "channel.recv(3)\n", "say({'id': 1, 'failed': 'no more processes'})\n"])
def test_a_zygote_that_gives_no_process(code: str) -> None:
    sandbox = scripted(READY + code)
    sandbox.wait_ready()
    with pytest.raises(SandboxBroken):
        sandbox.spawn(5)
    sandbox.close()


def test_a_zygote_that_ends_before_it_sweeps() -> None:
    sandbox = scripted(READY + "channel.recv(100)\nsys.exit('swept away')")
    with pytest.raises(SandboxBroken, match="swept away"):
        sandbox.sweep()
    sandbox.close()


def kill(sandbox: Sandbox) -> None:
    """End the zygote behind the sandbox's back."""
    assert isinstance(sandbox, ZygoteSandbox)
    os.kill(sandbox._process.pid, signal.SIGKILL)
    sandbox._process.wait()
    # bubblewrap's child dies with it, a moment later: the channel then reads as closed.
    assert select.select([sandbox._channel], [], [], 30)[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("use", [lambda sandbox: sandbox.spawn(5), lambda sandbox: sandbox.sweep()])
def test_a_killed_zygote_is_the_machines_fault(mode: str, use: Callable[[Sandbox], object]) -> None:
    sandbox = backend_for(mode).open(LIMITS, SandboxNeeds(), slot=4)
    try:
        assert run_code(sandbox, "answer = 1") == 1
        kill(sandbox)
        with pytest.raises(SandboxBroken):
            use(sandbox)
    finally:
        sandbox.close()


def test_a_zygote_killed_in_mid_conversation() -> None:
    sandbox = backend_for(CONFINED).open(LIMITS, SandboxNeeds(), slot=4)
    try:
        process = sandbox.spawn(5)
        kill(sandbox)
        with pytest.raises(SandboxBroken):
            process.ask(b"anything", 20.0)
    finally:
        sandbox.close()


def test_a_closed_sandbox_has_ended() -> None:
    sandbox = backend_for(CONFINED).open(LIMITS, SandboxNeeds(), slot=4)
    sandbox.wait_ready()
    sandbox.close()
    assert isinstance(sandbox, ZygoteSandbox)
    assert sandbox._process.returncode is not None
    with pytest.raises(SandboxBroken):
        sandbox.spawn(5)
