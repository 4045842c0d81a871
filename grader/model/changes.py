"""What is different between two results of one submission, in words for staff.

Pure functions over records. `change_of` tells the mark and each check whose verdict or points differ, with the reason
where it is known: another amount that a comparison allows, other points, another deduction for being late.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.observation import Observation
from grader.model.result import CheckResult, GradeResult

_WORDS = {
    "rtol": "allowed relative difference",
    "atol": "allowed difference",
    "bound": "bound",
    "risk": "risk",
}


@dataclass(frozen=True)
class Change:
    """One submission before and after; `reasons` are empty where neither the mark nor a verdict differs."""

    id: str
    before: str
    after: str
    reasons: tuple[str, ...]
    falls: bool


def change_of(before: GradeResult | None, after: GradeResult) -> Change:
    """What became of a submission; `before` is None where there was no result."""
    if before is None:
        return Change(after.submission.id, "–", standing_word(after), ("had no result",), False)
    reasons: list[str] = []
    if before.status != after.status:
        reasons.append(f"{after.status} instead of {before.status}")
    else:
        reasons += _check_changes(before.checks, after.checks)
    reasons += _late_changes(before, after)
    if not reasons and before.score != after.score:
        reasons.append("the score was computed otherwise")
    words = standing_word(before), standing_word(after)
    return Change(after.submission.id, *words, tuple(reasons), falls(before, after))


def falls(before: GradeResult, after: GradeResult) -> bool:
    """Whether a mark would fall, or be lost."""
    return before.score is not None and (after.score is None or after.score < before.score)


def standing_word(result: GradeResult) -> str:
    """The score, and the status where it is not `graded`."""
    if result.score is None:
        return result.status
    return f"{result.score:g}" if result.status == "graded" else f"{result.score:g} ({result.status})"


def _check_changes(before: list[CheckResult], after: list[CheckResult]) -> list[str]:
    old = {check.id: check for check in before}
    reasons = [text for check in after if (text := _check_change(old.get(check.id), check))]
    left = {check.id for check in after}
    reasons += [
        f"{check.id}: no longer a check, {_points(check.points)} less" for check in before if check.id not in left
    ]
    return reasons


def _check_change(old: CheckResult | None, new: CheckResult) -> str:
    if old is None:
        return f"{new.id}: a new check, {new.status}"
    parts = []
    if old.points != new.points and old.status == new.status:
        parts.append(f"{_points(new.points)} instead of {old.points:g}")
    if old.status != new.status:
        parts += _allowances(old.observations, new.observations)
        worth = "" if old.points == new.points else f", {_points(new.points)} instead of {old.points:g}"
        parts.append(f"now {new.status}{worth}")
    return f"{new.id}: {', '.join(parts)}" if parts else ""


def _allowances(old: list[Observation], new: list[Observation]) -> list[str]:
    """Each amount that comparisons allow now, and what they allowed."""
    told: dict[str, None] = {}
    for mine, theirs in zip(old, new, strict=False):
        if isinstance(mine.allowed, dict) and isinstance(theirs.allowed, dict):
            for key, words in _WORDS.items():
                amounts = theirs.allowed.get(key), mine.allowed.get(key)
                if amounts[0] != amounts[1]:
                    told.setdefault(f"{words} {_amount(amounts[0])} instead of {_amount(amounts[1])}")
    return list(told)


def _late_changes(before: GradeResult, after: GradeResult) -> list[str]:
    costs = [result.lateness.deduction if result.lateness is not None else 0.0 for result in (before, after)]
    lates = [result.submission.late for result in (before, after)]
    if costs[0] == costs[1] and lates[0] == lates[1]:
        return []
    word = {True: "late", False: "in time", None: "of unknown time"}[lates[1]]
    was = f" instead of {costs[0]:g}" if costs[0] != costs[1] else ""
    return [f"{word}: {_points(costs[1])} off{was}"]


def _points(number: float) -> str:
    return f"{number:g} point{'' if number == 1 else 's'}"


def _amount(value: object) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
