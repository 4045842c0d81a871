"""Values from the wire: JSON trees and raw bytes turned back into plain Python values and plain tensors.

Runs on both sides; the judge's side trusts nothing that it reads. Types and lengths are checked exactly, each byte of
the payload is handed out once, and what comes out is built here, of plain types: see `values` for what crosses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from grader.wire.frames import FrameError
from grader.wire.values import (
    DTYPE_BYTES,
    MAX_DIMENSIONS,
    MAX_ELEMENTS,
    Generator,
    Handle,
    Unsupported,
    bounded_product,
    is_key,
)


def decode(tree: Any, payload: bytes | Payload) -> Any:
    """The value that `tree` and `payload` describe, built of plain types.

    Several trees of one frame are decoded with one `Payload`.

    Raises:
        FrameError: the tree is not one that `Encoder` makes, or refers to bytes that are not there.
    """
    return _decode(tree, payload if isinstance(payload, Payload) else Payload(payload))


class Payload:
    """The payload of one frame, of which each byte is handed out once.

    Without that, a small frame could refer to the same bytes a thousand times and grow in the judge's memory.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._left = len(content)

    def take(self, offset: Any, length: Any) -> bytes:
        """`length` bytes from `offset`; both are checked."""
        if type(offset) is not int or type(length) is not int or offset < 0 or length < 0:
            raise FrameError("the reply holds a malformed reference")
        if offset + length > len(self._content):
            raise FrameError("the reply refers to bytes that it does not hold")
        self._left -= length
        if self._left < 0:
            raise FrameError("the reply refers to the same bytes more than once")
        return self._content[offset : offset + length]


def _decode(tree: Any, payload: Payload) -> Any:
    kind = type(tree)
    if tree is None or kind in (bool, int, float, str):
        return tree
    if kind is list:
        return [_decode(item, payload) for item in tree]
    if kind is not dict or len(tree) != 1:
        raise FrameError("the reply holds a value of no known form")
    ((tag, body),) = tree.items()
    decoder = _DECODERS.get(tag)
    if decoder is None:
        raise FrameError("the reply holds a value of no known form")
    return decoder(body, payload)


def _decode_float(body: Any, _payload: Payload) -> float:
    if type(body) is not str or body not in ("nan", "inf", "-inf"):
        raise FrameError("the reply holds a malformed number")
    return float(body)


def _slice(body: Any, payload: Payload) -> bytes:
    if type(body) is not list or len(body) != 2:
        raise FrameError("the reply holds a malformed reference")
    return payload.take(*body)


def _decode_generator(body: Any, payload: Payload) -> Generator:
    if type(body) is not list or len(body) != 3 or type(body[2]) is not int:
        raise FrameError("the reply holds a malformed reference")
    return Generator(payload.take(body[0], body[1]), body[2])


def _decode_tuple(body: Any, payload: Payload) -> tuple[Any, ...]:
    if type(body) is not list:
        raise FrameError("the reply holds a malformed tuple")
    return tuple(_decode(item, payload) for item in body)


def _decode_dict(body: Any, payload: Payload) -> dict[Any, Any]:
    if type(body) is not list:
        raise FrameError("the reply holds a malformed dict")
    result: dict[Any, Any] = {}
    for pair in body:
        # Wider integers can be chosen to collide, which makes a dict of n keys cost n * n.
        if type(pair) is not list or len(pair) != 2 or not is_key(pair[0]) or pair[0] in result:
            raise FrameError("the reply holds a malformed dict")
        result[pair[0]] = _decode(pair[1], payload)
    return result


def _decode_handle(body: Any, _payload: Payload) -> Handle:
    if type(body) is not list or len(body) != 2 or type(body[0]) is not int or type(body[1]) is not str:
        raise FrameError("the reply holds a malformed handle")
    return Handle(body[0], body[1][:80])


def _decode_unsupported(body: Any, _payload: Payload) -> Unsupported:
    if type(body) is not str:
        raise FrameError("the reply holds a malformed value")
    return Unsupported(body[:200])


def _decode_tensor(body: Any, payload: Payload) -> Any:
    if type(body) is not list or len(body) != 3:
        raise FrameError("the reply holds a malformed tensor")
    name, shape, offset = body
    if type(name) is not str or name not in DTYPE_BYTES:
        raise FrameError("the reply holds a tensor of unknown dtype")
    if type(shape) is not list or len(shape) > MAX_DIMENSIONS:
        raise FrameError("the reply holds a tensor of malformed shape")
    if any(type(size) is not int or not 0 <= size <= MAX_ELEMENTS for size in shape):  # `type`: True is an int
        raise FrameError("the reply holds a tensor of malformed shape")
    if bounded_product(shape) > MAX_ELEMENTS:
        raise FrameError("the reply holds a tensor of too many elements")
    elements = math.prod(shape)
    raw = payload.take(offset, elements * DTYPE_BYTES[name])
    if name == "bool" and raw.strip(b"\0\1"):
        # Bytes other than 0 and 1 are undefined behaviour in a torch.bool tensor.
        raise FrameError("the reply holds a boolean tensor with other bytes than 0 and 1")
    import torch

    dtype = getattr(torch, name)
    if not elements:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(raw), dtype=dtype).clone().reshape(shape)


_DECODERS: dict[str, Callable[[Any, Payload], Any]] = {
    "f": _decode_float,
    "b": _slice,
    "g": _decode_generator,
    "t": _decode_tuple,
    "d": _decode_dict,
    "h": _decode_handle,
    "u": _decode_unsupported,
    "x": _decode_tensor,
}
