"""Many submissions on this machine: a few slots, a thread for each, results in the order in which they are ready.

Runs in the command. Each thread owns one slot and feeds it one submission after the other; results come out of
`grade_all` in the caller's thread, which alone writes files. A slot that dies is replaced and its submission tried
again, three times at most: after that the submission is ungraded, with the reason, and the batch goes on.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import IO

from grader.batch.feeding import Feed, Outcome, Read
from grader.batch.slot_messages import FromSlot, Job, Task, receive, send
from grader.errors import GraderError, MachineProblem
from grader.judge.plan import USUAL, Plan
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.pipeline import Unjudged


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Slot:
    """A running slot process."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._process: subprocess.Popen[bytes] | None = None
        self._retired = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process and wait until it is ready.

        Raises:
            GraderError: the checks are broken (exit status 2) or the sandbox does not start (3).
        """
        with self._lock:
            if self._retired:
                raise MachineProblem("The run was stopped.")
            self._process = self._launch()
        try:
            send(self._to, self._job)
            answer = self._answer()
        except (OSError, EOFError):
            self.close()
            raise MachineProblem("A judge process ended while it started; its own message is above.") from None
        if answer.problem is not None:
            self.close()
            problem = GraderError(answer.problem)
            problem.exit_status = answer.problem_status
            raise problem

    def _launch(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "grader.batch.slot"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A second OpenMP thread on a shared core makes every small operation wait.
            env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # an interrupt from the keyboard reaches the command alone
        )

    def judge(self, submission: Submission, plan: Plan = USUAL) -> GradeResult:
        """One submission's result.

        Raises:
            Unjudged: the slot or its judge died.
        """
        if self._retired:
            raise Unjudged("the run was stopped")
        try:
            if self._process is None:
                self.start()
            send(self._to, Task(submission, plan))
            answer = self._answer()
        except (OSError, EOFError, GraderError) as error:
            self.close()
            raise Unjudged(f"the judge process is gone ({str(error) or 'it closed its connection'})") from None
        if answer.problem is not None:
            self.close()
            raise Unjudged(answer.problem)
        if answer.result is None:
            raise Unjudged(answer.lost or "the judge gave no result", answer.final)
        return answer.result

    def retire(self) -> None:
        """End the process for good: what it is at is dropped, and it is not started again."""
        with self._lock:
            self._retired = True
        self.close()

    def close(self) -> None:
        """End the process, its sandbox and whatever runs in it."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()

    @property
    def _to(self) -> IO[bytes]:
        assert self._process is not None
        assert self._process.stdin is not None
        return self._process.stdin

    def _answer(self) -> FromSlot:
        assert self._process is not None
        assert self._process.stdout is not None
        return receive(self._process.stdout, FromSlot)


class Slots:
    """Several slots of one run, for about `expected` submissions; a context manager that ends them all."""

    def __init__(self, course: Path, assignment: str, mode: str, count: int, expected: int = 1) -> None:
        each = expected // count
        self._slots = [Slot(Job(str(course), assignment, mode, number, each)) for number in range(count)]

    def __enter__(self) -> Slots:
        starters = [threading.Thread(target=self._start, args=(slot,), daemon=True) for slot in self._slots]
        self._problems: list[GraderError] = []
        try:
            for starter in starters:
                starter.start()
            for starter in starters:
                starter.join()
            if self._problems:
                raise self._problems[0]
        except BaseException:  # an interrupt too: `with` does not leave what it has not entered
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def each(self) -> tuple[Slot, ...]:
        """The slots, one by one."""
        return tuple(self._slots)

    def close(self) -> None:
        """End every slot."""
        for slot in self._slots:
            slot.retire()

    def _start(self, slot: Slot) -> None:
        try:
            slot.start()
        except GraderError as problem:
            self._problems.append(problem)

    def grade_all(
        self, work: Sequence[Read], grade: Callable[[Submission, Slot], Outcome]
    ) -> Generator[Outcome, None, None]:
        """Read and grade each submission, in the threads of the slots; yields what `grade` gives as it is ready.

        When the caller stops early (an interrupt, an error), the slots are ended and what they were at is dropped.
        """
        feed = Feed(work, grade, ahead=4 * len(self._slots))
        for slot in self._slots:
            feed.start(slot)
        yield from feed.results()
