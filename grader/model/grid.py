"""Two tensors of an observation laid side by side: the part of them that is worth looking at, cell by cell.

Pure functions over records; no torch. Of a large tensor the window around the first cell that differs is taken, and it
is said where it lies. Both the reports' figures and the terminal draw from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from grader.model.observation import Observation, is_tensor_json

Cell = bool | int | float | None
"""A value of a tensor; None where one side has no such cell."""


_BEYOND = 1 << 64
"""No tensor holds a whole number of this size."""


class Grid(NamedTuple):
    """Rows and columns of both sides, of equal size. `rows` and `columns` are the indices of what is shown.

    `at` are the indices of the leading axes, `shape` is that of the whole tensor; `off` tells which cells differ.
    `elsewhere` counts cells that differ and are not shown.
    """

    at: tuple[int, ...]
    shape: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    yours: list[list[Cell]]
    expected: list[list[Cell]]
    off: list[list[bool]]
    elsewhere: int

    @property
    def is_part(self) -> bool:
        """Whether the last two axes hold more than what is shown."""
        height, width = ((1, 1, *self.shape))[-2:]
        return (len(self.rows), len(self.columns)) != (height, width)


def number(value: Any) -> Cell:
    """A cell as it was before `observation.number_to_json` made it fit for JSON; no number is None."""
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    if isinstance(value, int) and abs(value) >= _BEYOND:
        return math.inf if value > 0 else -math.inf
    return value if isinstance(value, (bool, int, float)) else None


def amount(observation: Observation, name: str, otherwise: float = 0.0) -> float:
    """How much a comparison allowed, by the name of its argument."""
    allowed = observation.allowed if isinstance(observation.allowed, dict) else {}
    given = allowed.get(name, otherwise)
    return float(given) if isinstance(given, (int, float, str)) else otherwise


def differs(yours: Cell, expected: Cell, rtol: float, atol: float) -> bool:
    """Whether two cells differ by more than a comparison allows: |yours - expected| <= atol + rtol * |expected|.

    NaN differs from everything, an infinity from all but itself.
    """
    if yours is None or expected is None:
        return True
    if yours == expected:
        return False
    if math.isinf(yours) or math.isinf(expected):
        return True
    return not abs(yours - expected) <= atol + rtol * abs(expected)


def grid(observation: Observation, rows: int, columns: int) -> Grid | None:
    """The part of a comparison of two tensors of one shape with the first difference, at most `rows` by `columns`.

    None where there is nothing to lay side by side: no tensors, of different shapes, empty, or not kept whole.
    """
    sides = (observation.actual, observation.expected)
    if not all(is_tensor_json(side) and side["data"] for side in sides):
        return None
    yours, expected = observation.actual, observation.expected
    if yours["shape"] != expected["shape"] or not yours["shape"]:
        return None
    rtol, atol = amount(observation, "rtol"), amount(observation, "atol")
    mine, theirs = [number(x) for x in yours["data"]], [number(x) for x in expected["data"]]
    off = [differs(a, b, rtol, atol) for a, b in zip(mine, theirs, strict=True)]
    return _cut(tuple(yours["shape"]), mine, theirs, off, (rows, columns))


def one_sided(tensor: Any, off: Sequence[bool], rows: int, columns: int) -> Grid | None:
    """The same of a single tensor, of which some cells are `off`; `expected` is then as `yours`."""
    if not is_tensor_json(tensor) or not tensor["data"] or not tensor["shape"]:
        return None
    values = [number(x) for x in tensor["data"]]
    return _cut(tuple(tensor["shape"]), values, values, off, (rows, columns))


def digits(value: Cell, count: int = 4) -> str:
    """A value with this many significant digits; a boolean as 1 or 0, nothing as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value) if abs(value) < 10**12 else f"{value:.{count}g}"
    if not math.isfinite(value) or value == int(value):
        return f"{value:.{count}g}"
    return f"{value:#.{count}g}"


def enough_digits(pairs: Iterable[tuple[Cell, Cell]], least: int = 4, most: int = 8) -> int:
    """How many significant digits tell each of these pairs apart, if any number up to `most` does."""
    kept = list(pairs)
    for count in range(least, most):
        if all(digits(a, count) != digits(b, count) for a, b in kept):
            return count
    return most


def differing(found: Grid) -> list[tuple[Cell, Cell]]:
    """Both sides of each cell that is shown and differs."""
    sides = zip(found.yours, found.expected, found.off, strict=True)
    return [(a, b) for mine, theirs, off in sides for a, b, bad in zip(mine, theirs, off, strict=True) if bad]


def _cut(
    shape: tuple[int, ...], mine: Sequence[Cell], theirs: Sequence[Cell], off: Sequence[bool], most: tuple[int, int]
) -> Grid:
    height, width = ((1, *shape))[-2:]
    first = next((index for index, bad in enumerate(off) if bad), 0)
    leading, place = divmod(first, height * width)
    top = _window(place // width, height, most[0])
    left = _window(place % width, width, most[1])
    base = leading * height * width

    def part(values: Sequence[Any]) -> list[list[Any]]:
        return [[values[base + r * width + c] for c in left] for r in top]

    shown = part(off)
    return Grid(
        at=unravel(leading, shape[:-2]),
        shape=shape,
        rows=tuple(top),
        columns=tuple(left),
        yours=part(mine),
        expected=part(theirs),
        off=shown,
        elsewhere=sum(off) - sum(map(sum, shown)),
    )


def _window(place: int, size: int, most: int) -> range:
    """At most `most` indices below `size` with `place` among them, from the start if that will do."""
    start = 0 if place < most else min(place - most // 2, size - most)
    return range(start, min(size, start + most))


def unravel(flat: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index along each of these axes, of a place in row-major order."""
    found = []
    for size in reversed(shape):
        flat, index = divmod(flat, size)
        found.append(index)
    return tuple(reversed(found))
