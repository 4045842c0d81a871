"""A platform's time, divided among the checks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.allowance import Allowance, limits_within
from grader.model.assignment import Limits
from grader.sandbox.base import SandboxBroken, StudentTimeout


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_an_end_every_share_is_infinite() -> None:
    allowance = Allowance(None, 3)
    allowance.begin_import()
    assert allowance.left() == math.inf
    for _ in range(5):
        allowance.next_check()
        assert allowance.left() == math.inf
        allowance.require(1e9)


def test_an_import_takes_a_quarter_at_most() -> None:
    clock = Clock()
    allowance = Allowance(40, 4, clock)
    allowance.begin_import()
    assert allowance.left() == 10
    clock.now += 35
    allowance.begin_import()
    assert allowance.left() == 5  # there is no more


def test_one_check_may_take_half_and_the_others_keep_theirs() -> None:
    clock = Clock()
    allowance = Allowance(40, 4, clock)
    allowance.next_check()
    assert allowance.left() == 25  # its own 5 and the 20 for whoever comes first
    clock.now += allowance.left()
    for _ in range(3):
        allowance.next_check()
        assert allowance.left() == 5
        clock.now += 5


@given(st.floats(1, 3600), st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_no_check_is_without_its_part_and_all_end_in_time(seconds: float, used: list[float]) -> None:
    clock = Clock()
    allowance = Allowance(seconds, len(used), clock)
    for part in used:
        allowance.next_check()
        left = allowance.left()
        assert left >= seconds / 2 / len(used) - 1e-6
        clock.now += part * left
    assert clock.now <= 100 + seconds + 1e-6


def test_whose_fault_it_is_that_time_is_up() -> None:
    clock = Clock()
    allowance = Allowance(40, 2, clock)
    clock.now += 39
    allowance.next_check()
    allowance.next_check()
    with pytest.raises(StudentTimeout) as timeout:
        allowance.require(waited=30)  # of the 39 seconds
    assert timeout.value.limit == "total"
    with pytest.raises(SandboxBroken, match="the machine is too slow"):
        allowance.require(waited=3)


def test_limits_say_what_holds() -> None:
    assert limits_within(Limits(), None) == Limits()
    within = limits_within(Limits(), 60)
    assert (within.import_seconds, within.check_seconds, within.total_seconds) == (15, 10, 60)
    assert limits_within(Limits(), 4000) == Limits()
