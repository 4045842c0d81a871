"""Two shapes as boxes, one for each axis, those that differ marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from markupsafe import Markup

from grader.model.observation import Observation, is_tensor_json
from grader.render.figures.base import SIGN, Words, as_tuple, framed, joined, rect, svg, text

MOST = 6
"""Axes that are drawn."""
_LEFT, _BOX, _STEP = 90.0, 66.0, 62.0


def as_boxes(seen: Observation, say: Words) -> Markup | None:
    """The two shapes of an observation `shape`, or of a comparison of tensors whose shapes differ."""
    yours, expected = _shape(seen.actual), _shape(seen.expected)
    if yours is None or expected is None or yours == expected or max(len(yours), len(expected)) > MOST:
        return None
    rows = [(say.figure["yours"], yours, expected), (say.figure["expected"], expected, yours)]
    drawn = joined(_row(n, name, mine, other, say) for n, (name, mine, other) in enumerate(rows))
    axes = max(len(yours), len(expected), 2)
    labels = joined(
        text("tick", _LEFT + _BOX * (n + 0.5), 2 * _STEP + 2, f"{say.figure['axis']} {n}")
        for n in range(max(len(yours), len(expected)))
    )
    told = say.shapes(as_tuple(yours), as_tuple(expected))
    return framed(seen.name, svg(_LEFT + _BOX * axes + 8, 2 * _STEP + 8, str(told), drawn + labels, "boxes"), [told])


def _row(number: int, name: str, mine: Sequence[int], other: Sequence[int], say: Words) -> Markup:
    top = _STEP * number
    parts = [text("name", _LEFT - 10, top + 29, name)]
    if not mine:
        parts.append(text("value", _LEFT, top + 29, say.figure["scalar"]))
    for n, (size, wanted) in enumerate(zip_longest(mine, other)):
        if size is not None:
            kind, sign = ("good", "") if size == wanted else ("bad", f" {SIGN}")
            parts.append(rect(kind, _LEFT + _BOX * n + 2, top + 5, _BOX - 4, 38))
            parts.append(text("size", _LEFT + _BOX * (n + 0.5), top + 30, f"{size}{sign}"))
    return joined(parts)


def _shape(value: object) -> list[int] | None:
    if is_tensor_json(value) and isinstance(value, dict):
        value = value["shape"]
    return value if isinstance(value, list) and all(type(size) is int for size in value) else None
