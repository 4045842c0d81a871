"""How values are compared and told: tolerance, the first difference in words, and their JSON form.

Pure functions of the judge. Shapes and dtypes are those of plain tensors; numbers are compared in float64, integers
and booleans exactly.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import torch

from grader.model.observation import number_to_json, tensor_to_json
from grader.wire.values import Generator, Unsupported

_KEPT_WHOLE = 1 << 18
"""Elements that one observation keeps; of a tensor beyond, which no check asks for, there is its hash."""
_TEXT_KEPT = 4000


def dtype_name(dtype: torch.dtype) -> str:
    """`float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def as_tensor(value: Any) -> torch.Tensor:
    """An expected value as a tensor; Python floats become float64."""
    if isinstance(value, torch.Tensor):
        return value.detach()
    return torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)


def within(found: torch.Tensor, wanted: torch.Tensor, rtol: float, atol: float) -> torch.Tensor:
    """Elementwise: is the value within `atol + rtol * |wanted|`? Of equal shapes; NaN never is, equal infinities are.

    Without tolerance integers are compared as integers: float64 would blur those beyond 2**53.
    """
    floating = found.is_floating_point() or wanted.is_floating_point()
    if not floating and (torch.bool in (found.dtype, wanted.dtype) or (rtol == 0 and atol == 0)):
        return found == wanted
    a, b = found.double(), wanted.double()
    return (a == b) | (b.isfinite() & ((a - b).abs() <= atol + rtol * b.abs()))


def first_index(off: torch.Tensor) -> list[int]:
    """Index of the first True, in row-major order."""
    flat = int(off.reshape(-1).to(torch.uint8).argmax().item())
    index: list[int] = []
    for size in reversed(off.shape):
        index.insert(0, flat % size)
        flat //= size
    return index


def at(index: list[int]) -> str:
    """` at [0, 1]`, or nothing for a single number."""
    return f" at {index}" if index else ""


def difference_text(
    name: str, found: torch.Tensor, wanted: torch.Tensor, off: torch.Tensor, rtol: float, atol: float
) -> str:
    """What differs, in words: how many values, the first of them, both sides, the difference and what was allowed."""
    index = first_index(off)
    a, b = found[tuple(index)], wanted[tuple(index)]
    verb = "differs" if int(off.sum()) == 1 else "differ"
    count = f"{int(off.sum())} of {off.numel()} values {verb}, first" if off.numel() > 1 else "the value differs"
    text = f"{name}: {count}{at(index)}: yours {_shown(a)}, expected {_shown(b)}"
    if found.dtype == torch.bool:
        text += "."
    elif not math.isfinite(float(a)):
        text += " (not a finite number)."
    else:
        gap = abs(float(a) - float(b))
        text += f" (difference {gap:.2e}, allowed {atol + rtol * abs(float(b)):.2e})."
    return text


def _shown(value: torch.Tensor) -> str:
    item = value.item()
    return f"{item:.8g}" if isinstance(item, float) else str(item)


def _encodable(text: str) -> str:
    """Text without half surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def describe(value: Any) -> str:
    """A value in a few words."""
    return _encodable(_describe(value))


def _describe(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)} and dtype {dtype_name(value.dtype)}"
    if isinstance(value, Unsupported):
        return value.what
    if value is None:
        return "None (is a return missing?)"
    if isinstance(value, (bool, int, float, str, bytes)):
        shown = repr(value)
        return f"the {type(value).__name__} {shown if len(shown) <= 80 else shown[:77] + '...'}"
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    return "a random generator" if isinstance(value, Generator) else repr(value)


def value_to_json(value: Any) -> Any:
    """A value as an observation holds it; of more than 262 144 numbers in all, those beyond are left out."""
    return _JsonForm(_KEPT_WHOLE).of(value)


class _JsonForm:
    """Turns one value into JSON, with room for so many elements: how many there are is the student's choice."""

    def __init__(self, room: int) -> None:
        self._room = room

    def of(self, value: Any) -> Any:
        """The JSON form of a value or of a part of it."""
        self._room -= 1
        if isinstance(value, torch.Tensor):
            return self._tensor(value.detach())
        if isinstance(value, float):
            return number_to_json(value)
        if value is None or isinstance(value, (bool, int)):
            return value
        if isinstance(value, str):
            return _encodable(value)[:_TEXT_KEPT]
        if self._room > 0 and isinstance(value, (list, tuple)):
            return [self.of(item) for item in value[: self._room]]
        if self._room > 0 and isinstance(value, dict):
            return {_encodable(str(key))[:200]: self.of(item) for key, item in list(value.items())[: self._room]}
        return describe(value)

    def _tensor(self, plain: torch.Tensor) -> Any:
        self._room -= plain.numel()
        if self._room < 0:
            raw = plain.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if plain.numel() else b""
            digest = hashlib.sha256(raw).hexdigest()
            return {"dtype": dtype_name(plain.dtype), "shape": list(plain.shape), "data": None, "sha256": digest}
        flat = plain.reshape(-1)
        if flat.is_floating_point() and not bool(flat.isfinite().all()):
            return tensor_to_json(dtype_name(plain.dtype), tuple(plain.shape), flat.tolist())
        # Nothing in it needs a word: the list as it is, without a look at each of its numbers.
        return {"dtype": dtype_name(plain.dtype), "shape": list(plain.shape), "data": flat.tolist()}
