"""The judge's end of a sandbox zygote: start it, ask it for student processes, end it.

Runs in the judge, which trusts the zygote but watches it: a zygote that dies or does not answer is the machine's fault
(`SandboxBroken`), never the student's. The zygote is started with an empty environment and one inherited descriptor.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from grader.sandbox import control
from grader.sandbox.base import SandboxBroken, StudentTrouble
from grader.sandbox.facts import ExitFacts
from grader.sandbox.process import ConnectedProcess

START_SECONDS = 120.0
"""A cold import of torch from a slow disk takes its time."""
_CONTROL_SECONDS = 30.0


class ZygoteProcess(Protocol):
    """The part of `subprocess.Popen` that a sandbox needs of its zygote."""

    pid: int

    def wait(self, timeout: float | None = None) -> int:
        """Until it ended; raises subprocess.TimeoutExpired after `timeout` seconds."""

    def poll(self) -> int | None:
        """Its exit status if it ended."""

    def kill(self) -> None:
        """Send SIGKILL."""


Launch = Callable[[int, int], ZygoteProcess]
"""Starts a zygote with the control channel on the first descriptor and its output going to the second."""


def launch_command(command: Callable[[int], list[str]], environment: dict[str, str]) -> Launch:
    """Start a zygote by exec; `command(descriptor)` gives its arguments."""

    def launch(descriptor: int, output: int) -> ZygoteProcess:
        return subprocess.Popen(
            command(descriptor),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment,
            pass_fds=[descriptor],
            start_new_session=True,
        )

    return launch


class ZygoteSandbox:
    """A running zygote; `uids` are for its submissions in turn, `outer` the layers around the zygote itself."""

    def __init__(
        self,
        mode: str,
        launch: Launch,
        output_cap: int,
        uids: Sequence[int] | None = None,
        outer: Sequence[str] = (),
    ) -> None:
        self.mode = mode
        self._outer = list(outer)
        self._ready = False
        self._cap = output_cap
        self.uids = tuple(uids or ())
        self._uids = itertools.cycle(self.uids)
        self._uid = next(self._uids, None)
        self._numbers = itertools.count(1)
        self._swept = 0
        self._ended: dict[int, dict[str, Any]] = {}
        self._channel, theirs = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        try:
            self._process = launch(theirs.fileno(), self._errors.fileno())
        except OSError as error:
            raise SandboxBroken(f"the sandbox could not be started: {error}") from None
        finally:
            theirs.close()

    def wait_ready(self) -> None:
        """See `Sandbox.wait_ready`."""
        if self._ready:
            return
        self._channel.settimeout(START_SECONDS)
        try:
            message, _ = control.receive_message(self._channel)
        except (OSError, EOFError):
            text = self._what_it_said()
            self.close()
            raise SandboxBroken(f"the sandbox did not start: {text}") from None
        if message.get("threads") != 1:
            self.close()
            raise SandboxBroken("the warm interpreter has more than one thread, so it cannot be forked safely")
        self._channel.settimeout(_CONTROL_SECONDS)
        self._ready = True

    def expect_many(self) -> None:
        """See `Sandbox.expect_many`."""
        self.wait_ready()
        self._tell({"do": "compact"})

    def spawn(self, cpu_seconds: int) -> ConnectedProcess:
        """See `Sandbox.spawn`."""
        self.wait_ready()
        number = next(self._numbers)
        ours, theirs = socket.socketpair()
        pipes = [os.pipe(), os.pipe()]
        request = {"do": "spawn", "id": number, "uid": self._uid, "cpu_seconds": max(1, cpu_seconds)}
        try:
            control.send_message(self._channel, request, [theirs.fileno(), pipes[0][1], pipes[1][1]])
        except OSError:
            raise SandboxBroken(f"the sandbox is gone: {self._what_it_said()}") from None
        finally:
            theirs.close()
            os.close(pipes[0][1])
            os.close(pipes[1][1])
        process = ConnectedProcess(ours, [pipes[0][0], pipes[1][0]], self._cap, lambda: self._end(number))
        try:
            header, _ = process.receive(time.monotonic() + _CONTROL_SECONDS)
        except StudentTrouble as trouble:  # of our own making: no student code has run yet
            process.end()
            said = b"".join(process.printed()).decode("utf-8", "replace").strip()
            raise SandboxBroken(f"a student process could not be confined: {said or trouble}") from None
        process.layers = [*self._outer, *json.loads(header)["ready"]]
        return process

    def sweep(self) -> None:
        """See `Sandbox.sweep`; the next submission gets another uid."""
        self.wait_ready()
        self._uid = next(self._uids, None)
        number = next(self._numbers)
        self._tell({"do": "sweep", "id": number})
        while "swept" not in (message := self._next_message()) or message["swept"] != number:
            pass
        self._ended.clear()
        self._swept = number

    def close(self) -> None:
        """See `Sandbox.close`."""
        self._channel.close()
        if not self._ready:  # it is importing, and would not look at its channel for seconds
            self._process.kill()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def _end(self, number: int) -> ExitFacts:
        if number < self._swept:
            return ExitFacts(-signal.SIGKILL, 0.0, 0)  # a sweep has ended it; how it stood then is not kept
        if number not in self._ended:
            self._tell({"do": "kill", "id": number})
        while number not in self._ended:
            self._next_message()
        facts = self._ended.pop(number)
        status, seconds = int(facts["status"]), float(facts["cpu_seconds"])
        return ExitFacts(status, seconds, int(facts["peak_kb"]), bool(facts["over_memory"]))

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            control.send_message(self._channel, message)
        except OSError:
            raise SandboxBroken(f"the sandbox is gone: {self._what_it_said()}") from None

    def _next_message(self) -> dict[str, Any]:
        try:
            message, _ = control.receive_message(self._channel)
        except (OSError, EOFError):
            raise SandboxBroken(f"the sandbox is gone: {self._what_it_said()}") from None
        if "ended" in message:
            self._ended[message["id"]] = message["ended"]
        if "failed" in message:
            raise SandboxBroken(f"no process could be started in the sandbox: {message['failed']}")
        return message

    def _what_it_said(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        with contextlib.suppress(ValueError, OSError):
            self._errors.seek(0)
            lines = self._errors.read(20_000).decode("utf-8", "replace").strip().splitlines()
            if lines:
                return lines[-1]
        return f"it ended with status {self._process.poll()}"
