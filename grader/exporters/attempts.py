"""How often the same people may be graded: a limit over the earlier submissions that a platform tells of.

Pure functions. Time is that of handing in, never the clock: platforms run submissions again later. Every earlier
submission in the window counts, but for those in which the autograder failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from grader.exporters.base import Told


@dataclass(frozen=True)
class Limit:
    """At most so many submissions within so many hours."""

    attempts: int
    hours: float


@dataclass(frozen=True)
class Refusal:
    """That a submission is one too many: a sentence for the student, and the score that stays, in platform points."""

    sentence: str
    score: Decimal


def refusal(told: Told, limit: Limit) -> Refusal | None:
    """Whether this submission is one too many; None if it may be graded, or if its time is unknown."""
    if told.submitted_at is None:
        return None
    now = datetime.fromisoformat(told.submitted_at)
    since = now - timedelta(hours=limit.hours)
    times = [(datetime.fromisoformat(one.submitted_at), one) for one in told.earlier if not one.failed]
    counted = sorted(((when, one) for when, one in times if since < when <= now), key=lambda pair: pair[0])
    scores = [one.score for _, one in counted if one.score is not None]
    if len(counted) < limit.attempts or not scores:
        return None
    free = counted[len(counted) - limit.attempts][0] + timedelta(hours=limit.hours)
    many = f"{limit.attempts} submission{'' if limit.attempts == 1 else 's'}"
    return Refusal(
        f"Not graded: at most {many} may be graded within {limit.hours:g} hours. Hand in again after "
        f"{free.strftime('%Y-%m-%d %H:%M')} ({free.tzname() or 'the time zone of the platform'}); until then your last "
        "score stays.",
        scores[-1],
    )
