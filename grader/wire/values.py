"""Values: the closed list of types that cross the boundary, as JSON and raw bytes. No pickle, in either direction.

Runs on both sides. `Encoder` turns a value into a JSON tree and a payload; `decoding.decode` turns them back. What
crosses:

    None, bool, int, str    themselves                     list     [..]
    float                   a JSON float, or {"f": "nan"}   tuple    {"t": [..]}
    bytes                   {"b": [offset, length]}         dict     {"d": [[key, value], ..]}, keys str or int
    tensor                  {"x": [dtype, shape, offset]}   handle   {"h": [number, type name]}
    generator state         {"g": [offset, length, number]} other    {"u": "what it is"}

Tensors travel as dtype, shape and raw bytes and arrive as plain contiguous CPU tensors: the class, layout and device
that the sender had are left behind, and what is not an ordinary tensor arrives as `Unsupported`, which names it. The
judge decodes with exact types and lengths; torch is imported only where a tensor is met, so that the worker can load
this module before torch.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

from grader.wire.frames import MAX_PAYLOAD

DTYPE_BYTES = {
    "float32": 4,
    "float64": 8,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}
MAX_ELEMENTS = 1 << 24
MAX_DIMENSIONS = 16
MAX_TEXT = 1 << 16


class Handle:
    """An object that stays in the student process; the judge knows its number and what its type is called."""

    __slots__ = ("number", "type_name")

    def __init__(self, number: int, type_name: str) -> None:
        self.number = number
        self.type_name = type_name

    def __repr__(self) -> str:
        return f"<an object of type {self.type_name}>"


class Unsupported:
    """A value that cannot cross, for example a sparse tensor; `what` says so in words."""

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        self.what = what

    def __repr__(self) -> str:
        return f"<{self.what}>"


class Generator:
    """A `torch.Generator`, by its state: bytes of a uint8 tensor as `get_state` returns.

    Those of one frame that have the same number are one generator.
    """

    __slots__ = ("number", "state")

    def __init__(self, state: bytes, number: int = 0) -> None:
        self.state = state
        self.number = number


class Encoder:
    """Collects the payload of one frame while values are turned into JSON trees.

    `keep(value)` is asked for a handle number when a value is of no listed type; without it such a value raises
    TypeError. `generators` are the numbers of those that were met.
    """

    def __init__(self, keep: Callable[[Any], int] | None = None) -> None:
        self._keep = keep
        self.generators: set[int] = set()
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def payload(self) -> bytes:
        """The raw bytes that the trees made so far refer to."""
        return b"".join(self._parts)

    def tree(self, value: Any, depth: int = 0) -> Any:
        """`value` as a JSON tree.

        Raises:
            TypeError: the value is of no listed type and this side keeps no handles.
            ValueError: nested deeper than the wire allows, or too large in all.
        """
        if depth > 12:
            raise ValueError("the value is nested too deeply")
        if value is None or value is True or value is False:
            return value
        kind = type(value)
        if kind is tuple or kind is list:  # the longest values, so first
            items = [self.tree(item, depth + 1) for item in value]
            return items if kind is list else {"t": items}
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return self._integer(int.__int__(value))
        if isinstance(value, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else {"f": repr(number)}
        return self._composite(value, depth)

    def _text(self, value: str) -> str:
        # Half a surrogate pair can be neither encoded nor shown.
        plain = str.__str__(value) if value.isascii() else str.encode(value, "utf-8", "replace").decode("utf-8")
        return plain if self._keep is None else plain[:MAX_TEXT]

    def _integer(self, value: int) -> Any:
        if value.bit_length() > 128:
            return {"u": "an integer of more than 128 bits"}
        return value

    def _composite(self, value: Any, depth: int) -> Any:
        if isinstance(value, (bytes, bytearray)):
            return {"b": self._add(bytes(value))}
        if isinstance(value, tuple):
            return {"t": [self.tree(item, depth + 1) for item in tuple.__iter__(value)]}
        if isinstance(value, dict) and all(map(is_key, dict.keys(value))):
            return {"d": [[self.tree(key), self.tree(item, depth + 1)] for key, item in dict.items(value)]}
        return self._special(value, depth)

    def _special(self, value: Any, depth: int) -> Any:
        if isinstance(value, Generator):
            self.generators.add(value.number)
            return {"g": [*self._add(value.state), value.number]}
        if isinstance(value, Handle):
            return {"h": [value.number, value.type_name]}
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._tensor(torch, value)
        if hasattr(value, "item") and type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
            return self.tree(value.item(), depth + 1)
        if self._keep is None:
            raise TypeError(f"a value of type {type(value).__name__} cannot be sent")
        return {"h": [self._keep(value), type(value).__name__[:80]]}

    def _tensor(self, torch: Any, value: Any) -> Any:
        what = unsupported_tensor(torch, value)
        if what is not None:
            return {"u": what}
        plain = value.detach().resolve_neg()
        if plain.dtype is torch.bfloat16:  # which numpy does not have
            plain = plain.contiguous().view(torch.int16)
        name = str(value.dtype).removeprefix("torch.")
        return {"x": [name, list(value.shape), self._add(plain.numpy().tobytes())[0]]}

    def _add(self, raw: bytes) -> list[int]:
        if self._size + len(raw) > MAX_PAYLOAD:
            raise ValueError(f"more than {MAX_PAYLOAD >> 20} MB in one value")
        offset = self._size
        self._parts.append(raw)
        self._size += len(raw)
        return [offset, len(raw)]


def is_key(key: Any) -> bool:
    """Whether a value may be the key of a dict: text, or an integer of at most 64 bits."""
    return type(key) is str or (type(key) is int and key.bit_length() <= 63)


def unsupported_tensor(torch: Any, value: Any) -> str | None:
    """Why a tensor cannot cross, in words, or None if it can."""
    kind = type(value)
    if kind is not torch.Tensor and kind is not torch.nn.Parameter:
        return f"a tensor subclass ({kind.__name__})"
    if value.is_nested:
        return "a nested tensor"
    if value.layout is not torch.strided:
        return f"a sparse tensor ({value.layout})"
    if value.is_quantized:
        return "a quantised tensor"
    if value.device.type != "cpu":
        return f"a tensor on the device {value.device}"
    name = str(value.dtype).removeprefix("torch.")
    if name not in DTYPE_BYTES:
        return f"a tensor of dtype {name}"
    if value.dim() > MAX_DIMENSIONS or bounded_product(value.shape) > MAX_ELEMENTS:
        return f"a tensor of {value.numel()} elements in {value.dim()} dimensions, more than the grader takes"
    return None


def bounded_product(shape: Sequence[int]) -> int:
    """Elements of a tensor of this shape, an empty axis counted as one: strides overflow for an empty tensor too."""
    return math.prod(max(size, 1) for size in shape)
