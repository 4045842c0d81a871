"""Marks computed again from what was observed, without running student code.

Pure functions over records. `rescore` takes a stored result and the course of today, as the reference's own result has
it, to the result that a grading would give today. What cannot be known without a run is never guessed: then the result
is left as it is, with the reason. A stored verdict stands while the text of its check is the same. Where only the
amounts that it allows changed, each of its comparisons is made again, in order:

- one that does not hold any more fails the check there;
- a check that failed at a comparison which holds now has passed only if nothing came after it in the reference's run,
  for what comes after was never seen;
- an exception, a time-out or a missing name remains what it was.

A check that builds on another is skipped where that one fails now; what was skipped and would run now is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from grader.judge import outcome, scoring, verdicts
from grader.model.assignment import Deadline
from grader.model.late import with_lateness
from grader.model.observation import Observation
from grader.model.result import MISSING_NAME, AssignmentInfo, CheckResult, GradeResult, Printed, Status

_BY_LIMIT = ("timeout", "memory", "crashed")


class Left(Exception):
    """A result cannot be computed again; the text says why, without a full stop."""


@dataclass(frozen=True)
class Today:
    """The course of today: `checks` as the reference passes them, in their order."""

    assignment: AssignmentInfo
    deadline: Deadline | None
    checks: list[CheckResult]


def rescore(before: GradeResult, today: Today) -> GradeResult:
    """The result as it would be today; the very same where nothing changed. It needs its large tensors.

    Raises:
        Left: that cannot be known without running the student's code.
    """
    if before.status == "ungraded":
        raise Left("it is ungraded")
    same_conditions = before.assignment.conditions == today.assignment.conditions
    if not same_conditions and (before.status == "invalid" or any(map(_may_rest_on_limits, before.checks))):
        raise Left("the limits or names in assignment.toml changed, and what became of it may rest on them")
    checks: list[CheckResult] = []
    status: Status = before.status
    score, reason = before.score, before.reason
    if before.status == "graded":
        checks = _checks(before, today)
        status, score, reason = scoring.mark(checks)
    elif before.lateness is not None:
        score = before.lateness.score_before
    after = msgspec.structs.replace(
        before,
        assignment=msgspec.structs.replace(today.assignment, conditions=before.assignment.conditions),
        status=status,
        score=score,
        reason=reason,
        max_score=scoring.exact_sum(check.max_points for check in today.checks),
        checks=checks,
        printed_for_student=Printed() if _hides_more(before.checks, today) else before.printed_for_student,
        lateness=None,
    )
    after = with_lateness(after, today.deadline)
    if after == before:
        return before
    return msgspec.structs.replace(after, fingerprint="", rescored_at=datetime.now(UTC).isoformat(timespec="seconds"))


def _may_rest_on_limits(check: CheckResult) -> bool:
    return check.status in _BY_LIMIT or (check.error is not None and check.error.type == MISSING_NAME)


def _hides_more(before: list[CheckResult], today: Today) -> bool:
    """Whether a check whose output students saw is hidden now: what was printed in it is not kept apart."""
    hidden = {check.id for check in today.checks if check.visibility != "visible"}
    return any(check.visibility == "visible" and check.id in hidden for check in before)


def _checks(before: GradeResult, today: Today) -> list[CheckResult]:
    stored = {check.id: check for check in before.checks}
    done: dict[str, CheckResult] = {}
    for card in today.checks:
        if card.id not in stored:
            raise Left(f"{card.id} is a new check, which nobody has been asked yet")
        missed = next((done[need] for need in card.needs if need in done and done[need].status != "passed"), None)
        done[card.id] = _relabelled(_verdict(stored[card.id], card, missed), card)
    contradicted = {
        check.diagnosis.slug
        for check in before.checks
        if check.diagnosis is not None and check.id in done and done[check.id].status == "passed"
    }
    return [_diagnosed(check, contradicted) for check in done.values()]


def _verdict(old: CheckResult, card: CheckResult, missed: CheckResult | None) -> CheckResult:
    """What became of a check, with its labels of old; `missed` is a prerequisite that did not pass."""
    if missed is not None:
        ended = outcome.skipped(missed)
        nothing = msgspec.structs.replace(old, observations=[], error=None, staff_detail="", diagnosis=None)
        kept = old if old.status == "skipped" else nothing
        return msgspec.structs.replace(
            kept, status=ended.status, fault=ended.fault, feedback=ended.feedback, seconds=0.0, asked_on=True
        )
    if old.status == "skipped":
        raise Left(f"{old.id} was skipped and would run now")
    if not old.asked:
        raise Left("it was graded by a version of the grader that kept too little")
    if old.asked != card.asked:
        raise Left(f"{old.id} asks something else than when it was graded")
    return old if old.allowed == card.allowed else _judged_again(old, card)


def _judged_again(old: CheckResult, card: CheckResult) -> CheckResult:
    """The check's comparisons with what is allowed today."""
    seen: list[Observation] = []
    broken = [index for index, observation in enumerate(old.observations) if not observation.held]
    if broken and (old.status == "passed" or broken != [len(old.observations) - 1]):
        raise Left(f"{old.id} went on after a comparison that does not hold")
    for index, observation in enumerate(old.observations):
        if observation.allowed is msgspec.UNSET and not observation.held:
            return msgspec.structs.replace(old, observations=[*seen, observation])
        seen.append(_seen_again(old.id, observation, card.observations[index : index + 1]))
        if not seen[-1].held:
            return _failed(old, seen)
    if old.status == "passed" or not old.observations or old.observations[-1].held:
        return msgspec.structs.replace(old, observations=seen)  # passed, or ended by something else than a comparison
    if len(seen) < len(card.observations) or card.asked_on:
        raise Left(f"{old.id} was not asked further than the comparison that holds now")
    return msgspec.structs.replace(
        old, status="passed", fault=None, feedback="", observations=seen, diagnosis=None, asked_on=card.asked_on
    )


def _seen_again(check: str, old: Observation, cards: list[Observation]) -> Observation:
    """One comparison, with what the reference's at the same place allows today."""
    if not cards or (cards[0].name, cards[0].kind) != (old.name, old.kind):
        raise Left(f"{check} does not make the same comparisons for everybody")
    if isinstance(cards[0].allowed, dict) != isinstance(old.allowed, dict):
        raise Left(f"{check} allows something else than when it was graded")
    if not isinstance(cards[0].allowed, dict):
        return old
    try:
        return verdicts.again(old, cards[0].allowed)
    except verdicts.NotKept as lost:
        raise Left(f"{check}: {lost}") from None


def _failed(old: CheckResult, seen: list[Observation]) -> CheckResult:
    """A check that fails at the last of these comparisons."""
    text = seen[-1].detail
    if (old.status, len(old.observations)) == ("failed", len(seen)) and not old.observations[-1].held:
        return msgspec.structs.replace(old, feedback=text, observations=seen)
    return msgspec.structs.replace(
        old,
        status="failed",
        fault="student",
        feedback=text,
        diagnosis=None,
        observations=seen,
        error=None,
        staff_detail="",
    )


def _relabelled(check: CheckResult, card: CheckResult) -> CheckResult:
    """A verdict with the labels and points of today."""
    return msgspec.structs.replace(
        check,
        title=card.title,
        group=card.group,
        points=card.max_points if check.status == "passed" else 0.0,
        max_points=card.max_points,
        visibility=card.visibility,
        hint=card.hint,
        needs=card.needs,
        asked=card.asked,
        allowed=card.allowed,
    )


def _diagnosed(check: CheckResult, contradicted: set[str]) -> CheckResult:
    """The check without a misconception that fails a check which has passed now."""
    if check.diagnosis is None or check.diagnosis.slug not in contradicted:
        return check
    return msgspec.structs.replace(check, diagnosis=None)
