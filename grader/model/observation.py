"""What a check saw: data, not prose.

An observation is recorded each time a check compares something. Reports draw it, the diagnosis compares it, the
result file keeps it so that tolerances can be judged again later. Values are kept in a form that JSON can hold:
tensors as `{"dtype", "shape", "data"}` with the data flat in row-major order, and NaN and infinities as the strings
`"nan"`, `"inf"` and `"-inf"`.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec


class Observation(msgspec.Struct, frozen=True):
    """One comparison: what it is called, its kind (`close`, `shape`, `raises`, ...), both sides, and what differed.

    `detail` is empty when the comparison held, else a sentence for people. `expected` and `actual` are JSON values.
    `allowed` says how much the comparison allowed, by the names of its arguments (`rtol`, `atol`, `bound`, `risk`),
    where that is a number that its author chooses: with it the comparison can be made again.
    """

    name: str
    kind: str
    expected: Any
    actual: Any
    detail: str = ""
    allowed: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET

    @property
    def held(self) -> bool:
        """Whether the comparison came out as the check wants it."""
        return not self.detail


def number_to_json(value: float) -> float | str:
    """A float as JSON can hold it: itself when finite, else `"nan"`, `"inf"` or `"-inf"`."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def tensor_to_json(dtype: str, shape: tuple[int, ...], flat: list[Any]) -> dict[str, Any]:
    """A tensor as `{"dtype", "shape", "data"}`; `flat` lists its elements in row-major order."""
    data = [number_to_json(x) if isinstance(x, float) else x for x in flat]
    return {"dtype": dtype, "shape": list(shape), "data": data}


def is_tensor_json(value: Any) -> bool:
    """Whether `value` is what `tensor_to_json` makes."""
    if not isinstance(value, dict) or not {"dtype", "shape", "data"} <= value.keys():
        return False
    return isinstance(value["shape"], list) and isinstance(value["data"], (list, type(None)))
