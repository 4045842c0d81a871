"""The engines that a batch can run on: slots of this machine, or a cluster.

Runs in the command. What an engine needs is imported when it is chosen. An engine is opened with `with` and grades in
`grade_all`; the results are the same, wherever they come from.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.batch.feeding import Outcome, Read
from grader.batch.local import Slots, processors
from grader.errors import UsageProblem
from grader.model.assignment import Assignment
from grader.model.submission import Submission
from grader.pipeline import JudgeProcess
from grader.sandbox.modes import choose, slots_at_once

_WORTH_A_SLOT = 3
"""Submissions for which a slot is started unasked: to start one takes as long as a slot needs for a good dozen, and two
that start together on two cores slow each other down."""
LOCAL = "local"
DASK = "dask"
PLAIN = "plain"
_UNCONFINED = f"{PLAIN}: student code is NOT confined"


class Engine(Protocol):
    """Judges at work."""

    def grade_all(
        self, work: Sequence[Read], grade: Callable[[Submission, JudgeProcess], Outcome]
    ) -> Generator[Outcome, None, None]:
        """Read and grade each submission; yields what `grade` gives as it is ready."""


@dataclass(frozen=True)
class Wish:
    """What the user asked for."""

    engine: str
    scheduler: str | None
    jobs: int | None
    isolation: str


@dataclass(frozen=True)
class Site:
    """Where a batch runs: how student code is confined there, in a word (empty if that differs) and for people.

    `at_once`: about how many submissions are started at the same time. `open` takes how many are expected.
    """

    mode: str
    confinement: str
    at_once: int
    open: Callable[[int], AbstractContextManager[Engine]]


def site_for(wish: Wish, course: Path, assignment: Assignment, tell: Callable[[str], None]) -> Site:
    """Where to grade; `tell` takes sentences about a cluster.

    Raises:
        UsageProblem: options that do not go together, or a package is missing.
        MachineProblem: student code can't be confined here.
    """
    if wish.engine == DASK:
        return _cluster(wish, course, assignment, tell)
    if wish.scheduler is not None:
        raise UsageProblem("--scheduler goes with --engine dask.")
    about = assignment.about
    mode = choose(wish.isolation, about.isolation.minimum, about.sandbox.profile)
    count = slots_at_once(mode, wish.jobs or processors(), about.sandbox.profile)

    def open_slots(expected: int) -> Slots:
        worth_it = expected if wish.jobs else math.ceil(expected / _WORTH_A_SLOT)
        return Slots(course, assignment.id, mode, min(count, worth_it), expected)

    return Site(mode, _UNCONFINED if mode == PLAIN else mode, count, open_slots)


def _cluster(wish: Wish, course: Path, assignment: Assignment, tell: Callable[[str], None]) -> Site:
    if wish.scheduler is None:
        raise UsageProblem("--engine dask needs --scheduler ADDRESS, such as tcp://127.0.0.1:8786.")
    if wish.jobs is not None:
        raise UsageProblem("--jobs is for the local engine: a Dask worker has a slot for each of its threads.")
    if importlib.util.find_spec("distributed") is None:
        raise UsageProblem("--engine dask needs Dask (the extra `cluster`); install it with: pip install distributed")
    from grader.batch.dask_engine import DaskEngine, Wanted

    wanted = Wanted(wish.scheduler, course, assignment, wish.isolation, tell)
    words = _UNCONFINED if wish.isolation == PLAIN else "as each worker of the cluster can"
    mode = PLAIN if PLAIN in {wish.isolation, assignment.about.isolation.minimum} else ""
    return Site(mode, words, 1, lambda expected: DaskEngine(wanted, expected))
