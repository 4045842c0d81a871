"""The judge's end of a student process: frames out, frames in, a clock, and a bounded record of what it prints.

Runs in the judge. Everything that comes from the process is hostile: sizes are capped before memory is set aside, the
deadline covers the whole exchange, and its output is drained all the while, so that a flood can neither block an honest
process nor fill our memory.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

from grader.sandbox.base import StudentGone, StudentLied, StudentTimeout
from grader.sandbox.facts import ExitFacts
from grader.wire.frames import MAX_HEADER, MAX_PAYLOAD, PREFIX, FrameError, read_frame

_CHUNK = 1 << 20


class Printed:
    """The head and the tail of a stream, with a note of how much between them was dropped. Sizes in bytes."""

    def __init__(self, cap: int) -> None:
        self._half = cap // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        room = self._half - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        self._tail += chunk
        if (excess := len(self._tail) - self._half) > 0:
            self._dropped += excess
            del self._tail[:excess]

    def take(self) -> bytes:
        """What was kept so far; starts anew."""
        note = f"\n[... {self._dropped} bytes left out ...]\n".encode() if self._dropped else b""
        kept = bytes(self._head) + note + bytes(self._tail)
        self._head.clear()
        self._tail.clear()
        self._dropped = 0
        return kept


class ConnectedProcess:
    """A student process behind a stream socket, with its output on two pipes (or pumped into `streams` elsewhere).

    `end_process` kills and reaps it and returns how it ended.
    """

    def __init__(
        self, connection: socket.socket, pipes: Sequence[int], cap: int, end_process: Callable[[], ExitFacts]
    ) -> None:
        self.layers: Sequence[str] = ()
        self._connection = connection
        self._connection.setblocking(False)
        self.streams = (Printed(cap), Printed(cap))
        self._pipes = dict(zip(pipes, self.streams, strict=False))
        for pipe in self._pipes:
            os.set_blocking(pipe, False)
        self._end_process = end_process
        self._facts: ExitFacts | None = None
        self._buffer = bytearray()

    def ask(self, frame: bytes, seconds: float) -> tuple[bytes, bytes]:
        """See `StudentProcess.ask`."""
        deadline = time.monotonic() + seconds
        if self._buffer or self._pending():
            raise StudentLied("it sent a reply before it was asked")
        self._send(memoryview(frame), deadline)
        return self.receive(deadline)

    def receive(self, deadline: float) -> tuple[bytes, bytes]:
        """The next frame, by a deadline on the monotonic clock."""
        try:
            header, payload = read_frame(lambda length: self._read(length, deadline))
        except FrameError as error:
            raise StudentLied(str(error)) from None
        for descriptor in list(self._pipes):
            self._drain(descriptor)
        return header, payload

    def printed(self) -> tuple[bytes, bytes]:
        """See `StudentProcess.printed`."""
        for descriptor in list(self._pipes):
            self._drain(descriptor)
        return self.streams[0].take(), self.streams[1].take()

    def end(self) -> ExitFacts:
        """See `StudentProcess.end`."""
        if self._facts is None:
            self._facts = self._end_process()
            for descriptor in list(self._pipes):
                self._drain(descriptor)
            for descriptor in list(self._pipes):
                os.close(descriptor)
            self._pipes.clear()
            self._connection.close()
        return self._facts

    def _pending(self) -> bool:
        readable, _, _ = select.select([self._connection], [], [], 0)
        if not readable:
            return False
        try:
            return bool(self._connection.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def _send(self, rest: memoryview, deadline: float) -> None:
        while rest:
            try:
                rest = rest[self._connection.send(rest[:_CHUNK]) :]
            except (BlockingIOError, InterruptedError):
                self._wait(deadline, sending=True)
            except OSError:
                raise StudentGone(self.end()) from None

    def _read(self, length: int, deadline: float) -> bytes:
        if length > max(MAX_HEADER, MAX_PAYLOAD, PREFIX.size):
            raise StudentLied("its reply is too large")
        while len(self._buffer) < length:
            self._wait(deadline, sending=False)
            try:
                # As much as there is: a whole reply in one call. What lies behind it shows when the next is asked.
                chunk = self._connection.recv(_CHUNK)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                chunk = b""
            if not chunk:
                raise StudentGone(self.end())
            self._buffer += chunk
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    def _wait(self, deadline: float, sending: bool) -> None:
        """Until the connection is ready, draining output meanwhile."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise StudentTimeout
            writers = [self._connection] if sending else []
            readers: list[Any] = [*self._pipes] if sending else [self._connection, *self._pipes]
            ready: tuple[list[Any], list[Any], list[Any]] = select.select(readers, writers, [], left)
            readable, writable, _ = ready
            for descriptor in list(self._pipes):
                if descriptor in readable:
                    self._drain(descriptor, limit=64)
            if writable or self._connection in readable:
                return

    def _drain(self, descriptor: int, limit: int = 16) -> None:
        """Take what a pipe holds, at most `limit` chunks, and close it at its end."""
        stream = self._pipes[descriptor]
        with contextlib.suppress(BlockingIOError):
            for _ in range(limit):
                chunk = os.read(descriptor, 1 << 16)
                if not chunk:
                    os.close(descriptor)
                    del self._pipes[descriptor]
                    return
                stream.feed(chunk)
