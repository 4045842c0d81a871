"""Comparing values: the first difference, tolerance, intervals, and their form in a result."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.chance import binomial_interval
from grader.judge.compare import at, describe, difference_text, first_index, value_to_json, within
from grader.wire.values import Unsupported

SHAPES = st.lists(st.integers(1, 4), max_size=4)
FLOATS = st.floats(-1e6, 1e6)


@given(SHAPES, st.data())
def test_the_first_true(shape: list[int], data: st.DataObject) -> None:
    size = math.prod(shape)
    flags = data.draw(st.lists(st.booleans(), min_size=size, max_size=size).filter(any))
    off = torch.tensor(flags).reshape(shape)
    index = first_index(off)
    assert index == off.nonzero()[0].tolist()
    assert bool(off[tuple(index)])


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=9), st.floats(0, 1), st.floats(0, 10))
def test_within_is_what_it_says(pairs: list[tuple[float, float]], rtol: float, atol: float) -> None:
    found, wanted = (torch.tensor(side, dtype=torch.float64) for side in zip(*pairs, strict=True))
    held = within(found, wanted, rtol, atol).tolist()
    assert held == [a == b or abs(a - b) <= atol + rtol * abs(b) for a, b in pairs]


@pytest.mark.parametrize("other", [math.nan, math.inf, -math.inf, 0.0])
def test_nan_is_near_nothing(other: float) -> None:
    nan, value = torch.tensor([math.nan]), torch.tensor([other])
    for rtol, atol in ((0.0, 0.0), (1e9, 1e9), (math.inf, math.inf)):
        assert not within(nan, value, rtol, atol).item()
        assert not within(value, nan, rtol, atol).item()


def test_infinities() -> None:
    values = torch.tensor([math.inf, -math.inf, 1.0])
    assert within(values, values, 0, 0).all()
    others = torch.tensor([-math.inf, 1.0, math.inf])
    assert not within(values, others, 1e-4, 1e-5).any()
    assert not within(others, values, 1e-4, 1e-5).any()


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-1, 0, 1]))
def test_integers_are_compared_exactly(a: int, step: int) -> None:
    b = a + step if abs(step) < 2 and -(2**63) <= a + step < 2**63 else step
    assert within(torch.tensor(a), torch.tensor(b), 0, 0).item() is (a == b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.bool, torch.uint8])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (5, 6)])
def test_differences_are_told(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    wanted = torch.zeros(shape, dtype=dtype)
    found = torch.ones(shape, dtype=dtype)
    text = difference_text("the mask", found, wanted, found != wanted, 0.0, 0.0)
    count = math.prod(shape)
    first = f"{count} of {count} values differ, first at {[0] * len(shape)}" if count > 1 else "the value differs"
    assert text.startswith(f"the mask: {first}")
    assert ("difference 1.00e+00, allowed 0.00e+00" in text) is (dtype != torch.bool)
    assert "\n" not in text  # both sides are drawn from the observation, by whoever shows it


def test_digits_tell_what_differs() -> None:
    found, wanted = torch.tensor(0.16980001), torch.tensor(0.1698)
    text = difference_text("x", found, wanted, torch.tensor(True), 0.0, 0.0)
    mine, theirs = text.split("yours ")[1].split(" (")[0].split(", expected ")
    assert mine != theirs


def test_at_a_place() -> None:
    assert (at([]), at([0, 1])) == ("", " at [0, 1]")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (torch.zeros(2, 3), "a tensor of shape (2, 3) and dtype float32"),
        (None, "None (is a return missing?)"),
        (True, "the bool True"),
        (1.5, "the float 1.5"),
        ("x" * 200, "the str '" + "x" * 76 + "..."),
        (b"a", "the bytes b'a'"),
        ([1, 2], "a list of 2"),
        ((), "a tuple of 0"),
        ({}, "a dict of 0"),
        (Unsupported("a nested tensor"), "a nested tensor"),
    ],
)
def test_descriptions(value: Any, words: str) -> None:
    assert describe(value) == words


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (torch.tensor([[1.5, math.nan]]), {"dtype": "float32", "shape": [1, 2], "data": [1.5, "nan"]}),
        (torch.tensor(True), {"dtype": "bool", "shape": [], "data": [True]}),
        (torch.zeros(0, 2), {"dtype": "float32", "shape": [0, 2], "data": []}),
        (torch.tensor([1.0]).bfloat16(), {"dtype": "bfloat16", "shape": [1], "data": [1.0]}),
        (math.inf, "inf"),
        ((1, [None, "a"]), [1, [None, "a"]]),
        ({1: True}, {"1": True}),
        (Unsupported("a sparse tensor"), "a sparse tensor"),
        (b"a", "the bytes b'a'"),
    ],
)
def test_values_as_results_hold_them(value: Any, form: Any) -> None:
    assert value_to_json(value) == form
    json.dumps(value_to_json(value), allow_nan=False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.bfloat16, torch.int64])
def test_very_large_tensors_are_hashed(dtype: torch.dtype) -> None:
    plain = torch.zeros(600, 600, dtype=dtype)
    other = plain.clone()
    other[599, 599] = 1
    forms = [value_to_json(tensor) for tensor in (plain, plain.clone().T, other)]
    assert all(form["data"] is None and form["shape"] == [600, 600] for form in forms)
    assert forms[0]["sha256"] == forms[1]["sha256"] != forms[2]["sha256"]


def exact_tails(total: int, share: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """P(X <= k) and P(X >= k) for every k, exactly."""
    mass = [math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(total + 1)]
    return [sum(mass[: k + 1], Fraction(0)) for k in range(total + 1)], [
        sum(mass[k:], Fraction(0)) for k in range(total + 1)
    ]


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 99), st.integers(1, 120).map(lambda n: Fraction(1, 3) ** Fraction(n, 1)))
def test_intervals_are_exact(total: int, percent: int, probability: Fraction) -> None:
    share = Fraction(percent, 100)
    lower, upper = exact_tails(total, share)
    limit = Fraction(float(probability))
    low = next(k for k in range(total + 1) if lower[k] > limit)
    high = next(k for k in range(total, -1, -1) if upper[k] > limit)
    assert binomial_interval(total, percent / 100, float(probability)) == (low, high)


@pytest.mark.parametrize("share", [0.15, 0.8, 0.1, 0.5])
def test_intervals_of_large_samples(share: float) -> None:
    total, probability = 25_000, 1e-10
    low, high = binomial_interval(total, share, probability)
    width = math.sqrt(total * share * (1 - share))
    assert total * share - 7 * width < low < total * share - 6 * width
    assert total * share + 6 * width < high < total * share + 7 * width
