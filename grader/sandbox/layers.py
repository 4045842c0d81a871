"""The layers that confinement is made of, each tried for real on this machine.

Runs in the command, for `grader doctor`; no student code is near. Each layer is tried in a child that is forked for it
alone: what it takes away (privileges, files, system calls) is gone with the child, and one that hangs or is killed
costs a row and a few seconds. The caller must have one thread, or the fork may hang. A row says what was done and what
came back. Settings and versions decide nothing; they are read only to choose the hint for what is missing.
"""

from __future__ import annotations

import contextlib
import os
import platform
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from grader.model.text import plain_line

_PATIENCE = 15.0
"""Seconds that one try may take."""


@dataclass(frozen=True)
class Layer:
    """One layer: whether it is to be had here, what was tried and what came back, and how to get it if it is missing.

    `needed_by` names the modes that cannot do without it; another may still use it where it is there.
    """

    name: str
    present: bool
    tried: str
    hint: str
    needed_by: tuple[str, ...] = ()


class Absent(Exception):
    """The layer is not to be had; the text says what was tried and what came back."""


@dataclass(frozen=True)
class Trial:
    """How one layer is tried, which modes cannot do without it, and what to tell whoever lacks it.

    `attempt` returns what came back in one clause, or raises Absent with it.
    """

    name: str
    needed_by: tuple[str, ...]
    attempt: Callable[[], str]
    hint: Callable[[], str]


def try_layers() -> list[Layer]:
    """Every layer, outermost first, tried now."""
    if sys.platform != "linux":
        hint = "run the grader on Linux: in a container, in a virtual machine, or in WSL 2"
        tried = f"nothing: {platform.system()} has none of the layers that the modes are made of"
        return [Layer("confinement", False, tried, hint, ("A1", "A2", "B", "C"))]
    from grader.sandbox.layer_trials import trials  # which only Linux can load

    return [_try(trial) for trial in trials(os.geteuid() == 0)]


def _try(trial: Trial) -> Layer:
    present, tried = in_child(trial.attempt, _PATIENCE)
    return Layer(trial.name, present, plain_line(tried, 160), "" if present else trial.hint(), trial.needed_by)


def in_child(attempt: Callable[[], str], seconds: float) -> tuple[bool, str]:
    """Whether `attempt` succeeds in a forked child, and what it says; it fails by raising, or by taking too long."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _be_child(attempt, writer)
    os.close(writer)
    try:
        answer = _read(reader, time.monotonic() + seconds)
    finally:
        os.close(reader)
        for end in (os.killpg, os.kill):  # what it may have started, and itself if it got no further than fork
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    if answer is None:
        return False, f"no answer within {seconds:g} s"
    if not answer:
        return False, f"the process that tried it ended with status {os.waitstatus_to_exitcode(status)}"
    return answer.startswith("+"), answer[1:]


def _read(reader: int, deadline: float) -> str | None:
    """Everything up to the end of the pipe, or None if it does not end in time."""
    content = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([reader], [], [], left)[0]:
            continue
        chunk = os.read(reader, 1 << 16)
        if not chunk:
            return content.decode("utf-8", "replace")
        content += chunk
    return None


def _be_child(attempt: Callable[[], str], writer: int) -> NoReturn:
    try:
        os.setsid()
        try:
            answer = f"+{attempt()}"
        except Absent as absent:
            answer = f"-{absent}"
        except BaseException as error:  # whatever it is, it is this layer's row
            answer = f"-{type(error).__name__}: {error}"
        os.write(writer, answer.encode("utf-8", "replace")[:4000])
    finally:
        os._exit(0)
