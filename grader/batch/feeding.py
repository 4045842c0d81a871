"""Work for several judges at once: a thread for each takes the next submission, and results come to one place.

Runs in the command. A judge is whatever gives results of submissions, here or elsewhere; more may join while the work
goes on. Results come out of `results` in the caller's thread, which alone writes files. How much is read ahead of the
caller is bounded, so that a class of any size fits into memory.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Generic, TypeVar

from grader.errors import GraderError
from grader.model.submission import Submission

Read = Callable[[], Submission]
Judging = TypeVar("Judging")
Outcome = TypeVar("Outcome")

_LOOK_SECONDS = 0.5


class Feed(Generic[Judging, Outcome]):
    """`work`, each read and given to `grade` with a judge; at most `ahead` outcomes wait for the caller."""

    def __init__(self, work: Sequence[Read], grade: Callable[[Submission, Judging], Outcome], ahead: int) -> None:
        self._grade = grade
        self._count = len(work)
        self._todo: queue.SimpleQueue[Read] = queue.SimpleQueue()
        # Bounded: a command that writes more slowly than its slots judge must not hold the class in memory.
        self._done: queue.Queue[Outcome | BaseException] = queue.Queue(maxsize=ahead)
        for read in work:
            self._todo.put(read)
        self._stopped = threading.Event()
        self._problem: GraderError | None = None

    def start(self, judge: Judging) -> None:
        """Let a judge take part, in a thread of its own."""
        threading.Thread(target=self._serve, args=(judge,), daemon=True).start()

    def stop(self, problem: GraderError) -> None:
        """Start nothing more and drop what is being judged; `results` ends with what is ready, and with the problem."""
        self._problem = problem
        self._stopped.set()

    def results(self) -> Generator[Outcome, None, None]:
        """Outcomes as they are ready. When the caller stops early, what is being judged is dropped.

        Raises:
            GraderError: see `stop`.
        """
        try:
            for _ in range(self._count):
                item = self._next()
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._stopped.set()

    def _next(self) -> Outcome | BaseException:
        while True:
            with contextlib.suppress(queue.Empty):
                return self._done.get(timeout=_LOOK_SECONDS)
            if self._problem is not None:
                return self._problem

    def _serve(self, judge: Judging) -> None:
        with contextlib.suppress(queue.Empty):
            while not self._stopped.is_set():
                read = self._todo.get_nowait()
                try:
                    item: Outcome | BaseException = self._grade(read(), judge)
                except BaseException as error:  # a bug of ours: raised again in the caller's thread
                    item = error
                while not self._stopped.is_set():
                    with contextlib.suppress(queue.Full):
                        self._done.put(item, timeout=_LOOK_SECONDS)
                        break
