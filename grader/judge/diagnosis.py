"""Which known misconception produces exactly what was observed.

Functions over records; no student code, no torch. Each wrong variant was graded once, and what its checks observed
was kept. A submission's failed checks are compared with those: a variant explains a check if status, kind of exception
and every observation are equal within tolerance; counts of random draws are if one share may have made both. No match,
no guess:

- everything that the variant fails, the submission fails too, and more than half of it in the same way;
- where a check yields little evidence (no numbers, only a kind of exception or a yes and no), both must fail exactly
  the same checks, but for those that count random draws;
- of several, the one that explains most wins, and among equals the first by name;
- a check of a part that is not written yet counts as one that did not run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from grader.judge.chance import same_share
from grader.model.observation import Observation, is_tensor_json
from grader.model.result import MISSING_NAME, CheckResult, Diagnosis, GradeResult, ReadOn

_RTOL = 1e-4
_ATOL = 1e-5
_NUMBERS_NEEDED = 2
_BOOLEANS_NEEDED = 16
_NOT_WRITTEN = (MISSING_NAME, "NotImplementedError")
"""How a check fails whose part of the file is not written yet: that says nothing about the other parts."""


class FailedCheck(msgspec.Struct, frozen=True):
    """How a wrong variant failed one check."""

    status: str
    error: str | None
    observations: list[Observation]


class KnownVariant(msgspec.Struct, frozen=True):
    """A wrong variant: what a student is told, how it failed, by check, and where the handout says more."""

    slug: str
    explanation: str
    checks: dict[str, FailedCheck]
    read_on: ReadOn | None = None


class Misconceptions(msgspec.Struct, frozen=True):
    """What is known about the wrong variants of one assignment version."""

    fingerprint: str
    variants: list[KnownVariant]

    def for_checks(self, names: Iterable[str]) -> Misconceptions:
        """The part about these checks alone, without variants that pass all of them."""
        kept = set(names)
        cut = [
            msgspec.structs.replace(
                variant, checks={name: seen for name, seen in variant.checks.items() if name in kept}
            )
            for variant in self.variants
        ]
        return Misconceptions(self.fingerprint, [variant for variant in cut if variant.checks])


def read_misconceptions(path: Path) -> Misconceptions:
    """The values that come with a handout; none where the file is missing or of another version."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Misconceptions)
    except (OSError, msgspec.DecodeError):
        return Misconceptions("", [])


def describe_variant(slug: str, explanation: str, result: GradeResult, read_on: ReadOn | None = None) -> KnownVariant:
    """What a wrong variant's result teaches: of each observation only what was seen, and whether it held."""
    checks = {}
    for check in filter(_is_failure, result.checks):
        seen = _failed(check)
        slim = [Observation(o.name, o.kind, None, o.actual, "" if o.held else "differs") for o in seen.observations]
        checks[check.id] = msgspec.structs.replace(seen, observations=slim)
    return KnownVariant(slug, explanation, checks, read_on)


def _is_failure(check: CheckResult) -> bool:
    return check.status not in ("passed", "skipped") and check.fault == "student"


def _failed(check: CheckResult) -> FailedCheck:
    # Which limit struck is no trait of a misconception: whatever never ends would look alike.
    raised = check.error if check.status not in ("timeout", "crashed") else None
    return FailedCheck(check.status, raised.type if raised else None, check.observations)


def diagnose(result: GradeResult, known: Misconceptions) -> GradeResult:
    """The result with a diagnosis on each failed check that a known misconception explains."""
    failures = {check.id: _failed(check) for check in result.checks if _is_failure(check)}
    failed = {name: seen for name, seen in failures.items() if seen.error not in _NOT_WRITTEN}
    if not failed or not known.variants:
        return result
    skipped = {check.id for check in result.checks if check.status == "skipped"}
    unwritten = failures.keys() - failed.keys()
    explained: dict[str, tuple[tuple[int, str], Diagnosis]] = {}
    for variant in known.variants:
        matched = _matched_checks(variant, failed, skipped, unwritten)
        rank = (-len(matched), variant.slug)
        for name in matched:
            if name not in explained or rank < explained[name][0]:
                explained[name] = (rank, Diagnosis(variant.slug, variant.explanation, variant.read_on))
    checks = [
        msgspec.structs.replace(check, diagnosis=explained[check.id][1]) if check.id in explained else check
        for check in result.checks
    ]
    return msgspec.structs.replace(result, checks=checks)


def _matched_checks(
    variant: KnownVariant, failed: dict[str, FailedCheck], skipped: set[str], unwritten: set[str]
) -> list[str]:
    """Names of the checks that this variant explains, none if it contradicts what was seen."""
    if not variant.checks.keys() <= failed.keys() | skipped | unwritten:
        return []
    matched = [name for name, seen in variant.checks.items() if name in failed and _same_failure(failed[name], seen)]
    comparable = [name for name in variant.checks if name in failed]
    if not matched or (len(matched) < len(comparable) and 2 * len(matched) <= len(comparable)):
        return []
    same = _certain(failed) == _certain(variant.checks) - unwritten
    if not same and not any(_is_telling(variant.checks[name]) for name in matched):
        return []
    return matched


def _certain(checks: Mapping[str, FailedCheck]) -> set[str]:
    """The failures that chance has no part in: a share near its bound fails one solution and not the next."""
    return {
        name for name, seen in checks.items() if not seen.observations or seen.observations[-1].kind != "proportions"
    }


def _is_telling(seen: FailedCheck) -> bool:
    """Whether a failure carries numbers that another mistake would hardly reproduce."""
    if not seen.observations or seen.observations[-1].held:
        return False
    actual = seen.observations[-1].actual
    if isinstance(actual, float):
        return math.isfinite(actual)
    if not is_tensor_json(actual) or actual["data"] is None:
        return False
    if len(actual["data"]) >= _BOOLEANS_NEEDED and {type(value) for value in actual["data"]} == {bool}:
        return len(set(actual["data"])) == 2  # a pattern of both: chance or another mistake would hardly draw it
    numbers = {value for value in actual["data"] if isinstance(value, float)}
    return len(numbers - {0.0, 1.0}) >= (_NUMBERS_NEEDED if len(actual["data"]) > 1 else 1)


def _same_failure(mine: FailedCheck, theirs: FailedCheck) -> bool:
    if (mine.status, mine.error) != (theirs.status, theirs.error):
        return False
    if len(mine.observations) != len(theirs.observations):
        return False
    if not mine.observations and mine.error is None:
        return False
    pairs = zip(reversed(mine.observations), reversed(theirs.observations), strict=True)  # the failed one first
    return all(a.name == b.name and a.kind == b.kind and _same_actual(a, b) for a, b in pairs)


def _same_actual(a: Observation, b: Observation) -> bool:
    if a.kind != "proportions":
        return same_value(a.actual, b.actual)
    if len(a.actual["count"]) != len(b.actual["count"]):
        return False
    columns = (a.actual["count"], a.actual["total"], b.actual["count"], b.actual["total"])
    return all(map(same_share, *columns))


def same_value(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal, floating numbers within 1e-5 + 1e-4 of the second."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= _ATOL + _RTOL * abs(b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_value, a, b))
    return bool(a == b)
