"""A class as staff see it: every submission in a row, its scores, outcomes and times, its checks and misconceptions.

Pure functions over results. Numbers come from here, words from the templates; `docs/class-page.md` explains each number
to its readers. `check_stats` has what is told of a check, `concerns` what staff should look at first.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from grader.model.check_stats import CheckStanding, GroupStanding, check_standings, group_standings
from grader.model.concerns import Concern, concerns
from grader.model.items import Spread, spread
from grader.model.late import late_texts, late_word, other_notices
from grader.model.result import Diagnosis, GradeResult
from grader.model.roster import Standing, persons_of

BINS = 10
"""Bars in the distribution of scores."""
_TIME_BINS = 8
_MOST_OF_THEM = 0.95


class CohortRow(msgspec.Struct, frozen=True):
    """One submission on the class page. `late` is `yes`, `no` or empty; `late_texts` say more, one line each.

    `called` is the student's name, or those of a group; of somebody without one it is `student`. `failed` are the
    numbers of the checks that did not pass, `statuses` what became of them, both of graded work alone. `staff_notices`
    are what staff alone should know, but for what is said of the deadline.
    """

    id: str
    student: str
    status: str
    score: float | None
    max_score: float
    passed: int
    checks: int
    outcome: str
    diagnoses: list[Diagnosis]
    notices: list[str]
    seconds: float
    late: str = ""
    late_texts: list[str] = []
    called: str = ""
    reason: str = ""
    failed: list[int] = []
    statuses: dict[str, int] = {}
    staff_notices: list[str] = []


class Misconception(msgspec.Struct, frozen=True):
    """A diagnosis, the ids of the submissions that it was given to, and the numbers of the checks that showed it."""

    diagnosis: Diagnosis
    ids: list[str]
    checks: list[int] = []


class Bin(msgspec.Struct, frozen=True):
    """How many values there are from `low` to below `high`; None: all from `low` on."""

    low: float
    high: float | None
    count: int


class Times(msgspec.Struct, frozen=True):
    """Seconds that gradings took, over the `count` submissions of which any time is known."""

    count: int
    median: float
    slowest: float
    slowest_id: str
    bins: list[Bin]


class CohortView(msgspec.Struct, frozen=True):
    """A class, for staff. `mean`, `median`, `spread` and `bins` are over graded and invalid submissions.

    They are None or empty where there are too few; of `bins`, the last includes both its ends. `people` is the class
    against its roster, None without one. `reports` is the folder of the reports beside the page. `anonymous`: there is
    no name in here. `similar`: there is a page about similar work in the folder `similar`.
    """

    assignment: str
    title: str
    rows: list[CohortRow]
    counts: dict[str, int]
    mean: float | None
    median: float | None
    max_score: float
    checks: list[CheckStanding]
    misconceptions: list[Misconception]
    concerns: list[Concern]
    people: Standing | None = None
    spread: Spread | None = None
    bins: list[Bin] = []
    groups: list[GroupStanding] = []
    times: Times | None = None
    late: int = 0
    unknown_times: int = 0
    reports: str = "reports"
    anonymous: bool = False
    similar: bool = False
    lang: str = "en"


def cohort_view(
    results: Iterable[GradeResult],
    people: Standing | None = None,
    *,
    reports: str = "reports",
    anonymous: bool = False,
    similar: bool = False,
    lang: str = "",
) -> CohortView:
    """A class, summed up for staff, in the order of `results`."""
    kept = list(results)
    checks = check_standings(kept)
    numbers = {check.id: check.number for check in checks}
    rows = [_row(result, numbers) for result in kept]
    scores = [row.score for row in rows if row.score is not None]
    max_score = kept[0].max_score if kept else 100
    return CohortView(
        assignment=kept[0].assignment.id if kept else "",
        title=kept[0].assignment.title if kept else "",
        rows=rows,
        counts={status: sum(row.status == status for row in rows) for status in ("graded", "invalid", "ungraded")},
        mean=round(statistics.fmean(scores), 2) if scores else None,
        median=round(statistics.median(scores), 2) if scores else None,
        max_score=max_score,
        checks=checks,
        misconceptions=_misconceptions(kept, numbers),
        concerns=concerns(kept, checks, people),
        people=people,
        spread=spread(scores),
        bins=_score_bins(scores, max_score),
        groups=group_standings(kept, checks),
        times=_times(kept),
        late=sum(row.late == "yes" for row in rows),
        unknown_times=sum(not row.late and bool(row.late_texts) for row in rows),
        reports=reports,
        anonymous=anonymous,
        similar=similar,
        lang=lang or (kept[0].assignment.lang if kept else "en"),
    )


def _row(result: GradeResult, numbers: dict[str, int]) -> CohortRow:
    diagnoses = {c.diagnosis.slug: c.diagnosis for c in result.checks if c.diagnosis}
    graded = result.status == "graded"
    return CohortRow(
        id=result.submission.id,
        student=result.submission.student,
        status=result.status,
        score=result.score,
        max_score=result.max_score,
        passed=sum(c.status == "passed" for c in result.checks),
        checks=len(result.checks),
        outcome=outcome(result),
        diagnoses=list(diagnoses.values()),
        notices=list(result.notices),
        seconds=result.seconds,
        late=late_word(result),
        late_texts=late_texts(result),
        called=", ".join(who.name or who.student for who in persons_of(result)),
        reason=result.reason or "",
        failed=[numbers[c.id] for c in result.checks if c.status != "passed"] if graded else [],
        statuses=dict(Counter(c.status for c in result.checks if c.status != "passed")) if graded else {},
        staff_notices=other_notices(result),
    )


def outcome(result: GradeResult) -> str:
    """What happened to a submission, in a few words for a table."""
    if result.status != "graded":
        return result.reason or result.status
    statuses = [c.status for c in result.checks]
    if all(status == "passed" for status in statuses):
        return "all checks passed"
    words = {"failed": "wrong", "error": "raised", "timeout": "timed out", "memory": "out of memory"}
    parts = []
    for status in ("failed", "error", "timeout", "memory", "crashed", "skipped"):
        if count := statuses.count(status):
            parts.append(f"{count} {words.get(status, status)}")
    return ", ".join(parts)


def _misconceptions(results: Sequence[GradeResult], numbers: dict[str, int]) -> list[Misconception]:
    """The commonest first."""
    found: dict[str, Diagnosis] = {}
    ids: dict[str, dict[str, None]] = {}
    checks: dict[str, set[int]] = {}
    for result in results:
        for check in result.checks:
            if check.diagnosis is not None:
                slug = check.diagnosis.slug
                found.setdefault(slug, check.diagnosis)
                ids.setdefault(slug, {})[result.submission.id] = None
                checks.setdefault(slug, set()).update({numbers[check.id]} if check.id in numbers else ())
    every = [Misconception(found[slug], list(ids[slug]), sorted(checks[slug])) for slug in found]
    return sorted(every, key=lambda m: (-len(m.ids), m.diagnosis.slug))


def _score_bins(scores: Sequence[float], max_score: float) -> list[Bin]:
    if not scores:
        return []
    counts = [0] * BINS
    for score in scores:
        place = int(score * BINS / max_score) if max_score > 0 else 0
        counts[min(BINS - 1, max(0, place))] += 1
    return [Bin(max_score * n / BINS, max_score * (n + 1) / BINS, count) for n, count in enumerate(counts)]


def _times(results: Iterable[GradeResult]) -> Times | None:
    """None where nothing is known: work that could not be judged at all has no time."""
    known = [(result.seconds, result.submission.id) for result in results if result.seconds > 0]
    if not known:
        return None
    seconds = sorted(time for time, _ in known)
    slowest = max(known, key=lambda one: one[0])
    return Times(len(known), statistics.median(seconds), *slowest, _time_bins(seconds))


def _time_bins(seconds: Sequence[float]) -> list[Bin]:
    """Bins of a round width that hold most of the times, which are sorted; what took longer is in one without end."""
    width = _round_width(seconds[math.ceil(_MOST_OF_THEM * len(seconds)) - 1] / _TIME_BINS)
    limits = [round(width * number, 6) for number in range(_TIME_BINS + 1)]
    counts = Counter(bisect_right(limits, time) - 1 for time in seconds)
    most = min(_TIME_BINS, max(counts) + 1)
    bins = [Bin(limits[number], limits[number + 1], counts[number]) for number in range(most)]
    return bins + ([Bin(limits[-1], None, counts[_TIME_BINS])] if counts[_TIME_BINS] else [])


def _round_width(least: float) -> float:
    """The next of 0.01, 0.02, 0.05, 0.1 and so on that is more than `least`."""
    size = 10.0 ** max(-2, math.floor(math.log10(least)) if least > 0 else -2)
    return next(size * factor for factor in (1, 2, 5, 10) if size * factor > least)
