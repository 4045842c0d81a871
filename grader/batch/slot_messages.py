"""What a slot and the command say to each other: length-prefixed msgpack over pipes. Both ends are ours.

Used in the command and in the slot's process.
"""

from __future__ import annotations

import struct
from typing import IO, TypeVar

import msgspec

from grader.judge.plan import USUAL, Plan
from grader.model.result import GradeResult
from grader.model.submission import Submission

_LENGTH = struct.Struct(">I")
_Message = TypeVar("_Message", bound=msgspec.Struct)


class Job(msgspec.Struct, frozen=True):
    """What a slot is started with; `expected` is about how many submissions it will be given.

    `memory_mb`: what student code may have where that is less than the assignment allows.
    """

    course: str
    assignment: str
    mode: str
    slot: int
    expected: int = 1
    memory_mb: int | None = None


class Task(msgspec.Struct, frozen=True):
    """One submission for a slot, and how it is to be judged."""

    submission: Submission
    plan: Plan = USUAL


class FromSlot(msgspec.Struct, frozen=True):
    """What a slot says: that it is ready, a problem that ends it, a result, or why there is none."""

    ready: bool = False
    problem: str | None = None
    problem_status: int = 2
    result: GradeResult | None = None
    lost: str | None = None
    final: bool = False


def send(stream: IO[bytes], message: msgspec.Struct) -> None:
    """Write one message."""
    body = msgspec.msgpack.encode(message)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes], kind: type[_Message]) -> _Message:
    """Read one message. Raises EOFError if the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return msgspec.msgpack.decode(body, type=kind)
