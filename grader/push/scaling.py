"""Scores in the LMS's points.

Pure functions. Exact fractions, rounded once to 5 decimals, which is what Moodle keeps (`NUMERIC(10,5)` of its grades)
and Canvas's numbers hold. Rounding makes nobody perfect and nobody empty-handed who is not.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

_STEP = Decimal("0.00001")
_SAME = _STEP / 2
_HALF_CENT = Decimal("0.005")


def scaled(score: float, most: float, points: Decimal) -> str:
    """`score` of `most` as a score of `points`, as a decimal number without trailing zeros.

    Raises:
        ValueError: `most` or `points` is not positive.
    """
    if most <= 0 or points <= 0:
        raise ValueError("nothing to scale to")
    share = Fraction(str(score)) / Fraction(str(most))
    exact = share * Fraction(points)
    rounded = (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(_STEP, ROUND_HALF_UP)
    if share < 1 and rounded >= points:
        rounded = points - _STEP
    if share > 0 and rounded <= 0:
        rounded = _STEP
    return short(rounded)


def short(number: Decimal) -> str:
    """Without trailing zeros or an exponent."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def same(one: Decimal | None, other: Decimal | None) -> bool:
    """Whether two scores are one, as far as an LMS keeps them; None is no score."""
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _SAME


def kept(has: Decimal | None, sent: Decimal | None) -> bool:
    """Whether `has` is what an LMS made of the score that was sent: the same, or that rounded to 2 decimals."""
    if same(has, sent):
        return True
    return has is not None and sent is not None and has == round(has, 2) and abs(has - sent) <= _HALF_CENT


def scale_sentence(most: float, points: Decimal, lms: str) -> str | None:
    """How scores are scaled; None if they are not."""
    if Fraction(str(most)) == Fraction(points):
        return None
    return (
        f"Scores are of {most:g} points here and of {short(points)} in {lms}: each is scaled, exactly, to 5 decimals."
    )
