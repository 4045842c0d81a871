"""Points to marks, exactly.

Pure functions, in the judge. Points are decimal fractions; sums are exact and rounded once, half to even, to 2
decimals. Any author or machine fault makes a submission ungraded: such a fault is never a zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from grader.model.result import CheckResult, Status


def exact_sum(points: Iterable[float]) -> float:
    """The sum of decimal numbers, exact, rounded once to 2 decimals."""
    return float(round(sum((Fraction(str(number)) for number in points), Fraction(0)), 2))


def mark(checks: list[CheckResult]) -> tuple[Status, float | None, str | None]:
    """(status, score, reason) for checks that ran."""
    faults = {check.fault for check in checks}
    for fault, words in (("author", "itself broke"), ("machine", "could not be run by this machine")):
        if fault in faults:
            names = ", ".join(check.id for check in checks if check.fault == fault)
            reason = f"A check {words}: {names}. Its result's `staff_detail` has the traceback."
            return "ungraded", None, reason
    return "graded", exact_sum(check.points for check in checks), None
