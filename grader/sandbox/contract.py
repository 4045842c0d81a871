"""What every confined sandbox promises, as checks that run anywhere: `grader doctor` and the tests call them.

Runs in the command or a test. Each promise sends a few lines of hostile code into a real process of the mode and judges
by what comes back and by the kernel's facts.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.base import Sandbox, SandboxBroken, StudentGone, StudentTimeout
from grader.sandbox.facts import struck_cpu_limit
from grader.sandbox.modes import backend_for
from grader.sandbox.running import answer_of, run_code

LIMITS = Limits(memory_mb=256, scratch_mb=4, scratch_files=50, cpu_seconds=10)


@dataclass(frozen=True)
class Promise:
    """One promise; `attempt` returns None if it was kept, else what happened instead."""

    title: str
    attempt: Callable[[Sandbox], str | None]


def try_contract(mode: str) -> list[str | None]:
    """For each of PROMISES: None if this mode keeps it here, else what happened instead."""
    return [_try(mode, promise) for promise in PROMISES]


def _try(mode: str, promise: Promise) -> str | None:
    """One promise, in a sandbox of its own: what one breaks is no excuse for the next."""
    try:
        sandbox = backend_for(mode).open(LIMITS, SandboxNeeds(), slot=9)
        try:
            sandbox.wait_ready()
            return promise.attempt(sandbox)
        finally:
            sandbox.close()
    except (SandboxBroken, OSError) as broken:
        return f"the sandbox broke: {broken}"


def _no_network(sandbox: Sandbox) -> str | None:
    code = """
import socket
answer = []
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    try:
        socket.socket(family, socket.SOCK_STREAM)
        answer.append(int(family))
    except OSError:
        pass
"""
    opened = run_code(sandbox, code)
    return f"sockets of the families {opened} could be made" if opened else None


def _private_paths_unreadable(sandbox: Sandbox) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret.txt"
        secret.write_text("secret")
        secret.chmod(0o644)
        Path(folder).chmod(0o755)
        paths = [str(secret), "/etc/passwd", "/root", "/home", str(Path.home())]
        code = f"""
import os
answer = []
for path in {paths!r}:
    try:
        answer.append(path + ": " + (open(path).read() if os.path.isfile(path) else str(os.listdir(path))))
    except OSError:
        pass
"""
        read = run_code(sandbox, code)
    return f"these could be read: {read}" if read else None


def _no_processes(sandbox: Sandbox) -> str | None:
    code = """
import os, subprocess
answer = []
try:
    if os.fork() == 0:
        os._exit(0)
    answer.append("fork")
except OSError:
    pass
try:
    subprocess.run(["/bin/true"])
    answer.append("exec")
except OSError:
    pass
"""
    done = run_code(sandbox, code)
    return f"these worked: {done}" if done else None


def _memory_is_bounded(sandbox: Sandbox) -> str | None:
    code = """
try:
    block = bytearray(600 << 20)
    answer = "600 MB could be taken"
except MemoryError:
    answer = None
"""
    value = run_code(sandbox, code)
    return value if isinstance(value, str) else None


def _processor_time_is_bounded(sandbox: Sandbox) -> str | None:
    try:
        run_code(sandbox, "while True:\n    pass", seconds=10.0, cpu_seconds=1)
    except StudentGone as gone:
        return None if struck_cpu_limit(gone.facts, 1) else f"it ended with status {gone.facts.status} instead"
    except StudentTimeout:
        return "it ran on past its processor time"
    return "an endless loop ended by itself"


def _waiting_is_bounded(sandbox: Sandbox) -> str | None:
    started = time.monotonic()
    try:
        run_code(sandbox, "import time\ntime.sleep(100)", seconds=0.5)
    except StudentTimeout:
        late = time.monotonic() - started
        return None if late < 10 else f"it took {late:.0f} s to end a sleeping process"
    return "a sleep of 100 s ended by itself"


def _scratch_is_bounded(sandbox: Sandbox) -> str | None:
    code = """
import os
answer, written = [], 0
try:
    with open("big", "wb") as file:
        for _ in range(64):
            file.write(b"x" * (1 << 20))
            file.flush()
            written += 1
    answer.append(f"{written} MB could be written")
except OSError:
    pass
try:
    for number in range(1000):
        open(f"file{number}", "w").close()
    answer.append("1000 files could be made")
except OSError:
    pass
"""
    done = run_code(sandbox, code)
    return ", ".join(done) if done else None


def _scratch_is_empty(sandbox: Sandbox) -> str | None:
    leave = """
import os
answer = []
for folder in (".", "/tmp", "/var/tmp", "/dev/shm", os.environ["HOME"]):
    try:
        open(os.path.join(folder, "left-by-the-contract"), "w").write("x")
        answer.append(folder)
    except OSError:
        pass
"""
    look = """
import os
answer = []
for folder in (".", "/tmp", "/var/tmp", "/dev/shm", os.environ["HOME"]):
    try:
        answer += os.listdir(folder)
    except OSError:
        pass
    if os.path.exists(os.path.join(folder, "left-by-the-contract")):
        answer.append(folder)
"""
    run_code(sandbox, leave)
    sandbox.sweep()
    found = run_code(sandbox, look)
    return f"the next process found {found}" if found else None


def _no_process_is_left(sandbox: Sandbox) -> str | None:
    code = "import os, threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\nanswer = os.getpid()"
    process = sandbox.spawn(10)
    answer_of(process, code, 5.0)
    facts = process.end()
    sandbox.sweep()
    return None if facts.signal_name == "SIGKILL" else f"it ended with status {facts.status}, not when it was killed"


def _signals_stay_inside(sandbox: Sandbox) -> str | None:
    code = f"""
import os
answer = []
for number in [{os.getpid()}, os.getppid(), *range(2, 3000)]:
    try:
        if number not in (0, os.getpid()):
            os.kill(number, 0)
            answer.append(number)
    except OSError:
        pass
"""
    reached = run_code(sandbox, code)
    return f"signals could be sent to the processes {reached[:5]}" if reached else None


def _kernel_interfaces_are_closed(sandbox: Sandbox) -> str | None:
    code = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
numbers = {
    "x86_64": dict(ptrace=101, unshare=272, setns=308, mount=165, chroot=161, bpf=321, perf_event_open=298,
                   userfaultfd=323, keyctl=250, add_key=248, memfd_create=319, shmget=29, execve=59,
                   process_vm_readv=310),
    "aarch64": dict(ptrace=117, unshare=97, setns=268, mount=40, chroot=51, bpf=280, perf_event_open=241,
                    userfaultfd=282, keyctl=219, add_key=217, memfd_create=279, shmget=194, execve=221,
                    process_vm_readv=270),
}[platform.machine()] | dict(clone3=435, io_uring_setup=425, pidfd_open=434, pidfd_getfd=438, open_tree=428)
answer = []
for name, number in numbers.items():
    ctypes.set_errno(0)
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (1, 38):  # EPERM, ENOSYS
        answer.append(name)
"""
    opened = run_code(sandbox, code)
    return f"these system calls were not refused: {opened}" if opened else None


def _environment_is_bare(sandbox: Sandbox) -> str | None:
    name = f"GRADER_CONTRACT_{secrets.token_hex(4)}"
    os.environ[name] = "secret"
    try:
        # The zygote of this sandbox was started before: a new one would inherit the variable if anything did.
        fresh = backend_for(sandbox.mode).open(LIMITS, SandboxNeeds(), slot=8)
        try:
            fresh.wait_ready()
            code = """
import os
answer = dict(os.environ)
for name in ("/proc/1/environ", "/proc/self/environ"):
    try:
        answer[name] = open(name, "rb").read().decode("latin-1")
    except OSError:
        pass
"""
            seen = run_code(fresh, code)
        finally:
            fresh.close()
    finally:
        del os.environ[name]
    return "variables of the grader's environment were seen" if name in str(seen) else None


def _no_capabilities(sandbox: Sandbox) -> str | None:
    code = """
names = ("CapEff", "CapPrm", "CapInh", "CapAmb", "NoNewPrivs", "Seccomp:")
answer = [line for line in open("/proc/self/status") if line.startswith(names)]
"""
    try:
        lines = run_code(sandbox, code)
    except SandboxBroken as broken:
        return None if "FileNotFoundError" in str(broken) else str(broken)  # no /proc at all is as good
    facts = dict(line.split() for line in lines)
    # Not the bounding set: only root may empty it, and without exec nothing is gained from it.
    held = {name: value for name, value in facts.items() if name.startswith("Cap") and int(value, 16)}
    if held:
        return f"it holds capabilities: {held}"
    return None if facts.get("NoNewPrivs:") == "1" and facts.get("Seccomp:") == "2" else f"unconfined: {facts}"


PROMISES: tuple[Promise, ...] = (
    Promise("no network", _no_network),
    Promise("private paths are unreadable", _private_paths_unreadable),
    Promise("no other processes", _no_processes),
    Promise("signals reach nobody else", _signals_stay_inside),
    Promise("the kernel's other interfaces are closed", _kernel_interfaces_are_closed),
    Promise("memory is bounded, and reported as such", _memory_is_bounded),
    Promise("processor time is bounded, and reported as such", _processor_time_is_bounded),
    Promise("waiting is bounded", _waiting_is_bounded),
    Promise("the scratch folder is bounded in size and number of files", _scratch_is_bounded),
    Promise("no file is left for the next process", _scratch_is_empty),
    Promise("no process is left", _no_process_is_left),
    Promise("the grader's environment is not seen", _environment_is_bare),
    Promise("no privileges are held or can be gained", _no_capabilities),
)
