"""What a check counted, for people: the measured share, how many cases there were, and which shares are allowed.

A pure function over observations of the kind `proportions`; see `grader.judge.chance` for how they are made.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from grader.model.observation import Observation

_SHOWN = 6
"""Comparisons of more counts than this are not for reading: places of a row, tokens of a vocabulary."""


class Measured(msgspec.Struct, frozen=True):
    """One measured share: `count` of `total` cases, where `low` to `high` of them are allowed around `share`."""

    name: str
    count: int
    total: int
    share: float
    low: int
    high: int

    @property
    def held(self) -> bool:
        """Whether the count is allowed."""
        return self.low <= self.count <= self.high

    @property
    def sentence(self) -> str:
        """`share of [MASK]: 0.8012 of 7231, allowed 0.7710 to 0.8280`."""
        low, high = self.low / self.total, self.high / self.total
        return f"{self.name}: {self.count / self.total:.4f} of {self.total}, allowed {low:.4f} to {high:.4f}"


def measured(observations: Iterable[Observation]) -> list[Measured]:
    """The shares that these observations measured, where they are few enough to be read one by one."""
    found = []
    for observation in observations:
        if observation.kind != "proportions" or len(observation.actual["count"]) > _SHOWN:
            continue
        expected, actual = observation.expected, observation.actual
        columns = (expected["of"], actual["count"], actual["total"], expected["share"])
        for name, count, total, share, low, high in zip(*columns, expected["low"], expected["high"], strict=True):
            if total:
                found.append(Measured(name, count, total, share, low, high))
    return found
