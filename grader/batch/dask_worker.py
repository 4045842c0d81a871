"""What runs on the workers of a Dask cluster: slots for one run, opened once, kept warm, and ended with it.

Runs in the workers' processes, which are trusted with the hidden checks: they arrive as a bundle and lie in a folder of
the worker's own that nobody else may enter, until the run or the worker ends. Student code runs neither here nor in
Dask's threads, only in the sandboxes of the slots, which are processes of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
from distributed import Worker, WorkerPlugin

from grader.batch.bundle import unpack
from grader.batch.cluster_messages import Order, Readiness, versions_here
from grader.batch.local import Slot, Slots
from grader.batch.slot_messages import FromSlot, Task
from grader.content import load_assignment
from grader.errors import GraderError, MachineProblem
from grader.pipeline import Unjudged
from grader.sandbox.modes import choose, slots_at_once


class SlotsPlugin(WorkerPlugin):
    """The slots of one run on this worker; Dask calls `teardown` when the run or the worker ends."""

    def __init__(self) -> None:
        self._ends = contextlib.ExitStack()
        self._free: queue.SimpleQueue[Slot] = queue.SimpleQueue()

    def open(self, order: Order, threads: int, scratch: Path) -> Readiness:
        """Unpack the assignment in a new folder under `scratch` and open a slot for each thread. Takes seconds."""
        try:
            if problem := _other_versions(order.versions, versions_here()):
                return Readiness(problem=problem)
            scratch.mkdir(parents=True, exist_ok=True)
            course = Path(tempfile.mkdtemp(prefix=f"grader-{order.bundle.sha256}-", dir=scratch))  # mode 0700
            self._ends.callback(shutil.rmtree, course, ignore_errors=True)
            unpack(order.bundle, course)
            return self._opened(order, threads, course)
        except GraderError as problem:
            return Readiness(problem=str(problem), everywhere=problem.exit_status == 2)
        except Exception as error:  # what is raised in a worker goes to its log, with what is private beside it
            return Readiness(problem=f"The slots could not be opened: {type(error).__name__}: {error}.")

    def _opened(self, order: Order, threads: int, course: Path) -> Readiness:
        assignment = load_assignment(course, order.assignment)
        if assignment.fingerprint != order.fingerprint:
            raise MachineProblem("The assignment looks otherwise here than where the command runs.")
        profile = assignment.about.sandbox.profile
        mode = choose(order.isolation, assignment.about.isolation.minimum, profile)
        count = slots_at_once(mode, threads, profile)
        shared = slots_at_once(mode, 2, profile) < 2
        slots = self._ends.enter_context(Slots(course, assignment.id, mode, count, order.expected * count))
        for slot in slots.each:
            self._free.put(slot)
        return Readiness(count, mode, _kernel_and_user() if shared else "")

    def judge(self, task: bytes) -> bytes:
        """Have a free slot judge an encoded `Task`; the answer is an encoded `FromSlot`."""
        given = msgspec.msgpack.decode(task, type=Task)
        slot = self._free.get()
        try:
            answer = FromSlot(result=slot.judge(given.submission, given.plan))
        except Unjudged as problem:
            answer = FromSlot(lost=str(problem), final=problem.final)
        except Exception as error:  # as above
            answer = FromSlot(lost=f"{type(error).__name__}: {error}")
        finally:
            self._free.put(slot)
        return msgspec.msgpack.encode(answer)

    async def teardown(self, worker: Worker) -> None:
        """End the slots and remove what was unpacked. Called by Dask."""
        await asyncio.to_thread(self._ends.close)


async def prepare(name: str, order: bytes, dask_worker: Worker) -> bytes:
    """Open the slots of the run `name` on this worker, from an encoded `Order`; the answer is a `Readiness`."""
    plugin = SlotsPlugin()
    answer = await dask_worker.plugin_add(plugin, name)
    assert answer["status"] == "OK"
    given = msgspec.msgpack.decode(order, type=Order)
    scratch = Path(dask_worker.local_directory)
    ready = await asyncio.to_thread(plugin.open, given, dask_worker.state.nthreads, scratch)
    if ready.problem is not None:
        await leave(name, dask_worker)
    elif name not in dask_worker.plugins:  # the run ended while the slots were opened
        await plugin.teardown(dask_worker)
    return msgspec.msgpack.encode(ready)


async def leave(name: str, dask_worker: Worker) -> None:
    """End the run `name` on this worker."""
    if name in dask_worker.plugins:
        await dask_worker.plugin_remove(name)


def judging() -> Callable[[str, bytes], bytes]:
    """The task that workers run; it gives nothing where the run `name` has no slots.

    Dask takes a function made by another along as code, so a scheduler needs no grader to pass it on.
    """

    def judge(name: str, task: bytes) -> bytes:
        from distributed import get_worker

        plugin = get_worker().plugins.get(name)
        # Not isinstance: that would take the class along.
        answer: bytes = getattr(plugin, "judge")(task) if plugin is not None else b""  # noqa: B009
        return answer

    return judge


def _other_versions(wanted: dict[str, str], here: dict[str, str]) -> str | None:
    """What differs, as a sentence; results would differ too."""
    other = [
        f"{name} {here.get(name)} instead of {version}" for name, version in wanted.items() if here.get(name) != version
    ]
    return f"It has {', '.join(other)}; give it what the command has." if other else None


def _kernel_and_user() -> str:
    with open("/proc/sys/kernel/random/boot_id") as file:
        return f"{file.read().strip()} {os.getuid()}"
