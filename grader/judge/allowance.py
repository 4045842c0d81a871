"""A platform's time, divided: so that code which runs out of it costs the checks that it serves, never the result.

Runs in the judge. A platform stops the whole grading after so many seconds and then takes nothing, so the end has to be
ours. Half of the time is divided equally among the checks, and each is sure of its part; the other half, and what
others leave, is for whoever needs it first. An import takes a quarter at most. Time that is gone through no doing of
the student's, on a machine too slow for these checks, is the machine's fault.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import msgspec

from grader.model.assignment import Limits
from grader.sandbox.base import SandboxBroken, StudentTimeout

_LEAST_SECONDS = 1.0


class Allowance:
    """The seconds from now on for one submission and its checks, of which the next one's share is `left`.

    None: there is no end, and every share is infinite.
    """

    def __init__(self, seconds: float | None, checks: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds = seconds
        self._start = clock()
        self._to_come = checks
        self._own = 0.0 if seconds is None else seconds / 2 / max(1, checks)
        self._end = math.inf if seconds is None else self._start + seconds
        self._until = self._end

    def begin_import(self) -> None:
        """From here on the submission is imported, before any check."""
        if self._seconds is not None:
            self._until = min(self._end, self._clock() + self._seconds / 4)

    def next_check(self) -> None:
        """From here on the next check runs, or is skipped."""
        self._to_come -= 1
        self._until = self._end - self._to_come * self._own

    def left(self) -> float:
        """Seconds that are left for what runs now; 0 or less when they are up."""
        return self._until - self._clock()

    def require(self, waited: float) -> None:
        """That the check which begins now can have its time; `waited` are the seconds that student code has taken.

        Raises:
            StudentTimeout: no, and student code took most of it.
            SandboxBroken: no, and it did not.
        """
        if self.left() >= self._own / 2:
            return
        if waited >= (self._clock() - self._start) / 2:
            raise StudentTimeout("total")
        raise SandboxBroken("the time that the platform gives was up before this check; the machine is too slow for it")


def limits_within(limits: Limits, seconds: float | None) -> Limits:
    """The limits where all of a grading has to be over in so many seconds, None for no such end."""
    if seconds is None:
        return limits
    return msgspec.structs.replace(
        limits,
        import_seconds=min(limits.import_seconds, max(_LEAST_SECONDS, seconds / 4)),
        total_seconds=min(limits.total_seconds, max(_LEAST_SECONDS, seconds)),
    )
