"""The plain backend: an ordinary process with time and memory limits. It protects nothing, and says so.

Runs in the judge. For a student's own machine (`grader check`), and for `grade` only when it is told
`--isolation plain`. On Linux a warm zygote forks one process per submission; elsewhere, where there is no fork
(Windows) or a fork of a process that uses system libraries is not dependable (macOS), each student process is a new
interpreter that connects back over the loopback interface.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import NoReturn

from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.backends.interpreter import plain_arguments
from grader.sandbox.backends.spawned import SpawnSandbox
from grader.sandbox.base import Sandbox
from grader.sandbox.settings import Settings
from grader.sandbox.zygote import ZygoteSandbox, launch_command

_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH")


@dataclass(frozen=True)
class PlainBackend:
    """Mode `plain`; `fork` says whether a zygote is used."""

    fork: bool = sys.platform == "linux"
    name: str = "plain"
    mode: str = "plain"

    def open(self, limits: Limits, needs: SandboxNeeds, slot: int) -> Sandbox:
        """See `Backend.open`."""
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        environment |= {"PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}
        if not self.fork:
            return SpawnSandbox(limits.output_kb << 10, environment, tuple(needs.preload))
        arguments, settings = plain_arguments(), _settings(limits, needs)

        def command(descriptor: int) -> list[str]:
            return [*arguments, str(descriptor), settings]

        return ZygoteSandbox("plain", launch_command(command, environment), limits.output_kb << 10)

    def open_here(self, limits: Limits, needs: SandboxNeeds) -> Sandbox:
        """A zygote that is a fork of this process, which has imported what the zygote preloads and no check.

        For `grader check` alone, where nothing is secret and an import of torch less is half of the time. The process
        must have one thread.
        """
        settings = _settings(limits, needs)
        return ZygoteSandbox(
            "plain", lambda channel, output: ForkedZygote(channel, output, settings), limits.output_kb << 10
        )


class ForkedZygote:
    """A zygote made by fork, with the part of `subprocess.Popen` that a sandbox uses."""

    def __init__(self, channel: int, output: int, settings: str) -> None:
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            self._serve(channel, output, settings)

    @staticmethod
    def _serve(channel: int, output: int, settings: str) -> NoReturn:
        try:
            os.setsid()  # an interrupt from the keyboard reaches the command alone
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.dup2(channel, 3)
            os.closerange(4, 4096)  # the judge's end of the channel too: it must close when the judge ends
            from grader.sandbox import forkserver  # here, since it needs what Windows has not

            forkserver.main(3, settings)
        finally:
            os._exit(0)

    def wait(self, timeout: float | None = None) -> int:
        """Until it ended; raises subprocess.TimeoutExpired after `timeout` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("zygote", timeout or 0.0)
            time.sleep(0.002)
        return self._status or 0

    def poll(self) -> int | None:
        """Its exit status if it ended."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def kill(self) -> None:
        """Send SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)


def _settings(limits: Limits, needs: SandboxNeeds) -> str:
    return Settings(
        namespaces=False,
        exposed=False,
        shared_user=True,
        filtered=False,
        readable=None,
        scratch="folder",
        multi=False,  # nothing forbids it here, and nothing watches it
        preload=tuple(needs.preload),
        memory=limits.memory_mb << 20,
        scratch_bytes=limits.scratch_mb << 20,
        scratch_files=limits.scratch_files,
    ).to_json()
