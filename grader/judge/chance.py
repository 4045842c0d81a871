"""Chance: which counts a right share allows, and whether two counts may come from one share.

Pure functions of the judge. A check that counts states claims: of `total` cases `count` are so, where a right
implementation makes each of them so with a known probability. `bounds` are exact binomial intervals, computed for the
sizes at hand; nothing here is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

_NEAR = 6.0
"""Standard deviations by which two measurements of one share may differ, for `same_share`."""


@dataclass(frozen=True)
class Claim:
    """`count` of `total` cases are so; each is with probability `share`, or as little as `least`."""

    name: str
    count: int
    total: int
    share: float
    least: float | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to judge: no case, or a share that none or all of them have."""
        return self.total == 0 or not 0 < self.share < 1

    def bounds(self, probability: float) -> tuple[int, int]:
        """The counts allowed, with at most this probability beyond each end."""
        least = self.share if self.least is None else self.least
        low = binomial_interval(self.total, least, probability)[0] if least > 0 else 0
        return low, binomial_interval(self.total, self.share, probability)[1]

    def holds(self, probability: float) -> bool:
        """Whether the count lies within its bounds; without anything to judge it does not."""
        if self.empty:
            return False
        low, high = self.bounds(probability)
        return low <= self.count <= high

    def side(self) -> str:
        """Where a count outside its bounds lies, in words."""
        found = self.count / max(self.total, 1)
        if found in (0, 1):
            return "none" if found == 0 else "all"
        if found < self.share:
            return "far too few" if found < self.share / 2 else "too few"
        return "far too many" if found > 3 * self.share else "too many"


def risk_of_each_end(claims: Sequence[Claim], risk: float) -> float:
    """The probability to allow beyond each end of each interval, so that all claims together have this risk."""
    return risk / (2 * len(claims))


def broken(claims: Sequence[Claim], risk: float) -> Claim | None:
    """The first claim that does not hold, where a right implementation fails one of them with at most this risk."""
    each = risk_of_each_end(claims, risk)
    return next((claim for claim in claims if not claim.holds(each)), None)


def claim_text(claim: Claim, probability: float) -> str:
    """What was counted and what is allowed, in words."""
    found = f"{claim.name}: {claim.count / max(claim.total, 1):.4f} of {claim.total}"
    if claim.empty:
        return f"{found}; there is nothing to compare, since none of them is so, or all are"
    low, high = (bound / claim.total for bound in claim.bounds(probability))
    side = "" if claim.holds(probability) else f": {claim.side()}"
    return f"{found}, expected {low:.4f} to {high:.4f} ({claim.share:.4g}){side}"


def same_share(count: int, total: int, other_count: int, other_total: int) -> bool:
    """Whether two samples may come from one share: they differ by at most six standard deviations of the difference."""
    if total <= 0 or other_total <= 0:
        return total == other_total
    pooled = (count + other_count) / (total + other_total)
    deviation = math.sqrt(max(pooled * (1 - pooled), 0) * (1 / total + 1 / other_total))
    return abs(count / total - other_count / other_total) <= _NEAR * deviation


@lru_cache(maxsize=4096)
def binomial_interval(total: int, share: float, probability: float) -> tuple[int, int]:
    """The narrowest (low, high) with P(X < low) <= probability and P(X > high) <= probability, X ~ Binomial.

    Computed from the exact probabilities by summing from either end, in floating point from the logarithms of the
    ratios of neighbours. The sums begin twelve standard deviations and forty counts from the mean; what lies beyond is
    less than 1e-25.
    """
    reach = 12 * math.sqrt(total * share * (1 - share)) + 40
    first, last = max(0, math.floor(total * share - reach)), min(total, math.ceil(total * share + reach))
    odds = math.log(share) - math.log1p(-share)
    counts = np.arange(first, last)
    steps = np.log((total - counts) / (counts + 1)) + odds  # (last - first,): from each count to the next
    start = math.lgamma(total + 1) - math.lgamma(first + 1) - math.lgamma(total - first + 1)
    start += first * math.log(share) + (total - first) * math.log1p(-share)
    masses = np.exp(np.cumsum(np.concatenate([[start], steps])))  # (last - first + 1,)

    def beyond(tails: np.ndarray[Any, np.dtype[np.float64]]) -> int:
        return int(np.searchsorted(tails, probability, side="right"))

    low, high = first + beyond(np.cumsum(masses)), last - beyond(np.cumsum(masses[::-1]))
    return (low if low <= last else total), (high if high >= first else 0)
