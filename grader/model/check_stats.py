"""Each check and each group of checks, over a class: how many pass, how they fail, and what that tells of the check.

Pure functions over results, for staff. Only submissions that were graded count: the others were not asked every check.
A check that was skipped, since one that it needs did not pass, counts as not passed, as it does in the score (see
`items` for the formulas).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from grader.model import items
from grader.model.result import CheckResult, CheckStatus, Diagnosis, GradeResult

Verdict = Literal["", "few", "alike", "all", "nobody", "negative", "near_zero", "fair", "good"]
"""What the numbers of a check say: nothing of fewer than three submissions; `alike`: all have the same rest score."""

WORTH_A_LOOK: frozenset[Verdict] = frozenset({"nobody", "negative", "near_zero"})
LINES = 3
"""Feedback lines that are told of a check."""

_LINE = 160
_FIGURES = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?", re.IGNORECASE)
_STATUSES: tuple[CheckStatus, ...] = ("passed", "failed", "error", "timeout", "memory", "crashed", "skipped")


class Line(msgspec.Struct, frozen=True):
    """The first line of a feedback and how many have it; `…` stands where their figures differ."""

    text: str
    count: int


class Seen(msgspec.Struct, frozen=True):
    """A misconception and how many have it."""

    diagnosis: Diagnosis
    count: int


class CheckStanding(msgspec.Struct, frozen=True):
    """How the graded submissions of a class did on one check, the `number`th from 1.

    `difficulty` is the mean share of points earned, of 0 to 1; `discrimination` the correlation of passing with the
    rest score, of -1 to 1; both None where undefined. `statuses` counts what became of it, without those that are none.
    `failed` are the ids of the submissions that did not pass it.
    """

    number: int
    id: str
    title: str
    group: str
    hidden: bool
    worth: float
    passed: int
    total: int
    difficulty: float | None
    discrimination: float | None
    verdict: Verdict
    statuses: dict[str, int]
    misconceptions: list[Seen]
    lines: list[Line]
    failed: list[str]

    @property
    def suspect(self) -> bool:
        """Whether staff should look at the check itself."""
        return self.verdict in WORTH_A_LOOK


class GroupStanding(msgspec.Struct, frozen=True):
    """A topic: its checks' numbers, what they are worth together, the mean share of that which the class earns.

    `complete` is how many of the `total` graded submissions earn all of it. `share` is of 0 to 1, None without any.
    """

    name: str
    checks: list[int]
    worth: float
    share: float | None
    complete: int
    total: int


def check_standings(results: Iterable[GradeResult]) -> list[CheckStanding]:
    """Every check that a graded submission was asked, in the order in which they come."""
    seen: dict[str, list[tuple[str, CheckResult, int]]] = {}
    for result in results:
        if result.status == "graded":
            total = sum(items.hundredths(check.points) for check in result.checks)
            for check in result.checks:
                rest = total - items.hundredths(check.points)
                seen.setdefault(check.id, []).append((result.submission.id, check, rest))
    return [_standing(number, asked) for number, asked in enumerate(seen.values(), start=1)]


def group_standings(results: Iterable[GradeResult], checks: Sequence[CheckStanding]) -> list[GroupStanding]:
    """Every group of these checks, in the order in which they come."""
    graded = [result for result in results if result.status == "graded"]
    earned: dict[str, list[int]] = {}
    complete: Counter[str] = Counter()
    for result in graded:
        sums: dict[str, list[int]] = {}
        for check in result.checks:
            mine = sums.setdefault(check.group, [0, 0])
            mine[0] += items.hundredths(check.points)
            mine[1] += items.hundredths(check.max_points)
        for name, (points, most) in sums.items():
            both = earned.setdefault(name, [0, 0, 0])
            both[0], both[1], both[2] = both[0] + points, both[1] + most, both[2] + 1
            complete[name] += points == most
    numbers: dict[str, list[int]] = {}
    for standing in checks:
        numbers.setdefault(standing.group, []).append(standing.number)
    worth = {name: round(sum(check.worth for check in checks if check.group == name), 2) for name in numbers}
    return [
        GroupStanding(name, numbers[name], worth[name], points / most if most else None, complete[name], total)
        for name, (points, most, total) in earned.items()
    ]


def _standing(number: int, asked: Sequence[tuple[str, CheckResult, int]]) -> CheckStanding:
    checks = [check for _, check, _ in asked]
    passed = [check.status == "passed" for check in checks]
    correlation = items.discrimination(passed, [rest for _, _, rest in asked])
    counts = Counter(check.status for check in checks)
    first = checks[0]
    return CheckStanding(
        number=number,
        id=first.id,
        title=first.title,
        group=first.group,
        hidden=first.visibility != "visible",
        worth=first.max_points,
        passed=sum(passed),
        total=len(checks),
        difficulty=items.difficulty([check.points for check in checks], passed, first.max_points),
        discrimination=correlation,
        verdict=verdict(sum(passed), len(passed), correlation),
        statuses={status: counts[status] for status in _STATUSES if counts[status]},
        misconceptions=_misconceptions(checks),
        lines=_lines(checks),
        failed=[name for (name, _, _), ok in zip(asked, passed, strict=True) if not ok],
    )


def verdict(passed: int, total: int, correlation: float | None) -> Verdict:
    """What the numbers of a check say about it. Of few submissions nothing, but that all or nobody pass."""
    if total < items.FEWEST:
        return ""
    if passed == total:
        return "all"
    if passed == 0:
        return "nobody"
    if correlation is None:
        return "alike"
    if total < items.ENOUGH or min(passed, total - passed) < items.BOTH:
        return "few"
    if correlation <= -items.NEAR_ZERO:
        return "negative"
    if correlation < items.NEAR_ZERO:
        return "near_zero"
    return "good" if correlation >= items.GOOD else "fair"


def _misconceptions(checks: Iterable[CheckResult]) -> list[Seen]:
    found: dict[str, Diagnosis] = {}
    counts: Counter[str] = Counter()
    for check in checks:
        if check.diagnosis is not None:
            found.setdefault(check.diagnosis.slug, check.diagnosis)
            counts[check.diagnosis.slug] += 1
    return [Seen(found[slug], count) for slug, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]


def _lines(checks: Iterable[CheckResult]) -> list[Line]:
    """The commonest first lines of feedback; lines that differ in figures alone are one."""
    told: dict[str, Counter[str]] = {}
    for check in checks:
        line = check.feedback.strip().partition("\n")[0][:_LINE].strip()
        if line and check.status not in ("passed", "skipped"):
            told.setdefault(_FIGURES.sub("…", line), Counter())[line] += 1
    merged = [Line(next(iter(lines)) if len(lines) == 1 else pattern, lines.total()) for pattern, lines in told.items()]
    return sorted(merged, key=lambda line: (-line.count, line.text))[:LINES]
