"""One submission on this machine, with an end to the time that it may take: what a platform's autograder does.

Runs in the command. A slot is started for it, as for a class; what its platform gives of time and memory is divided
between the grader's own processes and student code.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.batch.local import Slot
from grader.batch.slot_messages import Job
from grader.judge.diagnosis import Misconceptions
from grader.judge.plan import Plan
from grader.model.assignment import Assignment
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.pipeline import Course, Unjudged, grade
from grader.sandbox.modes import choose

_OWN_MEMORY_MB = 700
"""What command, judge and sandbox hold themselves of a container's memory."""
_LEAST_MEMORY_MB = 256
_LEAST_SECONDS = 2.0
_LEAST_PART = 0.25
"""The part of a platform's time that must be left for a submission when its grading begins.

If starting took more, then the machine is to blame for what runs out of time, and not the student.
"""
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(frozen=True)
class Errand:
    """What to grade with, and within what.

    `ends` is the moment of the monotonic clock at which there must be a result, None for no such end; `seconds` is what
    the platform gives in all, of which starting has taken a part. `memory_mb` is all the memory that there is, None for
    as much as the assignment allows.
    """

    course: Path
    assignment: Assignment
    isolation: str
    known: Misconceptions
    ends: float | None = None
    memory_mb: int | None = None
    seconds: float | None = None


def grade_single(submission: Submission, errand: Errand) -> GradeResult:
    """The result of one submission.

    Raises:
        MachineProblem: student code can't be confined here, or the judge does not start.
    """
    with grading(errand) as judged:
        return judged(submission, errand.ends)


@contextlib.contextmanager
def grading(errand: Errand) -> Iterator[Callable[[Submission, float | None], GradeResult]]:
    """A slot that stays ready for one submission after the other, each with an end of its own.

    Raises:
        MachineProblem: as `grade_single`.
    """
    about = errand.assignment.about
    mode = choose(errand.isolation, about.isolation.minimum, about.sandbox.profile)
    theirs = None if errand.memory_mb is None else max(_LEAST_MEMORY_MB, errand.memory_mb - _OWN_MEMORY_MB)
    slot = Slot(Job(str(errand.course), errand.assignment.id, mode, 0, memory_mb=theirs))
    slot.start()
    try:
        course = Course(errand.assignment, mode, errand.known)
        least = max(_LEAST_SECONDS, _LEAST_PART * (errand.seconds or 0))
        yield lambda submission, ends: grade(submission, _Timed(slot, ends, least), course)
    finally:
        slot.retire()


@dataclass(frozen=True)
class _Timed:
    """A judge that gives each try what is left of the time, if that is at least so many seconds."""

    slot: Slot
    ends: float | None
    least: float = _LEAST_SECONDS

    def judge(self, submission: Submission) -> GradeResult:
        """See `JudgeProcess`."""
        if self.ends is None:
            return self.slot.judge(submission)
        left = self.ends - time.monotonic()
        if left < self.least:
            raise Unjudged("the time that the platform gives is up; the machine is too slow for it", final=True)
        return self.slot.judge(submission, Plan(seconds=left))


def container_memory_mb() -> int | None:
    """The memory limit of this process's container in MB, from its control group; None if there is none."""
    for path in _CGROUP_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            found = int(Path(path).read_text("ascii")) >> 20
            return found if found < 1 << 20 else None  # version 1 says "none" with a huge number
    return None
