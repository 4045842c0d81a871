"""Workers for the gradings of several assignments: each takes an assignment, opens a slot for it and empties it.

Runs in the command, a thread for each worker; results come out of `grade_all` in the caller's thread. A slot serves one
assignment, and starting one takes seconds of a processor. So a worker looks first for an assignment that nobody is at,
and helps with another's only where the rest of it takes longer than another slot needs to start.
"""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.local import Slot
from grader.batch.slot_messages import Job
from grader.judge.plan import Plan
from grader.model.assignment import Assignment
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.pipeline import judged

START_SECONDS = 3.0
"""About what a slot needs until it is ready."""
_GUESSED_SECONDS = 0.3
"""For a grading, as long as none is finished."""


@dataclass(frozen=True)
class Grading:
    """A submission to be graded; `plan` is asked for when its turn has come, and may use the results until then."""

    kind: str
    slug: str
    submission: Submission
    plan: Callable[[], Plan]


@dataclass(frozen=True)
class Batch:
    """All gradings of one assignment, to be started in this order."""

    assignment: Assignment
    mode: str
    gradings: Sequence[Grading]


@dataclass(frozen=True)
class Graded:
    """A grading's result."""

    assignment: str
    grading: Grading
    result: GradeResult


class _Share:
    """How far a batch is. Used by one thread at a time."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.left = deque(batch.gradings)
        self.workers = 0
        self.finished = 0
        self.seconds = 0.0
        self.start_seconds = 0.0

    @property
    def seconds_left(self) -> float:
        """An estimate, with the workers that are at it."""
        each = self.seconds / self.finished if self.finished else _GUESSED_SECONDS
        return each * len(self.left) / max(1, self.workers)


class Crew:
    """`count` workers; a context manager that ends their slots."""

    def __init__(self, course: Path, count: int) -> None:
        self._course = course
        self._count = count
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._stopped = False
        self._slots: list[Slot] = []
        self._endings: list[threading.Thread] = []
        self._shares: list[_Share] = []
        self._done: queue.SimpleQueue[Graded | BaseException] = queue.SimpleQueue()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            slots = list(self._slots)
        for slot in slots:
            slot.retire()
        for ending in self._endings:
            ending.join()

    def grade_all(self, batches: Sequence[Batch]) -> Generator[Graded, None, None]:
        """Grade everything, once; yields results as they are ready.

        Raises:
            GraderError: the checks of an assignment are broken, or a sandbox does not start.
        """
        # The longest first: what is short then fills up what is left of a worker's time.
        self._shares = [_Share(batch) for batch in sorted(batches, key=lambda batch: -len(batch.gradings))]
        for _ in range(self._count):
            threading.Thread(target=self._work, daemon=True).start()
        for _ in range(sum(len(batch.gradings) for batch in batches)):
            item = self._done.get()
            if isinstance(item, BaseException):
                raise item
            yield item

    def seconds(self) -> dict[str, tuple[float, float]]:
        """By assignment: seconds of slots at work, and seconds of slots starting."""
        with self._changed:
            return {share.batch.assignment.id: (share.seconds, share.start_seconds) for share in self._shares}

    def _work(self) -> None:
        try:
            while (share := self._next_share()) is not None:
                self._serve(share)
        except BaseException as error:  # raised again in the caller's thread
            self._done.put(error)

    def _next_share(self) -> _Share | None:
        with self._changed:
            while not self._stopped:
                waiting = [share for share in self._shares if share.left]
                if not waiting:
                    break
                share = next((share for share in waiting if not share.workers), None)
                if share is None:
                    slowest = max(waiting, key=lambda share: share.seconds_left)
                    share = slowest if slowest.seconds_left > START_SECONDS else None
                if share is not None:
                    share.workers += 1
                    return share
                self._changed.wait()
            return None

    def _serve(self, share: _Share) -> None:
        """Open a slot for an assignment and grade with it until nothing is left to start."""
        batch = share.batch
        slot = Slot(Job(str(self._course), batch.assignment.id, batch.mode, next(self._numbers), len(share.left)))
        with self._changed:
            if self._stopped:
                return
            self._slots.append(slot)
        started = time.monotonic()
        slot.start()
        with self._changed:
            share.start_seconds += time.monotonic() - started
        while (grading := self._take(share)) is not None:
            started = time.monotonic()
            result = judged(grading.submission, _Planned(slot, grading.plan()), batch.assignment, batch.mode)
            with self._changed:
                share.seconds += time.monotonic() - started
                share.finished += 1
                self._changed.notify_all()
            self._done.put(Graded(batch.assignment.id, grading, result))
        ending = threading.Thread(target=slot.retire)
        with self._changed:
            share.workers -= 1
            self._endings.append(ending)
        ending.start()  # beside the next assignment: its processes take a second to go

    def _take(self, share: _Share) -> Grading | None:
        with self._changed:
            return share.left.popleft() if share.left and not self._stopped else None


class _Planned:
    """A slot that judges by a plan."""

    def __init__(self, slot: Slot, plan: Plan) -> None:
        self._slot = slot
        self._plan = plan

    def judge(self, submission: Submission) -> GradeResult:
        """See `Slot.judge`."""
        return self._slot.judge(submission, self._plan)
