"""Measured shares, each with the interval that a right implementation stays in: 80/10/10, the rate of selection."""

from __future__ import annotations

from markupsafe import Markup

from grader.model.measured import Measured, measured
from grader.model.observation import Observation
from grader.render.figures.base import SIGN, Words, framed, joined, line, place, rect, rule, svg, text

_LEFT, _WIDTH, _STEP = 130.0, 330.0, 44.0
"""Where the scale begins and how long it is, and the height of a share's line, in units of the drawing."""


def with_intervals(seen: Observation, say: Words) -> Markup | None:
    """The shares of an observation `proportions`, if they are few enough to be read one by one."""
    found = measured([seen])
    if not found:
        return None
    most = min(1.0, 1.15 * max(max(one.high, one.count) / one.total for one in found)) or 1.0
    rows = joined(_row(number, one, _WIDTH / most) for number, one in enumerate(found))
    height = _STEP * len(found) + 20
    bottom = height - 18
    axis = rule("axis", (_LEFT, bottom), (_LEFT + _WIDTH, bottom))
    axis += text("tick", _LEFT, height - 4, 0) + text("tick", _LEFT + _WIDTH, height - 4, f"{most:.2g}")
    told = [say.share_line(one.name, _share(one.count, one), one.total, *_bounds(one)) for one in found]
    label = Markup("; ").join(told)
    return framed(
        seen.name, svg(_LEFT + _WIDTH + 20, height, label, rows + axis, "shares-drawn"), [say.interval_read()]
    )


def _row(number: int, one: Measured, unit: float) -> Markup:
    top = _STEP * number
    low, high, at, goal = (
        _LEFT + unit * part for part in (_part(one.low, one), _part(one.high, one), _part(one.count, one), one.share)
    )
    kind, sign = ("good", "") if one.held else ("bad", f" {SIGN}")
    diamond = Markup('<path class="{}" d="M{} {}l6 6l-6 6l-6 -6z"/>').format(kind, place(at), place(top + 20))
    return joined(
        [
            text("name", _LEFT - 10, top + 30, line(one.name, 24)),
            rect("band", low, top + 20, max(2.0, high - low), 12),
            rule("goal", (goal, top + 17), (goal, top + 35)),
            diamond,
            text("value middle", at, top + 12, _share(one.count, one) + sign),
        ]
    )


def _part(count: int, one: Measured) -> float:
    return count / one.total


def _share(count: int, one: Measured) -> str:
    return f"{_part(count, one):.4f}"


def _bounds(one: Measured) -> tuple[str, str]:
    return _share(one.low, one), _share(one.high, one)
