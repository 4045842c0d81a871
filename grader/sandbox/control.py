"""The control channel between a judge and its sandbox zygote: short JSON messages with file descriptors attached.

Both ends are ours; no student process ever holds this channel (forkserver closes it after fork). A message is a 4-byte
big-endian length and JSON; descriptors travel with its first byte.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct(">I")


def send_message(channel: socket.socket, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
    """Send one message, with open descriptors for the other side to inherit."""
    body = json.dumps(message).encode("ascii")
    packed = _LENGTH.pack(len(body)) + body
    if descriptors:
        sent = socket.send_fds(channel, [packed], descriptors)
        packed = packed[sent:]
    channel.sendall(packed)


def receive_message(channel: socket.socket, max_descriptors: int = 0) -> tuple[dict[str, Any], list[int]]:
    """The next message and its descriptors.

    Raises:
        EOFError: the other side is gone.
        TimeoutError: the channel's own timeout passed.
    """
    descriptors: list[int] = []
    if max_descriptors:
        start, descriptors, _, _ = socket.recv_fds(channel, _LENGTH.size, max_descriptors)
    else:
        start = channel.recv(_LENGTH.size)
    head = start + _rest(channel, _LENGTH.size - len(start)) if start else b""
    if not head:
        raise EOFError("the control channel was closed")
    (length,) = _LENGTH.unpack(head)
    message = json.loads(_rest(channel, length))
    return message, list(descriptors)


def _rest(channel: socket.socket, length: int) -> bytes:
    chunks = []
    while length:
        chunk = channel.recv(length)
        if not chunk:
            raise EOFError("the control channel was closed")
        chunks.append(chunk)
        length -= len(chunk)
    return b"".join(chunks)
