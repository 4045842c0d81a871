"""What the command and the workers of a cluster say to each other, beside the tasks of a slot: msgpack, both ends ours.

Used in the command and in the workers' processes.
"""

from __future__ import annotations

import platform
from importlib import metadata

import msgspec

import grader
from grader.batch.bundle import Bundle


class Order(msgspec.Struct, frozen=True):
    """What a worker needs before it can judge. `expected`: about how many submissions come to each of its slots."""

    bundle: Bundle
    assignment: str
    fingerprint: str
    isolation: str
    versions: dict[str, str]
    expected: int


class Readiness(msgspec.Struct, frozen=True):
    """A worker's answer: how many slots are open and how they confine, or the problem.

    `alone_in` names the kernel and user where no second slot may run beside its own; empty where others may.
    `everywhere`: the problem is not this worker's, but the assignment's.
    """

    slots: int = 0
    mode: str = ""
    alone_in: str = ""
    problem: str | None = None
    everywhere: bool = False


def versions_here() -> dict[str, str]:
    """Of all that results depend on, in this process."""
    return {
        "grader": grader.__version__,
        "Python": platform.python_version(),
        "torch": metadata.version("torch"),
        "numpy": metadata.version("numpy"),
    }
