"""Sums of rows as bars against 1."""

from __future__ import annotations

import math

from markupsafe import Markup

from grader.model.grid import amount, digits, number, unravel
from grader.model.observation import Observation, is_tensor_json
from grader.render.figures.base import SIGN, Words, framed, index, joined, rect, rule, svg, text

BARS = 12
"""Sums that are drawn: those that are farthest from 1."""
_LEFT, _WIDTH, _STEP = 78.0, 300.0, 22.0
"""Where bars begin, how long the longest is, and a line's height, in units of the drawing."""


def against_one(seen: Observation, say: Words) -> Markup | None:
    """The sums of an observation `rows_sum_to_one`, a bar each."""
    if not is_tensor_json(seen.actual) or not seen.actual["data"]:
        return None
    sums = [float(value) for value in map(number, seen.actual["data"]) if value is not None]
    atol = amount(seen, "atol", 1e-4)
    off = [not abs(value - 1) <= atol for value in sums]
    worst = sorted(range(len(sums)), key=lambda n: -_distance(sums[n]))[:BARS]
    drawn = sorted(worst)
    most = max([1.25, *(sums[n] for n in drawn if math.isfinite(sums[n]))])
    unit = _WIDTH / most
    bars = joined(
        _bar(row, sums[n], off[n], index(unravel(n, seen.actual["shape"])), unit) for row, n in enumerate(drawn)
    )
    height = _STEP * len(drawn) + 22
    goal = _LEFT + unit
    body = bars + rule("goal", (goal, 0), (goal, height - 18)) + text("tick", goal, height - 5, 1)
    told = say.sums_off(sum(off), len(sums))
    part = say.sums_drawn(len(drawn), len(sums)) if len(drawn) < len(sums) else ""
    label = "; ".join(f"{index(unravel(n, seen.actual['shape']))}: {digits(sums[n], 5)}" for n in drawn)
    return framed(seen.name, svg(_LEFT + _WIDTH + 96, height, label, body, "bars"), [told, part])


def _bar(row: int, value: float, bad: bool, label: str, unit: float) -> Markup:
    top = _STEP * row
    width = min(_WIDTH, max(0.0, value) * unit) if math.isfinite(value) else 0.0
    told = f"{digits(value, 5)} {SIGN}" if bad else digits(value, 5)
    bar = rect("bad" if bad else "good", _LEFT, top + 2, width, 14)
    return text("name", _LEFT - 8, top + 13, label) + bar + text("value", _LEFT + width + 6, top + 13, told)


def _distance(value: float) -> float:
    return abs(value - 1) if math.isfinite(value) else math.inf
