"""The order in which a plan runs the checks: shuffled or preferred, and always after what they need."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grader.judge.plan import USUAL, Plan

NEEDS: dict[str, tuple[str, ...]] = {"a": (), "b": ("a",), "c": (), "d": ("b", "c"), "e": ()}


def test_the_usual_order_is_that_of_the_checks() -> None:
    assert USUAL.order(NEEDS) == list("abcde")


def test_preferred_checks_come_first_but_not_before_what_they_need() -> None:
    assert Plan(first=("e", "c")).order(NEEDS) == list("ecabd")
    assert Plan(first=("d", "e")).order(NEEDS) == list("abcde")
    assert Plan(first=("c", "b")).order(NEEDS) == list("cabde")
    assert Plan(first=("no such check",)).order(NEEDS) == list("abcde")


def test_only_some_checks_run_with_what_they_need() -> None:
    assert Plan(only=("b",)).order(NEEDS) == list("ab")
    assert Plan(only=("e", "d"), first=("e",)).order(NEEDS) == list("eabcd")
    assert Plan(only=("no such check",)).order(NEEDS) == []
    shuffled = {tuple(Plan(only=("b", "c", "e"), order_seed=seed).order(NEEDS)) for seed in range(30)}
    assert len(shuffled) > 3
    assert {frozenset(order) for order in shuffled} == {frozenset("abce")}


def test_a_seed_always_gives_the_same_order_and_others_give_others() -> None:
    orders = [Plan(order_seed=seed).order(NEEDS) for seed in range(30)]
    assert orders == [Plan(order_seed=seed).order(NEEDS) for seed in range(30)]
    assert len({tuple(order) for order in orders}) > 10


@given(st.data(), st.integers(0, 1 << 32))
def test_every_order_has_each_check_once_and_after_its_needs(data: st.DataObject, seed: int) -> None:
    names = [f"check{number}" for number in range(data.draw(st.integers(0, 12)))]
    needs = {
        name: tuple(data.draw(st.lists(st.sampled_from(names[:number]), max_size=3)) if number else ())
        for number, name in enumerate(names)
    }
    first = tuple(data.draw(st.lists(st.sampled_from(names), max_size=4)) if names else ())
    order = Plan(order_seed=seed, first=first).order(needs)
    assert sorted(order) == sorted(names)
    assert all(order.index(need) < order.index(name) for name in names for need in needs[name])
