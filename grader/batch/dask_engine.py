"""A class graded on a Dask cluster: which worker gets what, and what happens when one is lost.

Runs in the command. Each worker opens its own slots; each submission goes to a worker that is chosen here, and only as
many are out as the slots can work on. So it is known who was where when a worker dies: its submissions are tried on
others, the last time with a worker to themselves, and one that three workers did not survive is ungraded. The cluster's
own settings for retries do not matter. Workers may come and go. Trusts the scheduler and the workers, which see the
submissions and the hidden checks.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.bundle import pack
from grader.batch.cluster_messages import Order, Readiness, versions_here
from grader.batch.dask_cluster import Cluster, SchedulerGone, WorkerLost
from grader.batch.feeding import Feed, Outcome, Read
from grader.batch.places import Places, Stopped
from grader.batch.slot_messages import Task
from grader.errors import GraderError, MachineProblem, UsageProblem
from grader.model.assignment import Assignment
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.pipeline import JudgeProcess, Unjudged

LOSSES = 3
"""Workers that a submission may take down before it is set aside."""
PATIENCE_SECONDS = 120.0
"""How long a run waits for a worker when it has none."""
_LOOK_SECONDS = 1.0
_AHEAD = 64
"""Results that may wait to be written."""


@dataclass(frozen=True)
class Wanted:
    """What a run asks of its cluster; `tell` takes sentences for the user, `patience` is in seconds without workers."""

    scheduler: str
    course: Path
    assignment: Assignment
    isolation: str
    tell: Callable[[str], None]
    patience: float = PATIENCE_SECONDS


class DaskEngine:
    """The cluster's slots, for `expected` submissions; a context manager that ends the slots, not the workers."""

    def __init__(self, wanted: Wanted, expected: int) -> None:
        self._wanted = wanted
        self._expected = expected
        self._places = Places()
        self._changed = threading.Condition()
        self._ended = threading.Event()
        self._problem: GraderError | None = None
        self._known: dict[str, Readiness | None] = {}
        """By address; None while the slots are opened."""
        self._without_since: float | None = None
        self._grow: Callable[[int], None] | None = None
        self._halt: Callable[[GraderError], None] | None = None

    def __enter__(self) -> DaskEngine:
        self._bundle = pack(self._wanted.course, self._wanted.assignment)
        self._cluster = Cluster(self._wanted.scheduler, f"grader-{secrets.token_hex(8)}")
        try:
            threading.Thread(target=self._watch, daemon=True).start()
            with self._changed:
                self._changed.wait_for(lambda: self._places.count or self._problem)
                if self._problem is not None:
                    raise self._problem
        except BaseException:  # an interrupt too: `with` does not leave what it has not entered
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def grade_all(
        self, work: Sequence[Read], grade: Callable[[Submission, JudgeProcess], Outcome]
    ) -> Generator[Outcome, None, None]:
        """Read and grade each submission; yields what `grade` gives as it is ready.

        Raises:
            MachineProblem: the scheduler is gone, or all workers are and no other came.
        """
        feed: Feed[JudgeProcess, Outcome] = Feed(work, grade, ahead=_AHEAD)
        started = 0

        def grow(wanted: int) -> None:
            nonlocal started
            while started < min(wanted, len(work)):
                feed.start(self)
                started += 1

        with self._changed:
            self._grow, self._halt = grow, feed.stop
            grow(self._places.count)
            if self._problem is not None:
                feed.stop(self._problem)
        try:
            yield from feed.results()
        finally:
            with self._changed:
                self._grow = self._halt = None

    def judge(self, submission: Submission) -> GradeResult:
        """One submission's result, wherever there is room for it.

        Raises:
            Unjudged: the judge died, the run is over, or three workers did not survive it.
        """
        lost: list[str] = []
        while len(lost) < LOSSES:
            try:
                with self._places.take(alone=len(lost) == LOSSES - 1) as place:
                    answer = self._cluster.judge(place, Task(submission))
            except Stopped:
                raise Unjudged("the run was stopped", final=True) from None
            except SchedulerGone as problem:
                self._stop(problem)
                raise Unjudged("the run was stopped", final=True) from None
            except WorkerLost:
                self._forget(place.address)
                lost.append(place.address)
                continue
            if answer.result is None:
                raise Unjudged(answer.lost or "the judge gave no result", answer.final)
            return answer.result
        raise Unjudged(f"{LOSSES} workers of the cluster ended while they judged it: {', '.join(lost)}", final=True)

    def _watch(self) -> None:
        """Look who is there, until the run ends."""
        while not self._ended.is_set():
            try:
                here = self._cluster.workers()
            except SchedulerGone as problem:
                self._stop(problem)
                return
            with self._changed:
                gone = [address for address in self._known if address not in here]
                new = [address for address in here if address not in self._known]
                self._known |= dict.fromkeys(new)
            for address in gone:
                self._forget(address)
            for address in new:
                threading.Thread(target=self._adopt, args=(address, sum(here.values())), daemon=True).start()
            self._mind_emptiness()
            self._ended.wait(_LOOK_SECONDS)

    def _adopt(self, address: str, threads: int) -> None:
        """Have a worker open its slots and give it work, or say why not; `threads` are those of all workers."""
        wanted = self._wanted
        expected = self._expected // max(1, threads)
        order = Order(
            self._bundle,
            wanted.assignment.id,
            wanted.assignment.fingerprint,
            wanted.isolation,
            versions_here(),
            expected,
        )
        try:
            ready = self._cluster.prepare(address, order)
        except WorkerLost:
            self._forget(address)
            return
        with self._changed:
            if self._ended.is_set() or address not in self._known:
                return
            if ready.problem is None and (other := self._sharing(ready)) is not None:
                ready = Readiness(
                    problem=f"In mode {ready.mode} one slot at a time can be confined for each machine and user, and "
                    f"{other} has it."
                )
            if ready.problem is None:
                self._known[address] = ready
                self._places.add(address, ready.slots)
                if self._grow is not None:
                    self._grow(self._places.count)
                self._changed.notify_all()
        if ready.problem is None:
            wanted.tell(f"Worker {address}: {ready.slots} slots; isolation {ready.mode}.")
        else:
            self._refuse(address, ready, ready.problem)

    def _refuse(self, address: str, ready: Readiness, problem: str) -> None:
        """Leave a worker out, or end the run where all of them would say the same."""
        if ready.everywhere:
            self._stop(UsageProblem(problem))
        else:
            self._wanted.tell(f"Worker {address} is left out: {problem}")
            self._cluster.leave([address])
        with self._changed:  # last: when all are refused the run ends, and the reasons must have been told by then
            if address in self._known:
                self._known[address] = ready

    def _sharing(self, ready: Readiness) -> str | None:
        """The worker that has slots beside which these must not run."""
        for address, other in self._known.items():
            if other is not None and other.problem is None and ready.alone_in and other.alone_in == ready.alone_in:
                return address
        return None

    def _forget(self, address: str) -> None:
        """A worker is lost; should it still be there, it is asked again."""
        with self._changed:
            self._known.pop(address, None)
        if self._places.lose(address) and not self._ended.is_set():
            self._wanted.tell(f"Worker {address} is gone; what it was at is tried on others.")

    def _mind_emptiness(self) -> None:
        """Stop a run that nobody works on, at once if all who are there were asked and none ever could."""
        with self._changed:
            known = list(self._known.values())
        if any(ready is None or ready.problem is None for ready in known):
            self._without_since = None
            return
        if known and self._grow is None and not self._places.count:
            self._stop(MachineProblem("No worker of the cluster can grade; the reasons are above."))
        elif self._without_since is None:
            self._without_since = time.monotonic()
            self._wanted.tell(f"The cluster has no worker; waiting {self._wanted.patience:.0f} s for one.")
        elif time.monotonic() - self._without_since > self._wanted.patience:
            text = f"No worker came within {self._wanted.patience:.0f} s. What was finished is in place; start workers"
            self._stop(MachineProblem(f"{text} with `dask worker` and run the same command again to go on."))

    def _stop(self, problem: GraderError) -> None:
        with self._changed:
            self._problem = self._problem or problem
            if self._halt is not None:
                self._halt(self._problem)  # first: what is woken by the next line must not count as a result
            self._changed.notify_all()
        self._places.stop()

    def _end(self) -> None:
        self._ended.set()
        self._places.stop()
        with self._changed:
            there = [address for address, ready in self._known.items() if ready is None or ready.problem is None]
        with contextlib.suppress(Exception):  # a cluster that is gone has nothing left to end
            if not isinstance(self._problem, SchedulerGone):
                self._cluster.leave(there)
            self._cluster.close()
