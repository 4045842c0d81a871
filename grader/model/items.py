"""Item analysis: what the answers of a class say about each check, and how far its scores lie apart.

Pure functions over numbers; nothing is rounded here but the results of `spread`. The notions are those of classical
test theory:

- Difficulty is the mean share of a check's points that submissions earn: 1 is easy, 0 hard. Without partial credit it
  is the proportion of those who pass, the p of any textbook (Lord and Novick, Statistical Theories of Mental Test
  Scores, 1968; Crocker and Algina, Introduction to Classical and Modern Test Theory, 1986, on item analysis).
- Discrimination is the point-biserial correlation of passing (1 or 0) with the rest score, which is all points but
  those of the check itself: with them every check would correlate with itself (Henrysson, Correction of item-total
  correlations in item analysis, Psychometrika 28, 1963). Point-biserial is Pearson's formula with one variable 0 or 1:

      r = (n Σxy - Σx Σy) / √((n Σx² - (Σx)²) (n Σy² - (Σy)²))

  Sums are exact, in hundredths of a point, so that "no spread" is no question of rounding.

A check that was skipped, since one that it needs did not pass, is not passed and earned nothing: that is what it counts
in the score. So a check that others need looks as if it discriminates better than it would alone.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import msgspec

FEWEST = 3
"""Submissions below which nothing can correlate: two points always lie on a line."""

ENOUGH = 20
"""Submissions from which on a weak correlation is told as something to look at: its standard error is about 1/√n."""

BOTH = 3
"""How many have to pass, and how many not, before a check is judged by its correlation."""

NEAR_ZERO = 0.1
"""Discrimination below this tells hardly anything about who is good at the rest."""

GOOD = 0.3
"""Discrimination from which on textbooks call an item good (Ebel, Essentials of Educational Measurement, 1972)."""


class Spread(msgspec.Struct, frozen=True):
    """How scores lie: the quarters' limits (`low` and `high` hold the middle half) and the standard deviation.

    All are in points, rounded to 2 decimals. The deviation is that of the class itself, divided by n.
    """

    least: float
    low: float
    high: float
    most: float
    deviation: float


def difficulty(points: Sequence[float], passed: Sequence[bool], worth: float) -> float | None:
    """The mean share earned of a check's `worth`, of 0 to 1; where it is worth nothing, of those who passed."""
    if not points:
        return None
    if worth <= 0:
        return sum(passed) / len(passed)
    return sum(map(hundredths, points)) / (len(points) * hundredths(worth))


def discrimination(passed: Sequence[bool], rest: Sequence[int]) -> float | None:
    """The correlation of passing with the rest score in hundredths, of -1 to 1; both in the order of submissions.

    None where it is undefined: fewer than three submissions, all or nobody passed, or all have the same rest score.
    """
    n = len(passed)
    if n < FEWEST:
        return None
    ones, total = sum(passed), sum(rest)
    of_passing = n * ones - ones * ones
    of_rest = n * sum(value * value for value in rest) - total * total
    if of_passing == 0 or of_rest == 0:
        return None
    together = n * sum(value for value, one in zip(rest, passed, strict=True) if one) - ones * total
    return max(-1.0, min(1.0, together / math.sqrt(of_passing * of_rest)))


def hundredths(points: float) -> int:
    """Points as results have them, which are rounded to 2 decimals, as a whole number."""
    return round(points * 100)


def spread(scores: Sequence[float]) -> Spread | None:
    """How scores lie apart; None of fewer than two. Quarters are interpolated between the scores, ends included."""
    if len(scores) < 2:
        return None
    low, _, high = statistics.quantiles(scores, n=4, method="inclusive")
    deviation = statistics.pstdev(scores)
    return Spread(min(scores), round(low, 2), round(high, 2), max(scores), round(deviation, 2))
