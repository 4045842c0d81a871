"""What confinement costs on top of a bare fork: milliseconds a submission and a call, measured in turn in one run.

`python bench/confinement.py [ROUNDS]` opens two sandboxes with the same warm interpreter: one in the best mode of this
machine, one whose processes are forked by the same zygote with every layer left out. Each round takes both through a
submission (a process, the import of a small file, one call, its end, the sweep) and, in a process of its own, through
calls that take and return a small tensor. Medians and their differences; all on one core.
"""

from __future__ import annotations

import os
import secrets
import statistics
import sys
import time
from collections.abc import Callable

import torch

from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.backends.interpreter import plain_arguments, zygote_environment
from grader.sandbox.base import Sandbox, StudentProcess
from grader.sandbox.modes import backend_for, choose
from grader.sandbox.running import answer_of
from grader.sandbox.settings import Settings
from grader.sandbox.zygote import ZygoteSandbox, launch_command
from grader.wire import calls

CODE = "import torch\n\n\ndef same(x):\n    return x\n\n\nanswer = 1\n"
CALLS = 200
NEEDS = SandboxNeeds(["numpy", "torch"])


def bare() -> Sandbox:
    """A sandbox that confines nothing and bounds nothing."""
    settings = Settings(
        namespaces=False,
        exposed=False,
        shared_user=True,
        filtered=False,
        readable=None,
        scratch="none",
        multi=False,
        preload=tuple(NEEDS.preload),
        memory=64 << 30,
        scratch_bytes=1 << 40,
        scratch_files=1 << 20,
    ).to_json()
    arguments = plain_arguments()
    environment = zygote_environment(os.environ.get("LD_LIBRARY_PATH", ""))
    return ZygoteSandbox("bare", launch_command(lambda fd: [*arguments, str(fd), settings], environment), 1 << 16)


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def call(process: StudentProcess) -> None:
    """One call with a tensor of 5 x 32 numbers there and back."""
    arguments = {"target": [None, "same"], "args": [torch.zeros(5, 32)], "kwargs": {}, "views": {}, "inspect": False}
    nonce = secrets.token_hex(8)
    header, payload = process.ask(calls.pack_request(nonce, calls.CALL, arguments).frame, 10.0)
    assert calls.parse_reply(header, payload, nonce).error is None


def submission(sandbox: Sandbox) -> None:
    """One submission from its first process to the sweep."""
    process = sandbox.spawn(60)
    answer_of(process, CODE, 10.0)
    call(process)
    process.end()
    sandbox.sweep()


def one_process(sandbox: Sandbox) -> list[float]:
    """Milliseconds of each of many calls to one process."""
    process = sandbox.spawn(60)
    answer_of(process, CODE, 10.0)
    found = [timed(lambda: call(process)) for _ in range(CALLS)]
    process.end()
    sandbox.sweep()
    return found


def main(rounds: int) -> None:
    """Measure and print."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    mode = choose("auto", "confined")
    sandboxes = {mode: backend_for(mode).open(Limits(), NEEDS, slot=0), "bare fork": bare()}
    submissions: dict[str, list[float]] = {name: [] for name in sandboxes}
    each_call: dict[str, list[float]] = {name: [] for name in sandboxes}
    for sandbox in sandboxes.values():
        sandbox.wait_ready()
        submission(sandbox)
    for _ in range(rounds):
        for name, sandbox in sandboxes.items():
            submissions[name] += [timed(lambda box=sandbox: submission(box)) for _ in range(5)]  # type: ignore[misc]
            each_call[name] += one_process(sandbox)
    for sandbox in sandboxes.values():
        sandbox.close()
    print(f"{'':12}{'a submission':>14}{'a call':>12}")
    for name in sandboxes:
        whole, one = statistics.median(submissions[name]), statistics.median(each_call[name])
        print(f"{name:12}{whole:11.2f} ms{one:9.3f} ms")
    more = statistics.median(submissions[mode]) - statistics.median(submissions["bare fork"])
    per_call = statistics.median(each_call[mode]) - statistics.median(each_call["bare fork"])
    print(f"confinement {more:11.2f} ms{per_call:9.3f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
