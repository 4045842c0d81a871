"""The sandbox zygote: a warm interpreter that forks one confined process per submission.

It is started by exec, inside the outer confinement where there is one, and holds nothing worth stealing: Python,
torch, the files of this package that a student process needs. It never reads a byte of student code and never runs
any. It obeys the control channel, reports how each child ended from the kernel's side (wait status, resource usage),
and stays single-threaded, since neither fork nor a new PID namespace gets along with threads. It ends with its judge.

Started as `main(descriptor of the control channel, settings as JSON)`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import io
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from typing import Any

from grader.sandbox import control
from grader.sandbox.backends import kernel, lockdown, tasks
from grader.sandbox.forkable import make_forkable, use_huge_pages
from grader.sandbox.settings import Settings
from grader.sandbox.worker import rehearse, serve_connection
from grader.wire.frames import pack_frame

SETUP_FAILED = 120
"""Exit status of a child that could not be confined; it has read no student code."""


WATCH_MS = 100
"""How often the memory of a student process that may start others is added up, in milliseconds."""


@dataclass
class _Child:
    number: int
    scratch: str | None
    cpu_seconds: int
    over_memory: bool = False
    cpu_used: float = 0.0


def main(descriptor: int, settings_json: str) -> None:
    """Warm up, say so, and serve until the control channel closes."""
    settings = Settings.from_json(settings_json)
    if settings.exposed:
        kernel.forbid_inspection()
    channel = socket.socket(fileno=descriptor)
    _warm_up(settings.preload)
    server = _ForkServer(channel, settings)
    threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
    control.send_message(channel, {"ready": True, "threads": threads, "pid": os.getpid()})
    server.serve()


def _warm_up(preload: tuple[str, ...]) -> None:
    """Import what submissions need, with one thread, forward only: a backward before fork may hang its children."""
    import site

    faulthandler.enable(2, all_threads=False)  # a child that crashes leaves the line that it was at on its own stderr
    site.setquit()  # `exit` and `quit` are put there by site, which this interpreter starts without
    for name in preload:
        importlib.import_module(name)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
        with torch.no_grad():
            torch.nn.Linear(8, 8)(torch.randn(3, 8))
            torch.randn(64, 64) @ torch.randn(64, 64)
    rehearse()
    make_forkable()


class _ForkServer:
    """Forks, kills and reaps children as the control channel asks."""

    def __init__(self, channel: socket.socket, settings: Settings) -> None:
        self._channel = channel
        self._settings = settings
        self._children: dict[int, _Child] = {}
        self._pidfds: dict[int, int] = {}
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._own_pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY) if settings.namespaces else -1
        self._base_memory = _address_space()
        self._base_anonymous = tasks.anonymous_memory() if settings.multi else 0
        self._tasks = tasks.tasks_allowed(settings.multi, settings.shared_user) if settings.filtered else None

    def serve(self) -> None:
        """Obey until the channel closes, then leave; the kernel ends the children with us."""
        while True:
            for descriptor, _ in self._poll.poll(self._patience()):
                if descriptor != self._channel.fileno():
                    self._reap(self._pidfds[descriptor])
                    continue
                try:
                    message, descriptors = control.receive_message(self._channel, max_descriptors=3)
                except EOFError:
                    self._sweep()
                    return
                self._obey(message, descriptors)
            if not self._pidfds:  # no pidfd on this system: look
                self._reap_finished()
            if self._settings.multi:
                self._watch_families()

    def _patience(self) -> int | None:
        """Milliseconds to wait for news; None for as long as it takes."""
        if self._children and self._settings.multi:
            return WATCH_MS
        return None if self._pidfds or not self._children else 20

    def _watch_families(self) -> None:
        """End a child whose processes use more together than one of them may: limits of each do not bound them."""
        for pid, child in self._children.items():
            use = tasks.family_use(pid, self._base_anonymous)
            child.cpu_used = max(child.cpu_used, use.cpu_seconds)
            child.over_memory = child.over_memory or use.memory > self._settings.memory
            if child.over_memory or use.cpu_seconds > child.cpu_seconds:
                _kill(pid)

    def _obey(self, message: dict[str, Any], descriptors: list[int]) -> None:
        if message["do"] == "spawn":
            self._spawn(message, descriptors)
        elif message["do"] == "kill":
            for pid, child in list(self._children.items()):
                if child.number == message["id"]:
                    _kill(pid)
        elif message["do"] == "compact":
            use_huge_pages()
        elif message["do"] == "sweep":
            self._sweep()
            control.send_message(self._channel, {"swept": message["id"]})

    def _spawn(self, message: dict[str, Any], descriptors: list[int]) -> None:
        scratch = tempfile.mkdtemp(prefix="grader-") if self._settings.scratch == "folder" else None
        try:
            pid = self._fork()
        except OSError as error:
            self._drop(descriptors, scratch)
            control.send_message(self._channel, {"id": message["id"], "failed": str(error)})
            return
        if pid == 0:
            self._be_child(message, descriptors, scratch)
        self._children[pid] = _Child(message["id"], scratch, message["cpu_seconds"])
        self._drop(descriptors, None)
        if hasattr(os, "pidfd_open"):
            pidfd = os.pidfd_open(pid)
            self._pidfds[pidfd] = pid
            self._poll.register(pidfd, select.POLLIN)

    def _fork(self) -> int:
        """Fork, into a new PID namespace where there are any."""
        if not self._settings.namespaces:
            return os.fork()
        kernel.unshare(kernel.CLONE_NEWPID)
        pid = -1
        try:
            pid = os.fork()
        finally:
            if pid != 0:  # else the next unshare would fail
                kernel.setns(self._own_pid_namespace, kernel.CLONE_NEWPID)
        return pid

    def _drop(self, descriptors: list[int], scratch: str | None) -> None:
        for descriptor in descriptors:
            os.close(descriptor)
        if scratch is not None:
            _remove(scratch)

    def _be_child(self, message: dict[str, Any], descriptors: list[int], scratch: str | None) -> None:
        """Everything a student process does; never returns."""
        status = SETUP_FAILED
        try:
            connection = _take_descriptors(descriptors)
            layers = lockdown.confine(self._plan(message, scratch))
            connection.sendall(pack_frame(json.dumps({"ready": layers}).encode("ascii")))
            status = 0
            serve_connection(connection)
        except BaseException:  # of ours: student code's exceptions are caught by the worker
            with contextlib.suppress(BaseException):
                os.write(2, traceback.format_exc().encode("utf-8", "replace"))
        finally:
            os._exit(status)

    def _plan(self, message: dict[str, Any], scratch: str | None) -> lockdown.Plan:
        settings = self._settings
        folder = lockdown.SCRATCH if settings.scratch == "tmpfs" else scratch
        return lockdown.Plan(
            namespaces=settings.namespaces,
            exposed=settings.exposed,
            uid=message["uid"],
            readable=settings.readable,
            filtered=settings.filtered,
            multi=settings.multi,
            tasks=self._tasks,
            memory=self._base_memory + settings.memory if self._base_memory else 0,
            cpu_seconds=message["cpu_seconds"],
            scratch_bytes=settings.scratch_bytes,
            scratch_files=settings.scratch_files,
            scratch=folder,
            environment=lockdown.student_environment(folder),
        )

    def _sweep(self) -> None:
        """End and reap every child."""
        for pid in list(self._children):
            _kill(pid)
        for pid in list(self._children):
            self._reap(pid)

    def _reap(self, pid: int) -> None:
        _, status, usage = os.wait4(pid, 0)
        self._gone(pid, status, usage)

    def _reap_finished(self) -> None:
        for pid in list(self._children):
            found, status, usage = os.wait4(pid, os.WNOHANG)
            if found:
                self._gone(pid, status, usage)

    def _gone(self, pid: int, status: int, usage: Any) -> None:
        child = self._children.pop(pid)
        for pidfd in [fd for fd, owner in self._pidfds.items() if owner == pid]:
            del self._pidfds[pidfd]
            self._poll.unregister(pidfd)
            os.close(pidfd)
        if child.scratch is not None:
            _remove(child.scratch)
        facts = {
            "status": os.waitstatus_to_exitcode(status),
            "cpu_seconds": max(child.cpu_used, usage.ru_utime + usage.ru_stime),
            "peak_kb": usage.ru_maxrss,
            "over_memory": child.over_memory,
        }
        with contextlib.suppress(OSError):  # the judge may be gone
            control.send_message(self._channel, {"id": child.number, "ended": facts})


def _kill(pid: int) -> None:
    """SIGKILL to a child and, where no PID namespace ends them with it, to its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _remove(folder: str) -> None:
    """Remove a folder with whatever is in it, be it too deep for Python or closed to its owner."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        for command in (["chmod", "-R", "u+rwx", folder], ["rm", "-rf", folder]):
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _take_descriptors(descriptors: list[int]) -> socket.socket:
    """0 is /dev/null, 1 and 2 the two pipes, 3 the connection; every other descriptor is closed."""
    connection, output, errors = descriptors
    for target, source in ((200, connection), (201, output), (202, errors), (203, os.open("/dev/null", os.O_RDONLY))):
        os.dup2(source, target)
    for target, source in ((0, 203), (1, 201), (2, 202), (3, 200)):
        os.dup2(source, target)
    if sys.platform == "linux":
        kernel.close_from(4)
    else:
        os.closerange(4, 256)
    # New streams: those of the warm interpreter remember what they were opened on.
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        raw = io.FileIO(descriptor, "w", closefd=False)
        stream = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace")
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return socket.socket(fileno=3)


def _address_space() -> int:
    """Bytes of address space of this process, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
