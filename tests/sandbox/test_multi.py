"""The profile `multi`: student code may start processes, and is held together with all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox import modes
from grader.sandbox.backends.container import ContainerBackend
from grader.sandbox.base import Sandbox, SandboxBroken, StudentGone
from grader.sandbox.facts import struck_cpu_limit
from grader.sandbox.modes import backend_for
from grader.sandbox.running import answer_of, run_code

CONFINED = "B" if os.geteuid() == 0 else "A1"
LIMITS = Limits(memory_mb=400, scratch_mb=16, scratch_files=100, cpu_seconds=30)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox of that profile, with torch."""
    needs = SandboxNeeds(["numpy", "torch", "torch.utils.data"], "multi")
    sandbox = backend_for(CONFINED).open(LIMITS, needs, slot=3)
    sandbox.wait_ready()
    yield sandbox
    sandbox.close()


def test_a_data_loader_with_workers(sandbox: Sandbox) -> None:
    code = """
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(40.0))
answer = sorted(x for (batch,) in DataLoader(data, batch_size=7, num_workers=2, shuffle=True) for x in batch.tolist())
"""
    assert run_code(sandbox, code, seconds=30, cpu_seconds=20) == [float(x) for x in range(40)]


def test_a_fork_bomb_is_bounded_and_gone_afterwards(sandbox: Sandbox) -> None:
    code = """
import os, time
answer = 0
try:
    while answer < 500:
        if os.fork() == 0:
            time.sleep(1000)
        answer += 1
except OSError:
    pass
"""
    process = sandbox.spawn(10)
    born = answer_of(process, code, 20.0)
    assert 1 <= born <= 32
    process.end()
    sandbox.sweep()
    assert run_code(sandbox, "import os\nanswer = os.getpid()") == 1


def test_a_daemon_ends_with_its_process(sandbox: Sandbox) -> None:
    mark = f"daemon{time.monotonic_ns() % 10**9}"
    code = f"""
import ctypes, os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, b"{mark[:15]}", 0, 0, 0)
        time.sleep(1000)
    os._exit(0)
os.wait()
time.sleep(0.2)
answer = 1
"""
    process = sandbox.spawn(10)
    answer_of(process, code, 10.0)
    assert named(mark[:15]) == 1
    process.end()
    assert named(mark[:15]) == 0


def named(name: str) -> int:
    """How many processes have this name."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm") as file:
                found += file.read().strip() == name
        except OSError:
            continue
    return found


def test_many_processes_below_the_limit_of_each_are_ended_together(sandbox: Sandbox) -> None:
    code = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        block = bytearray(150 << 20)
        block[::4096] = b"x" * len(block[::4096])
        time.sleep(1000)
time.sleep(1000)
"""
    with pytest.raises(StudentGone) as gone:
        run_code(sandbox, code, seconds=30, cpu_seconds=20)
    assert gone.value.facts.over_memory
    assert run_code(sandbox, "answer = 1") == 1


def test_shared_memory_that_nobody_could_count_is_refused(sandbox: Sandbox) -> None:
    code = """
import mmap
try:
    mmap.mmap(-1, 1 << 20)
    answer = "shared"
except OSError:
    answer = len(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
"""
    assert run_code(sandbox, code) == 1 << 20


def test_a_process_may_be_called_anything(sandbox: Sandbox) -> None:
    code = r"""
import ctypes, time
ctypes.CDLL(None).prctl(15, b"\xff\rPPid:\t1\n", 0, 0, 0)
time.sleep(0.5)
answer = 1
"""
    assert run_code(sandbox, code) == 1
    assert run_code(sandbox, "answer = 2") == 2


def test_processor_time_is_that_of_all_processes(sandbox: Sandbox) -> None:
    code = """
import os
for _ in range(3):
    if os.fork() == 0:
        while True:
            pass
os.wait()
"""
    with pytest.raises(StudentGone) as gone:
        run_code(sandbox, code, seconds=30, cpu_seconds=2)
    assert struck_cpu_limit(gone.value.facts, 2)


def test_one_process_within_the_limit_goes_on(sandbox: Sandbox) -> None:
    code = "import time\nblock = bytearray(200 << 20)\ntime.sleep(0.5)\nanswer = len(block)"
    assert run_code(sandbox, code, seconds=10) == 200 << 20


def test_other_programs_and_networks_stay_closed(sandbox: Sandbox) -> None:
    code = """
import os, socket, subprocess
answer = []
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
    try:
        socket.socket(family, socket.SOCK_DGRAM)
        answer.append(int(family))
    except OSError:
        pass
try:
    subprocess.run(["/bin/true"])
    answer.append("exec")
except OSError:
    pass
"""
    assert run_code(sandbox, code, seconds=10) == []


def test_modes_that_cannot_hold_it_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SandboxBroken, match="multi"):
        ContainerBackend().open(LIMITS, SandboxNeeds(profile="multi"), slot=3)
    tried = []
    monkeypatch.setattr(modes, "probe", lambda mode: tried.append(mode) or modes.Probe("", mode, False))
    with pytest.raises(modes.MachineProblem, match="only modes A1 and B can hold"):
        modes.choose("auto", "confined", "multi")
    assert tried == ["A1", "B"]
