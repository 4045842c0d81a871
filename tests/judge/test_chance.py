"""Counts and chance: exact intervals, and whether two samples may come from one share."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.chance import Claim, binomial_interval, broken, claim_text, same_share


@given(st.integers(1, 3000), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_bounds_with_a_least_share_hold_those_of_both(total: int, share: float, part: float) -> None:
    least = share * part
    low, high = Claim("x", 0, total, share, least).bounds(1e-9)
    for each in (share, least):
        alone = binomial_interval(total, each, 1e-9)
        assert low <= alone[0]
        assert alone[1] <= high


def test_nothing_to_judge_is_broken() -> None:
    for claim in (Claim("x", 0, 0, 0.5), Claim("x", 0, 9, 0.0), Claim("x", 9, 9, 1.0)):
        assert broken([claim], 1e-9) is claim
        assert "nothing to compare" in claim_text(claim, 1e-9)


def test_the_risk_is_divided_among_the_claims() -> None:
    low, _ = Claim("x", 0, 500, 0.3).bounds(1e-3 / 2)
    alone, among = Claim("x", low, 500, 0.3), [Claim("x", low, 500, 0.3)] * 40
    assert broken([alone], 1e-3) is None
    assert broken(among, 1e-3) is None  # wider: each end has less of the risk
    assert broken([Claim("x", low - 1, 500, 0.3)], 1e-3) is not None


@pytest.mark.parametrize("share", [0.0, 0.02, 0.12, 0.5, 0.8, 1.0])
def test_two_samples_of_one_share_are_the_same(share: float) -> None:
    chance = random.Random(5)

    def count(total: int) -> int:
        return sum(chance.random() < share for _ in range(total))

    for total, other in ((400, 400), (3000, 700), (40, 2500)):
        for _ in range(20):
            assert same_share(count(total), total, count(other), other)


def test_other_shares_are_others() -> None:
    for share, other in ((0.8, 0.72), (0.1, 0.18), (0.15, 0.12), (0.0, 0.02), (0.5, 1.0)):
        assert not same_share(round(25_000 * share), 25_000, round(25_000 * other), 25_000)
    assert same_share(0, 0, 0, 0)
    assert not same_share(0, 0, 0, 100)
