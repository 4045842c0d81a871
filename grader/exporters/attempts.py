"""How often the same people may be graded: a limit over the earlier submissions that a platform tells of.

Pure functions. Time is that of handing in, never the clock: platforms run submissions again later. Every earlier
submission in the window counts, but for those in which the autograder failed and those that were one too many
themselves: who tries too early does not wait any longer for it. One whose time cannot be compared is left out: whoever
is in doubt is graded.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from grader.exporters.base import Earlier, Told


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
    now = None if told.submitted_at is None else _moment(told.submitted_at)
    if now is None:
        return None
    times = [(_moment(one.submitted_at), one) for one in told.earlier if not one.failed]
    known = [(when, one) for when, one in times if when is not None and bool(when.tzinfo) == bool(now.tzinfo)]
    accepted: list[tuple[datetime, Earlier]] = []
    for when, one in sorted(known, key=lambda pair: pair[0]):
        if when <= now and _full(accepted, when, limit) is None:
            accepted.append((when, one))
    counted = _full(accepted, now, limit)
    if counted is None:
        return None
    scores = [one.score for _, one in counted if one.score is not None]
    free = counted[len(counted) - limit.attempts][0] + timedelta(hours=limit.hours)
    many = f"{limit.attempts} submission{'' if limit.attempts == 1 else 's'}"
    return Refusal(
        f"Not graded: at most {many} may be graded within {limit.hours:g} hours. Hand in again after "
        f"{free.strftime('%Y-%m-%d %H:%M')} ({free.tzname() or 'the time zone of the platform'}); until then your last "
        "score stays.",
        scores[-1],
    )


def _full(
    accepted: list[tuple[datetime, Earlier]], now: datetime, limit: Limit
) -> list[tuple[datetime, Earlier]] | None:
    """Those that count at a moment, if they leave no room for another and one of them has a score that could stay."""
    counted = [(when, one) for when, one in accepted if now - when < timedelta(hours=limit.hours)]
    full = len(counted) >= limit.attempts and any(one.score is not None for _, one in counted)
    return counted if full else None


def _moment(text: str) -> datetime | None:
    """A time; None for what is none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
