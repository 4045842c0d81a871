"""Which part of two tensors is laid side by side, and that no cell of it is told wrongly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.grid import Cell, differs, digits, enough_digits, grid
from grader.model.observation import Observation, tensor_to_json


def comparison(yours: np.ndarray, expected: np.ndarray, rtol: float = 0.0, atol: float = 0.0) -> Observation:
    """An observation of two arrays of float64."""
    sides = [tensor_to_json("float64", side.shape, side.reshape(-1).tolist()) for side in (expected, yours)]
    return Observation("x", "close", sides[0], sides[1], "off", {"rtol": rtol, "atol": atol})


shapes = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple)


@given(shapes, st.data(), st.integers(1, 5), st.integers(1, 5))
def test_the_part_holds_the_first_difference_and_true_values(
    shape: tuple[int, ...], data: st.DataObject, rows: int, columns: int
) -> None:
    expected = np.arange(math.prod(shape), dtype=float).reshape(shape)
    place = data.draw(st.integers(0, expected.size - 1))
    yours = expected.copy()
    yours.reshape(-1)[place:] += 0.5  # the first difference lies there, and all that follows differs as well
    found = grid(comparison(yours, expected), rows, columns)
    assert found is not None
    assert len(found.rows) <= rows
    assert len(found.columns) <= columns
    wide = expected.reshape(1, *shape) if len(shape) == 1 else expected
    first = np.unravel_index(place, wide.shape)
    assert found.at == tuple(first[:-2]) or len(shape) == 1
    assert first[-2] in found.rows
    assert first[-1] in found.columns
    for r, row in enumerate(found.rows):
        for c, column in enumerate(found.columns):
            at = (*first[:-2], row, column)
            assert found.expected[r][c] == wide[at]
            assert found.yours[r][c] == yours.reshape(wide.shape)[at]
            assert found.off[r][c] == (found.yours[r][c] != found.expected[r][c])
    assert sum(map(sum, found.off)) + found.elsewhere == expected.size - place
    whole = (len(found.rows), len(found.columns)) == wide.shape[-2:]
    assert found.is_part == (not whole)


numbers = st.sampled_from([0.0, 1.0, 1.0001, -1.0, 1e-6, math.nan, math.inf, -math.inf])


@given(numbers, numbers, st.sampled_from([0.0, 1e-4, 1.0]), st.sampled_from([0.0, 1e-5, 0.5]))
def test_what_differs_is_what_a_comparison_says(yours: float, expected: float, rtol: float, atol: float) -> None:
    close = bool(np.isclose(yours, expected, rtol=rtol, atol=atol))
    assert differs(yours, expected, rtol, atol) == (not close)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"dtype": "float32", "shape": [2], "data": None}, {"dtype": "float32", "shape": [2], "data": [1.0, 2.0]}),
        (tensor_to_json("float32", (2,), [1.0, 2.0]), tensor_to_json("float32", (1, 2), [1.0, 2.0])),
        (tensor_to_json("float32", (0,), []), tensor_to_json("float32", (0,), [])),
        (tensor_to_json("float32", (), [1.0]), tensor_to_json("float32", (), [2.0])),
        ("a tensor", "None"),
    ],
)
def test_what_cannot_be_laid_side_by_side(expected: object, actual: object) -> None:
    assert grid(Observation("x", "close", expected, actual, "off"), 4, 4) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "1"),
        (None, "–"),
        (7, "7"),
        (0.25, "0.2500"),
        (1.0, "1"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (2e9, "2e+09"),
    ],
)
def test_a_cell_as_text(value: Cell, text: str) -> None:
    assert digits(value) == text


def test_as_many_digits_as_tell_them_apart() -> None:
    assert enough_digits([(0.24420001, 0.2573)]) == 4
    assert enough_digits([(0.24420001, 0.24420101)]) == 6
    assert enough_digits([(1.0, math.nan)]) == 4
