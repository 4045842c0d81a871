"""`expect`: what passes, what fails and is recorded, and that no value of a student's breaks a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.chance import Claim
from grader.judge.expect import CheckFailed, Expect
from grader.judge.student import Remote, StudentRaised
from grader.wire.calls import ErrorReport, Reply
from grader.wire.values import Generator, Handle, Unsupported

NAN, INF = math.nan, math.inf
T = torch.tensor


def raised(kind: str, text: str = "") -> Callable[[], Any]:
    """A call in which student code raises."""

    def call() -> Any:
        raise StudentRaised(ErrorReport((kind, "ArithmeticError", "Exception", "BaseException"), text))

    return call


def outcome(use: Callable[[Expect], object]) -> tuple[str, Expect]:
    """The text that a comparison failed with, empty if it held, and the record."""
    expect = Expect()
    try:
        use(expect)
    except CheckFailed as failed:
        return str(failed), expect
    return "", expect


HOLDS: list[Callable[[Expect], object]] = [
    lambda e: e.tensor(T([1.0]), "x", shape=(1,), dtype=torch.float32),
    lambda e: e.shape(torch.zeros(2, 0), [2, 0], "x"),
    lambda e: e.dtype(T(True), torch.bool, "x"),
    lambda e: e.close(T([1.0, 2.0]), T([1.00005, 2.0]), "x"),
    lambda e: e.close(T([1.0], dtype=torch.float64), T([1.0]), "x"),
    lambda e: e.close(T([INF, -INF]), T([INF, -INF]), "x"),
    lambda e: e.close(0.5, T(0.5), "x"),
    lambda e: e.close(3, 3, "x"),
    lambda e: e.close(torch.zeros(0), torch.zeros(0), "x"),
    lambda e: e.close(T(1.0, requires_grad=True), 1.0, "x"),
    lambda e: e.equal(T([True, False]), T([True, False]), "x"),
    lambda e: e.equal(T([2**53 + 1]), T([2**53 + 1]), "x"),
    lambda e: e.equal(True, T(True), "x"),
    lambda e: e.same([1, "a", (2,)], [1, "a", (2,)], "x"),
    lambda e: e.rows_sum_to_one(torch.full((2, 4), 0.25), "x"),
    lambda e: e.rows_sum_to_one(torch.eye(3, dtype=torch.bool), "x"),
    lambda e: e.below(0.1, 0.2, "x"),
    lambda e: e.below(T([[-INF]]), 0.2, "x"),
    lambda e: e.above(T([1.0, 2.0]), 0, "x"),
    lambda e: e.above(INF, 0, "x"),
    lambda e: e.finite(T([1, 2]), "x"),
    lambda e: e.finite(torch.zeros(0), "x"),
    lambda e: e.unchanged(T([1, 2]), T([1, 2]), "x"),
    lambda e: e.raises("ValueError", raised("ValueError"), "x"),
    lambda e: e.raises("ArithmeticError", raised("ZeroDivisionError"), "x"),
    lambda e: e.raises("ValueError", raised("ValueError", "heads 3"), "x", mentions=["hidden", "heads"]),
    lambda e: e.that(True, "x", "never"),
    lambda e: e.proportion(1500, 10_000, 0.15, "x"),
    lambda e: e.proportions([Claim("a", 8, 10, 0.8), Claim("b", 1, 100, 0.15, least=0.01)], "x"),
]
FAILS: list[tuple[Callable[[Expect], object], str]] = [
    (lambda e: e.tensor([1.0], "x"), "expected a tensor, got a list of 1"),
    (lambda e: e.tensor(None, "x"), "got None (is a return missing?)"),
    (lambda e: e.tensor(Unsupported("a sparse tensor"), "x"), "got a sparse tensor"),
    (lambda e: e.tensor(T([1.0]), "x", shape=(1, 1)), "expected shape (1, 1), got (1,)"),
    (lambda e: e.tensor(T([1.0]), "x", dtype=torch.float64), "expected dtype float64, got float32"),
    (
        lambda e: e.close(T([1.0, 2.0]), T([1.0, 2.1]), "x"),
        "1 of 2 values differs, first at [1]: yours 2, expected 2.0999",
    ),
    (lambda e: e.close(T(0.1698), T(0.1699), "x"), "difference 1.00e-04, allowed 2.70e-05"),
    (lambda e: e.close(T([NAN]), T([NAN]), "x"), "yours nan"),
    (lambda e: e.close(T([INF]), T([-INF]), "x"), "yours inf, expected -inf"),
    (lambda e: e.close(T([INF]), T([1.0]), "x", rtol=1e9), "not a finite number"),
    (lambda e: e.close(T([1.0]), T([INF]), "x"), "expected inf"),
    (lambda e: e.close(T([1.0, 1.0]), T([[1.0], [1.0]]), "x"), "expected shape (2, 1), got (2,)"),
    (lambda e: e.close(T(1.0), T([1.0]), "x"), "expected shape (1,), got ()"),
    (lambda e: e.close("1", 1.0, "x"), "got the str '1'"),
    (lambda e: e.close(T([1]), T([True]), "x"), "expected booleans, got dtype int64"),
    (lambda e: e.close(True, 1.0, "x"), "got the bool True"),
    (lambda e: e.equal(T([2**53]), T([2**53 + 1]), "x"), "differ"),
    (lambda e: e.equal(T([True, True]), T([True, False]), "x"), "first at [1]: yours True, expected False"),
    (lambda e: e.same(1, True, "x"), "expected the bool True, got the int 1"),
    (lambda e: e.same(NAN, NAN, "x"), "got the float nan"),
    (lambda e: e.same((1,), [1], "x"), "expected a list of 1, got a tuple of 1"),
    (lambda e: e.rows_sum_to_one(torch.ones(2, 3) / T([[3], [4]]), "x"), "row [1] sums to 0.75"),
    (lambda e: e.rows_sum_to_one(T([[0.5, NAN]]), "x"), "sums to nan"),
    (lambda e: e.rows_sum_to_one(T([[INF, -INF]]), "x"), "sums to nan"),
    (lambda e: e.below(NAN, 0.2, "x"), "expected less than 0.2, got nan"),
    (lambda e: e.below(0.2, 0.2, "x"), "expected less than 0.2"),
    (lambda e: e.below(T([0.1, 0.1]), 0.2, "x"), "expected a single number, got shape (2,)"),
    (lambda e: e.above(T([1.0, 0.0]), 0, "x"), "expected more than 0, got 0 at [1]"),
    (lambda e: e.above(T([NAN]), 0, "x"), "got nan"),
    (lambda e: e.finite(T([[0.0, -INF]]), "x"), "got -inf at [0, 1]"),
    (lambda e: e.unchanged(T([1, 3]), T([1, 2]), "x"), "changed this argument"),
    (lambda e: e.unchanged(T([1]), T([1, 2]), "x"), "changed this argument"),
    (lambda e: e.unchanged(None, T([1, 2]), "x"), "changed this argument"),
    (lambda e: e.raises("ValueError", lambda: 3, "x"), "expected ValueError, got the int 3 instead"),
    (lambda e: e.raises("ValueError", raised("TypeError"), "x"), "expected ValueError, got TypeError"),
    (
        lambda e: e.raises("ValueError", raised("ValueError", "SECRET"), "x", mentions=["a", "b"]),
        "should contain a or b",
    ),
    (lambda e: e.that(False, "x", "it is so"), "x: it is so"),
    (lambda e: e.proportion(1800, 10_000, 0.15, "x"), "x: 0.1800 of 10000"),
    (lambda e: e.proportion(0, 0, 0.15, "x"), "nothing to compare"),
    (
        lambda e: e.proportions([Claim("a", 80, 100, 0.8), Claim("b", 60, 100, 0.1), Claim("c", 10, 100, 0.1)], "x"),
        "x:\na: 0.8000 of 100, expected 0.5000 to 1.0000 (0.8).\nb: 0.6000 of 100",
    ),
    (lambda e: e.proportions([Claim("a", n, 100, 0.5) for n in (50, 50, 50, 50, 99)], "x"), "x:\na: 0.9900 of 100"),
]


@pytest.mark.parametrize("use", HOLDS)
def test_what_holds_is_recorded(use: Callable[[Expect], object]) -> None:
    text, expect = outcome(use)
    assert text == ""
    assert expect.observations
    assert all(seen.held and seen.name == "x" for seen in expect.observations)


@pytest.mark.parametrize(("use", "words"), FAILS, ids=[words for _, words in FAILS])
def test_what_fails_is_told_and_recorded(use: Callable[[Expect], object], words: str) -> None:
    text, expect = outcome(use)
    assert text.startswith("x:")
    assert words in text
    assert expect.observations[-1].detail == text
    assert all(seen.held for seen in expect.observations[:-1])
    assert "SECRET" not in str(expect.observations)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**128), 2**128)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    | st.binary(max_size=5)
)
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, NAN, INF, -INF, 1e30, 2.0])
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool]


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    """A small tensor of some shape and dtype, NaN and infinities among its values."""
    shape = draw(st.lists(st.integers(0, 3), max_size=3))
    dtype = draw(st.sampled_from(DTYPES))
    numbers = draw(st.lists(NUMBERS, min_size=math.prod(shape), max_size=math.prod(shape)))
    if not dtype.is_floating_point:
        numbers = [number if abs(number) < 9 else 3.0 for number in numbers]
        numbers = [abs(number) for number in numbers]
    return torch.tensor(numbers, dtype=torch.float64).reshape(shape).to(dtype)


STRANGE = st.sampled_from([Unsupported("a sparse tensor"), Handle(3, "Model"), Generator(b"state")])
VALUES = st.recursive(
    SCALARS | tensors() | STRANGE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text("ab", max_size=2) | st.integers(0, 3), inner, max_size=3)
    ),
    max_leaves=5,
)
REMOTE = Remote(lambda *_: Reply(), (1,), "an object of type Model")
PLAIN_EXPECTED = [0, 1.5, True, "a", [1], [1.0, [2]], (1, 2), [True], {"a": 1}]


def methods(value: Any, wanted: torch.Tensor, plain: Any) -> dict[str, Callable[[Expect], object]]:
    """Every comparison with a value of a student's."""
    return {
        "tensor": lambda e: e.tensor(value, "x", shape=tuple(wanted.shape), dtype=wanted.dtype),
        "shape": lambda e: e.shape(value, wanted.shape, "x"),
        "dtype": lambda e: e.dtype(value, wanted.dtype, "x"),
        "close": lambda e: e.close(value, wanted, "x"),
        "close to a number": lambda e: e.close(value, 1.0, "x"),
        "close to an integer": lambda e: e.close(value, 3, "x"),
        "equal": lambda e: e.equal(value, wanted, "x"),
        "same": lambda e: e.same(value, plain, "x"),
        "rows": lambda e: e.rows_sum_to_one(value, "x"),
        "below": lambda e: e.below(value, 1.0, "x"),
        "above": lambda e: e.above(value, 1.0, "x"),
        "finite": lambda e: e.finite(value, "x"),
        "unchanged": lambda e: e.unchanged(value, wanted, "x"),
        "raises": lambda e: e.raises("ValueError", lambda: value, "x"),
    }


@settings(max_examples=40, deadline=None)
@given(value=VALUES, wanted=tensors(), plain=st.sampled_from(PLAIN_EXPECTED))
@pytest.mark.parametrize("method", methods(None, torch.zeros(1), None))
def test_any_value_holds_or_fails(method: str, value: Any, wanted: torch.Tensor, plain: Any) -> None:
    text, expect = outcome(methods(value, wanted, plain)[method])
    assert expect.observations
    assert expect.observations[-1].held is (text == "")
    msgspec.json.encode(expect.observations)


@pytest.mark.parametrize("method", methods(None, torch.zeros(1), None))
@pytest.mark.parametrize(
    "value",
    [
        2**63,
        -(2**100),
        2**127,
        [torch.zeros(2)],
        (torch.zeros(2), 1),
        {"a": torch.zeros(2)},
        [[torch.zeros(0)]],
        REMOTE,
    ],
    ids=["2**63", "-2**100", "2**127", "list of tensors", "tuple of tensors", "dict of tensors", "nested", "remote"],
)
def test_values_that_torch_stumbles_over(method: str, value: Any) -> None:
    for plain in (*PLAIN_EXPECTED, [0.5], (1, 1), {"a": 3}, [[1]]):
        _, expect = outcome(methods(value, torch.zeros(1), plain)[method])
        assert expect.observations
        msgspec.json.encode(expect.observations)


def test_text_that_cannot_be_written_can_be_recorded() -> None:
    for value in ("\ud800", ["\udfff"], {"\ud800": 1}, Unsupported("\ud800")):
        text, expect = outcome(lambda e, value=value: e.same(value, "a", "x"))  # type: ignore[misc]
        assert text != ""
        msgspec.json.encode(expect.observations)


@settings(deadline=None)
@given(tensors())
def test_a_tensor_is_close_to_itself_unless_it_holds_nan(value: torch.Tensor) -> None:
    text, _ = outcome(lambda e: e.close(value, value.clone(), "x"))
    assert (text == "") is (not bool(value.isnan().any()))


@settings(deadline=None)
@given(tensors(), st.integers(0, 10**6))
def test_one_wrong_value_is_found(value: torch.Tensor, where: int) -> None:
    value = torch.nan_to_num(value.double(), nan=0.0, posinf=1.0, neginf=1.0)
    if not value.numel():
        value = torch.zeros(1, dtype=torch.float64)
    wrong = value.clone().reshape(-1)
    place = where % wrong.numel()
    wrong[place] = value.reshape(-1)[place] * 1.01 + 1.0
    text, _ = outcome(lambda e: e.close(wrong.reshape(value.shape), value, "x"))
    index = [int(i) for i in torch.unravel_index(T(place), value.shape)] if value.dim() else []
    assert (f" at {index}: yours" if index else "the value differs: yours") in text
