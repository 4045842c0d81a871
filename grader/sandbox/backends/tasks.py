"""Counting and watching processes through /proc: how many tasks a user has, what a family of processes uses.

Runs in the sandbox zygote. What is read here is the kernel's word; student code can influence it only by what it does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

TASKS = 64
"""Processes and threads of a student process that has its user, or its user namespace, to itself."""
MULTI_TASKS = 32
"""The same where it may start processes, each of which has memory of its own."""
_SHARED_USER_MARGIN = 512


def tasks_allowed(multi: bool, shared_user: bool) -> int:
    """RLIMIT_NPROC for a student process. It counts all tasks of the user: those that there are, and a margin.

    Only a bomb needs more than the margin, and a bomb must not use up what the user who grades may start.
    """
    if not shared_user:
        return MULTI_TASKS if multi else TASKS
    user = os.getuid()
    return _SHARED_USER_MARGIN + sum(
        int(status.get("Threads", "0"))
        for _, status in _processes()
        if status.get("Uid", "").split()[:1] == [str(user)]
    )


@dataclass(frozen=True)
class Use:
    """Bytes of memory and seconds of processor time."""

    memory: int
    cpu_seconds: float


def family_use(root: int, base: int) -> Use:
    """What `root` and all its descendants use: memory beyond `base` bytes each, which they share with the zygote.

    Processor time is that of those that run or were waited for.
    """
    statuses = dict(_processes())
    family, grown = {root}, True
    while grown:
        found = {pid for pid, status in statuses.items() if int(status.get("PPid", "0")) in family}
        # A process whose parent died is the child of its namespace's first process, which is `root`.
        grown = not found <= family
        family |= found
    memory = sum(max(0, _anonymous(statuses[pid]) - base) for pid in family if pid in statuses)
    return Use(memory, sum(_processor_time(pid) for pid in family))


def anonymous_memory() -> int:
    """Bytes of this process's own memory that no file backs."""
    return _anonymous(_status("self"))


def _anonymous(status: dict[str, str]) -> int:
    return sum(int(status.get(key, "0 kB").split()[0]) << 10 for key in ("RssAnon", "RssShmem", "VmSwap"))


def _processor_time(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()  # its name, in brackets, may hold anything
    except OSError:  # it has ended
        return 0.0
    return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")  # utime stime cutime cstime: proc(5)


def _processes() -> Iterator[tuple[int, dict[str, str]]]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            yield int(name), _status(name)


def _status(name: str) -> dict[str, str]:
    try:
        with open(f"/proc/{name}/status", "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:  # it has ended
        return {}
    # Its name is any bytes that it likes.
    pairs = (line.decode("ascii", "replace").partition(":") for line in lines)
    return {key: value.strip() for key, _, value in pairs}
