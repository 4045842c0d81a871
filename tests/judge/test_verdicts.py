"""A stored comparison, made again with another amount, is what it would have been with that amount."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.chance import Claim
from grader.judge.expect import CheckFailed, Expect
from grader.judge.verdicts import NotKept, again
from grader.model.observation import Observation

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.bool]
amounts = st.sampled_from([0.0, 1e-7, 1e-5, 1e-4, 1e-3, 0.1, 2.0, math.inf])
numbers = st.sampled_from([0.0, 1.0, 1.00004, 1.0005, -1.0, 2.0, 1e-5, math.nan, math.inf, -math.inf])


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    """Tensors of a few shapes and of every dtype that student code usually hands back."""
    shape = draw(st.sampled_from([(), (3,), (2, 2), (0, 4), (2, 1, 30)]))
    flat = draw(st.lists(numbers, min_size=math.prod(shape), max_size=math.prod(shape)))
    dtype = draw(st.sampled_from(DTYPES))
    wide = torch.tensor(flat, dtype=torch.float64).reshape(shape)
    return wide.to(dtype) if dtype.is_floating_point else wide.nan_to_num(0, 7, -7).to(dtype)


def observed(compare: Callable[[Expect], None]) -> Observation:
    """The last observation of a comparison, through JSON and back, as a result file keeps it."""
    expect = Expect()
    with contextlib.suppress(CheckFailed):
        compare(expect)
    return msgspec.json.decode(msgspec.json.encode(expect.observations[-1]), type=Observation)


def check_again(
    compare: Callable[[Expect, tuple[float, float]], None], old: tuple[float, float], new: tuple[float, float]
) -> None:
    """Both ways to the new amounts lead to the same observation."""
    before, direct = (observed(lambda expect, amounts=amounts: compare(expect, amounts)) for amounts in (old, new))
    if isinstance(direct.allowed, dict):
        assert again(before, direct.allowed) == direct
    else:  # it failed whatever is allowed
        assert before == direct


pairs = st.tuples(amounts, amounts)


@given(tensors(), tensors(), pairs, pairs)
def test_close(found: torch.Tensor, wanted: torch.Tensor, old: tuple[float, float], new: tuple[float, float]) -> None:
    check_again(lambda expect, pair: expect.close(found, wanted, "x", rtol=pair[0], atol=pair[1]), old, new)


@given(tensors(), pairs, pairs)
def test_one_number(found: torch.Tensor, old: tuple[float, float], new: tuple[float, float]) -> None:
    check_again(lambda expect, pair: expect.above(found, pair[0], "x"), old, new)
    check_again(lambda expect, pair: expect.below(found, pair[0], "x"), old, new)
    if found.dim():
        check_again(lambda expect, pair: expect.rows_sum_to_one(found, "x", atol=pair[0]), old, new)


@given(st.integers(0, 500), st.integers(0, 500), st.sampled_from([1e-12, 1e-6, 1e-2]), st.sampled_from([1e-12, 1e-2]))
def test_shares(first: int, second: int, old: float, new: float) -> None:
    claims = [Claim("a", first, 500, 0.8), Claim("b", second, 500, 0.1, least=0.05)]
    check_again(lambda expect, pair: expect.proportions(claims, "x", risk=pair[0]), (old, 0.0), (new, 0.0))


@pytest.mark.parametrize(
    "actual",
    [
        {"dtype": "float32", "shape": [2], "data": None, "sha256": "0"},
        {"dtype": "float99", "shape": [2], "data": [1.0, 2.0]},
        {"dtype": "float32", "shape": [3], "data": [1.0, 2.0]},
        "a tensor",
        None,
    ],
)
def test_values_that_are_not_kept(actual: object) -> None:
    seen = Observation("x", "close", {"dtype": "float32", "shape": [2], "data": [1.0, 2.0]}, actual)
    with pytest.raises(NotKept):
        again(seen, {"rtol": 0.0, "atol": 1.0})


lists = st.lists(st.sampled_from([0.1, 0.29, 0.3, 0.31, 0.5, math.nan, math.inf]), min_size=1, max_size=3)


@given(lists, lists, pairs, pairs, st.sampled_from([0.2, 0.3, 1.0]))
def test_curve(
    found: list[float], wanted: list[float], old: tuple[float, float], new: tuple[float, float], bar: float
) -> None:
    check_again(lambda expect, pair: expect.curve(found, wanted, "x", bar, rtol=pair[0], atol=pair[1]), old, new)
