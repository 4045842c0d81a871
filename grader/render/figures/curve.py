"""Losses over epochs: a student's curve against the reference's, and the bar that the last one must fall below."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from grader.model.grid import amount, differs, digits, number
from grader.model.observation import Observation, is_tensor_json
from grader.render.figures.base import Words, framed, joined, place, rule, svg, text

MOST = 200
"""Epochs that are drawn."""
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 560.0, 240.0, 44.0, 30.0


def over_epochs(seen: Observation, say: Words) -> Markup | None:
    """The two curves of an observation `curve`."""
    if not is_tensor_json(seen.actual) or not is_tensor_json(seen.expected):
        return None
    yours, reference = _numbers(seen.actual), _numbers(seen.expected)
    if min(len(yours), len(reference)) < 2:
        return None
    bar = amount(seen, "bar", math.nan)
    top = _top(yours, reference, bar)
    drawing = _Drawing(max(len(yours), len(reference)), top)
    body = drawing.axes(say) + drawing.curve(reference, "reference", say.figure["reference"])
    body += drawing.curve(yours, "yours", say.figure["yours"])
    told = [say.curve(len(yours), digits(yours[0]), digits(yours[-1]), digits(reference[0]), digits(reference[-1]))]
    if math.isfinite(bar):
        body += drawing.level(bar, f"{say.figure['bar']} {digits(bar)}")
        told.append(say.curve_bar(digits(bar), digits(yours[-1]), yours[-1] < bar))
    part = _parting(seen, yours, reference)
    told.append(say.curve_leaves(part) if part is not None else "")
    label = " ".join(str(text) for text in told if text)
    return framed(seen.name, svg(_WIDTH, _HEIGHT, label, body, "curves"), told)


def _top(yours: Sequence[float], reference: Sequence[float], bar: float) -> float:
    """The loss at the upper edge: the largest there is, but a curve that explodes leaves the drawing."""
    finite = [value for value in reference if math.isfinite(value)]
    highest = max([value for value in [*yours, *reference, bar] if math.isfinite(value)], default=1.0)
    return max(1e-9, min(1.05 * highest, 4 * max(finite, default=highest)))


def _numbers(tensor: dict[str, object]) -> list[float]:
    data = tensor["data"] if isinstance(tensor["data"], list) else []
    values = (number(value) for value in data[:MOST])
    return [math.nan if value is None else float(value) for value in values]


def _parting(seen: Observation, yours: Sequence[float], reference: Sequence[float]) -> int | None:
    """The first epoch, from 1, at which the two differ by more than the comparison allows."""
    rtol, atol = amount(seen, "rtol"), amount(seen, "atol")
    pairs = zip(yours, reference, strict=False)
    return next((epoch for epoch, (a, b) in enumerate(pairs, start=1) if differs(a, b, rtol, atol)), None)


class _Drawing:
    """Where epochs and losses lie, in units of the drawing."""

    def __init__(self, epochs: int, top: float) -> None:
        self._epochs, self._top = epochs, top

    def x(self, epoch: int) -> float:
        """Of an epoch, counted from 0."""
        return _LEFT + (_WIDTH - _LEFT - 90) * epoch / max(1, self._epochs - 1)

    def y(self, loss: float) -> float:
        """Of a loss; what is above the drawing lies on its edge."""
        return (_HEIGHT - _BOTTOM) * (1 - min(1.0, max(0.0, loss / self._top))) + 6

    def axes(self, say: Words) -> Markup:
        """Losses on the left, epochs below."""
        losses = [self._top * step / 4 for step in range(5)]
        right = self.x(self._epochs - 1)
        parts = [rule("grid", (_LEFT, self.y(loss)), (right, self.y(loss))) for loss in losses]
        parts += [text("name", _LEFT - 6, self.y(loss) + 4, f"{loss:.2g}") for loss in losses]
        ticks = sorted({0, self._epochs - 1, *range(4, self._epochs - 2, max(5, self._epochs // 6 // 5 * 5))})
        parts += [text("tick", self.x(epoch), _HEIGHT - 8, epoch + 1) for epoch in ticks]
        return joined([*parts, text("tick", _WIDTH - 50, _HEIGHT - 8, say.figure["epoch"])])

    def curve(self, losses: Sequence[float], kind: str, name: str) -> Markup:
        """A line through all losses that are numbers, with its name at the end."""
        places = [(self.x(n), self.y(loss)) for n, loss in enumerate(losses) if math.isfinite(loss)]
        if not places:
            return Markup("")
        x, y = places[-1]
        lift = 4 if kind == "yours" else 17 if y < _HEIGHT / 2 else -9
        points = " ".join(f"{place(x)},{place(y)}" for x, y in places)
        drawn = Markup('<polyline class="{}" points="{}"/>').format(kind, points)
        return drawn + text(f"value {kind}", x + 6, y + lift, name)

    def level(self, loss: float, name: str) -> Markup:
        """A line from left to right."""
        drawn = rule("goal", (_LEFT, self.y(loss)), (self.x(self._epochs - 1), self.y(loss)))
        return drawn + text("tick", _LEFT + 30, self.y(loss) - 5, name)
