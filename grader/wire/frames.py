"""Frames: how bytes are cut on the wire between judge and student process.

Runs on both sides. The judge's side trusts nothing that it reads: a frame announces its sizes first, and both are
checked against caps before a byte of memory is set aside for them. A frame is

    4 bytes  b"GRW1"
    4 bytes  length of the header, big-endian
    4 bytes  length of the payload, big-endian
    header   UTF-8 JSON
    payload  raw bytes that the header refers to (tensors, byte strings)

No input or output happens here: `read_frame` pulls bytes through the callable that it is given.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

MAGIC = b"GRW1"
PREFIX = struct.Struct(">4sII")
MAX_HEADER = 1 << 20
"""Bytes of JSON in one frame."""
MAX_PAYLOAD = 64 << 20
"""Bytes of raw data in one frame."""


class FrameError(ValueError):
    """The other side sent something that is not a frame, or more than the caps allow."""


def pack_frame(header: bytes, payload: bytes = b"") -> bytes:
    """One frame as bytes.

    Raises:
        FrameError: header or payload are larger than the caps.
    """
    if len(header) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise FrameError(f"a frame of {len(header)} and {len(payload)} bytes is larger than the wire takes")
    return PREFIX.pack(MAGIC, len(header), len(payload)) + header + payload


def read_frame(read_exactly: Callable[[int], bytes]) -> tuple[bytes, bytes]:
    """The next frame's header and payload; `read_exactly(n)` returns n bytes or raises.

    Raises:
        FrameError: the bytes do not begin with a frame, or it announces more than the caps.
    """
    magic, header_length, payload_length = PREFIX.unpack(read_exactly(PREFIX.size))
    if magic != MAGIC:
        raise FrameError("the reply does not begin like a frame")
    if header_length > MAX_HEADER or payload_length > MAX_PAYLOAD:
        raise FrameError(f"the reply announces {header_length + payload_length} bytes, more than the wire takes")
    header = read_exactly(header_length) if header_length else b""
    payload = read_exactly(payload_length) if payload_length else b""
    return header, payload
