"""A slot: one judge zygote with its own sandbox, judging one submission after the other.

`main` runs in a process of its own, started by the command (`local.Slot`), with torch and pytest imported and the
checks collected once. For each submission it forks: the fork judges and sends the result up a pipe, and ends. So no
submission meets a judge that another one has talked to, and a judge that dies costs one attempt. The slot talks to the
command over its standard input and output, in length-prefixed msgpack; it ends when the command does.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec

from grader.batch.slot_messages import FromSlot, Job, Task, receive, send
from grader.content import load_assignment
from grader.errors import GraderError
from grader.judge.session import Judge, collect_checks
from grader.model.assignment import Assignment
from grader.sandbox.base import Sandbox, SandboxBroken
from grader.sandbox.forkable import make_forkable, use_huge_pages
from grader.sandbox.modes import backend_for

PRELOAD = ("numpy", "torch")
"""Imported in every sandbox before the first fork; an assignment may add to it."""
_WORTH_REHEARSING = 12
"""Submissions for a slot from which on it grades the reference once before it forks.

Then pytest, torch and the checks have run: what they build at their first use, and what the interpreter notes in the
code that it runs, is shared by all forks. That saves about a tenth of a grading's time in each.
"""
_MANY = 100
"""Submissions for a slot from which on it moves its memory into huge pages, which takes up to a second."""
_LATE_SECONDS = 2.0
"""How much longer than a platform's time a judge may take, whose own clock should have ended it."""
_JUDGE_MEMORY = 2 << 30
"""Bytes of address space that one judge may add to the zygote's."""


def main() -> None:
    """Serve until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command decides what an interrupt means
    _allow_descriptors()
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints by itself must not land among the messages
    job = receive(incoming, Job)
    try:
        assignment = load_assignment(Path(job.course), job.assignment).with_memory(job.memory_mb)
        holder = _SandboxHolder(job, assignment)

        def ready(judge: Judge) -> None:
            _warm_up(judge, holder, job.expected)
            _serve(judge, holder, incoming, outgoing, assignment)

        try:
            collect_checks(assignment, False, ready)
        finally:
            holder.close()
    except (GraderError, SandboxBroken) as error:
        send(outgoing, FromSlot(problem=str(error), problem_status=getattr(error, "exit_status", 3)))
    except (EOFError, BrokenPipeError):
        pass


class _SandboxHolder:
    """The slot's sandbox, opened again when it broke."""

    def __init__(self, job: Job, assignment: Assignment) -> None:
        self._open: Callable[[], Sandbox] = lambda: backend_for(job.mode).open(
            assignment.about.limits, assignment.about.sandbox.with_modules(*PRELOAD), job.slot
        )
        self.sandbox = self._open()

    def clean(self) -> None:
        """End whatever the last submission left; start the sandbox anew if it does not answer."""
        try:
            self.sandbox.sweep()
        except SandboxBroken:
            self.close()
            self.sandbox = self._open()
            self.sandbox.wait_ready()

    def close(self) -> None:
        """End the sandbox."""
        with contextlib.suppress(OSError):
            self.sandbox.close()


def _warm_up(judge: Judge, holder: _SandboxHolder, expected: int) -> None:
    """Do once, here, what every fork would have to do again, as far as `expected` submissions make it worth while."""
    holder.sandbox.wait_ready()
    if expected >= _WORTH_REHEARSING:
        judge.rehearse(holder.sandbox)
        holder.clean()
    make_forkable()
    if expected >= _MANY:
        holder.sandbox.expect_many()
        use_huge_pages()


def _serve(
    judge: Judge, holder: _SandboxHolder, incoming: BinaryIO, outgoing: BinaryIO, assignment: Assignment
) -> None:
    send(outgoing, FromSlot(ready=True))
    limits = assignment.about.limits
    patience = limits.total_seconds + limits.cpu_seconds + 60
    while True:
        try:
            task = receive(incoming, Task)
        except EOFError:
            return
        if hasattr(os, "fork"):
            within = patience if task.plan.seconds is None else min(patience, task.plan.seconds + _LATE_SECONDS)
            answer = _judge_in_fork(judge, holder.sandbox, task, incoming.fileno(), within)
        else:
            answer = FromSlot(result=judge.judge(task.submission, holder.sandbox, task.plan))
        send(outgoing, answer)  # first: a sandbox that cannot be cleaned must not cost this result
        holder.clean()


def _judge_in_fork(judge: Judge, sandbox: Sandbox, task: Task, command: int, patience: float) -> FromSlot:
    """Judge in a fork and wait for it, for at most `patience` seconds, as long as the command lives."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _be_judge(judge, sandbox, task, reader, writer)
    os.close(writer)
    deadline = time.monotonic() + patience
    body, late = bytearray(), True
    watched = [reader, command]
    try:
        while (left := deadline - time.monotonic()) > 0:
            readable, _, _ = select.select(watched, [], [], left)
            if reader in readable:
                chunk = os.read(reader, 1 << 20)
                if not chunk:
                    late = False
                    break
                body += chunk
            elif command in readable:  # only ever its end: it sends nothing while it waits for us
                raise EOFError
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(reader)
    if late:
        return FromSlot(lost=f"the judge had no result after {patience:.0f} s", final=True)
    try:
        return msgspec.msgpack.decode(bytes(body), type=FromSlot)
    except msgspec.DecodeError:
        return FromSlot(lost=f"the judge ended with status {os.waitstatus_to_exitcode(status)} before it had a result")


def _be_judge(judge: Judge, sandbox: Sandbox, task: Task, reader: int, writer: int) -> NoReturn:
    """The forked judge: one submission, one result, the end."""
    gc.disable()
    try:
        os.close(reader)
        _die_with_parent()
        _bound_memory()
        try:
            answer = FromSlot(result=judge.judge(task.submission, sandbox, task.plan))
        except BaseException:
            answer = FromSlot(lost="".join(traceback.format_exc()))
        view = memoryview(_encode(answer))
        while view:
            view = view[os.write(writer, view) :]
    finally:
        os._exit(0)


def _allow_descriptors() -> None:
    """Take the whole number of descriptors that this user may have.

    The kernel measures those that all processes of a user have on their way to each other by the limit of who sends:
    students' processes in profile multi, which have a low one, must not use up a judge's.
    """
    if sys.platform == "linux":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _bound_memory() -> None:
    """A judge that is made to hold too much ends with a MemoryError instead of ending its machine."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm") as file:
            present = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (present + _JUDGE_MEMORY, present + _JUDGE_MEMORY))


def _encode(answer: FromSlot) -> bytes:
    """The answer as bytes; should it hold text or numbers that cannot be encoded, then without them.

    Whatever a student sends is cleaned where it comes in. This is the last line: hostile text must not cost a result.
    """
    try:
        return msgspec.msgpack.encode(answer)
    except (UnicodeEncodeError, OverflowError, ValueError, TypeError):
        return msgspec.msgpack.encode(_encodable(msgspec.to_builtins(answer)))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(item) for item in value]
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        return str(value)
    return value


def _die_with_parent() -> None:
    if sys.platform == "linux":
        from grader.sandbox.backends.kernel import die_with_parent

        die_with_parent()


if __name__ == "__main__":
    main()
