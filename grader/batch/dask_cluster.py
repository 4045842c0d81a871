"""The connection to a Dask cluster: who is there, opening a worker's slots, having one of them judge.

Runs in the command; used by many threads at once. Each task may run on the one worker that was chosen for it and on no
other. Dask's exceptions end here: a worker is lost, or the scheduler is. Certificates for tls:// addresses come from
Dask's own configuration.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import warnings
from collections.abc import Sequence
from concurrent.futures import CancelledError

import dask
import msgspec
from distributed import Client, Future, KilledWorker, Security
from distributed.comm.core import connect

from grader.batch.cluster_messages import Order, Readiness
from grader.batch.dask_worker import judging, leave, prepare
from grader.batch.places import Place
from grader.batch.slot_messages import FromSlot, Task
from grader.errors import MachineProblem, UsageProblem

_CONNECT_SECONDS = 10
_ARRIVAL_SECONDS = 5
"""For a finished result to arrive; then its worker is looked at: it may have been lost with the result."""
_LARGE = "1 GiB"
"""Dask warns of tasks that carry more; a submission may be 10 MiB and more."""


class WorkerLost(Exception):
    """The worker is gone, or no longer has the slots of this run."""


class SchedulerGone(MachineProblem):
    """The scheduler does not answer any more."""


class Cluster:
    """A connection to the scheduler at `address`; `run` names what is opened on the workers."""

    def __init__(self, address: str, run: str) -> None:
        """Connect.

        Raises:
            UsageProblem: the address has no form that Dask knows.
            MachineProblem: nobody answers there.
        """
        for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters of it is told in sentences
        dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGE})
        self._address = address
        self._run = run
        self._numbers = itertools.count()
        self._task = judging()
        try:
            asyncio.run(_knock(address))  # first: a client that fails to start complains long and loudly
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # versions are compared by the workers themselves
                self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False, name=run)
        except (ValueError, TypeError) as error:
            raise UsageProblem(f"--scheduler {address} cannot be used: {error}.") from None
        except OSError as error:  # a time-out, too
            raise MachineProblem(
                f"No Dask scheduler answers at {address} ({type(error).__name__}); start one with `dask scheduler`, or "
                "correct --scheduler."
            ) from None

    def workers(self) -> dict[str, int]:
        """The threads of each worker, by its address. Raises SchedulerGone."""
        try:
            found: dict[str, int] = dict(self._client.nthreads())
        except Exception:
            raise self._gone() from None
        return found

    def prepare(self, address: str, order: Order) -> Readiness:
        """Open a worker's slots, which takes seconds. Raises WorkerLost."""
        body = msgspec.msgpack.encode(order)
        try:
            found = self._client.run(prepare, self._run, body, workers=[address], on_error="return")
        except Exception as error:
            raise WorkerLost(str(error)) from None
        answer = found.get(address)
        if isinstance(answer, bytes):
            return msgspec.msgpack.decode(answer, type=Readiness)
        if answer is None or isinstance(answer, (OSError, KeyError)):  # the scheduler does not know it any more
            raise WorkerLost(str(answer))
        if isinstance(answer, ImportError) or "ModuleNotFoundError" in str(answer):  # which Dask may put into another
            return Readiness(problem=f"It does not have this grader ({answer}); install what the command has.")
        return Readiness(problem=f"Its slots cannot be opened: {type(answer).__name__}: {answer}.")

    def judge(self, place: Place, task: Task) -> FromSlot:
        """Have the worker of `place` judge, and wait for it. Raises WorkerLost or SchedulerGone."""
        try:
            future = self._client.submit(
                self._task,
                self._run,
                msgspec.msgpack.encode(task),
                key=f"{self._run}-{next(self._numbers)}",
                workers=[place.address],
                allow_other_workers=False,
                pure=False,
            )
            try:
                future.add_done_callback(lambda _: place.woken.set())
                answer = _answer(future, place)
            finally:
                future.release()
        except KilledWorker as error:
            raise WorkerLost(str(error)) from None
        except CancelledError:
            raise self._gone() from None
        except WorkerLost:
            raise
        except Exception as error:  # of the task, or of a scheduler that cannot pass it on
            if self._client.status != "running":
                raise self._gone() from None
            return FromSlot(lost=f"the worker {place.address} failed: {type(error).__name__}: {error}")
        if not answer:
            raise WorkerLost(f"{place.address} has no slots of this run any more")
        return msgspec.msgpack.decode(answer, type=FromSlot)

    def leave(self, addresses: Sequence[str]) -> None:
        """End this run's slots on these workers."""
        if addresses:
            self._client.run(leave, self._run, workers=list(addresses), on_error="ignore")

    def close(self) -> None:
        """Close the connection; the cluster goes on."""
        self._client.close(timeout=_ARRIVAL_SECONDS)

    def _gone(self) -> SchedulerGone:
        return SchedulerGone(
            f"The Dask scheduler at {self._address} does not answer any more. What was finished is in place; run the "
            "same command again to go on."
        )


async def _knock(address: str) -> None:
    comm = await connect(address, timeout=_CONNECT_SECONDS, **Security().get_connection_args("client"))
    await comm.close()


def _answer(future: Future[bytes], place: Place) -> bytes:
    while True:
        place.woken.wait()
        if place.lost:
            raise WorkerLost(place.address)
        with contextlib.suppress(TimeoutError):
            return future.result(timeout=_ARRIVAL_SECONDS)
