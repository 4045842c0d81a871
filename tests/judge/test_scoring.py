"""Points to marks: exact sums, and whose fault leaves a submission ungraded."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.scoring import exact_sum, mark
from grader.model.result import CheckResult


def check(points: float, **fields: Any) -> CheckResult:
    """A check that passed, unless told otherwise."""
    values: dict[str, Any] = {"status": "passed", "fault": None} | fields
    return CheckResult("a", "A", "G", points=points, max_points=10, visibility="visible", **values)


@pytest.mark.parametrize(
    ("points", "total"),
    [
        ([0.1] * 3, 0.3),
        ([0.1] * 10, 1.0),
        ([1.1, 2.2], 3.3),
        ([33.33, 33.33, 33.34], 100.0),
        ([0.005], 0.0),
        ([0.015], 0.02),
        ([0.025], 0.02),
        ([0.005, 0.01], 0.02),
        ([1.005], 1.0),
        ([2.675], 2.68),
        ([1e-05] * 1000, 0.01),
        ([], 0.0),
        ([100], 100.0),
    ],
)
def test_sums(points: list[float], total: float) -> None:
    assert exact_sum(points) == total
    assert isinstance(exact_sum(points), float)


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_hundredths_lose_nothing(hundredths: list[int]) -> None:
    assert exact_sum(number / 100 for number in hundredths) == sum(hundredths) / 100


@given(st.lists(st.floats(0, 100), max_size=30))
def test_rounded_once_half_to_even(points: list[float]) -> None:
    exact = sum((Decimal(repr(number)) for number in points), Decimal(0))
    assert exact_sum(points) == float(exact.quantize(Decimal("0.01"), ROUND_HALF_EVEN))


@given(st.lists(st.integers(0, 1000).map(lambda n: n / 10), max_size=20), st.randoms())
def test_the_order_does_not_matter(points: list[float], chance: Any) -> None:
    shuffled = list(points)
    chance.shuffle(shuffled)
    assert exact_sum(shuffled) == exact_sum(points)


@pytest.mark.parametrize(
    ("checks", "status", "score", "words"),
    [
        ([], "graded", 0.0, None),
        ([check(10.0), check(0.1), check(0.2)], "graded", 10.3, None),
        ([check(10.0), check(0.0, status="failed", fault="student")], "graded", 10.0, None),
        ([check(0.0, status="skipped", fault="student")], "graded", 0.0, None),
        ([check(10.0), check(0.0, status="error", fault="author")], "ungraded", None, "A check itself broke: "),
        (
            [check(10.0), check(0.0, status="error", fault="machine")],
            "ungraded",
            None,
            "could not be run by this machine: ",
        ),
        ([check(0.0, status="skipped", fault="machine")], "ungraded", None, "could not be run by this machine: "),
        (
            [check(0.0, status="error", fault=fault) for fault in ("machine", "student", "author")],
            *("ungraded", None, "A check itself broke: "),
        ),
    ],
)
def test_marks(checks: list[CheckResult], status: str, score: float | None, words: str | None) -> None:
    found = mark(checks)
    assert found[:2] == (status, score)
    assert found[2] is None if words is None else words in (found[2] or "")
