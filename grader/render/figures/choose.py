"""Which figure fits an observation. A new figure is a module beside this one and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from markupsafe import Markup

from grader.model.observation import Observation
from grader.render.figures import curve, heatmap, lists, shapes, shares, sums
from grader.render.figures.base import Words

Draw = Callable[[Observation, Words], Markup | None]

FIGURES: Mapping[str, tuple[Draw, ...]] = {
    "close": (heatmap.compared, shapes.as_boxes),
    "unchanged": (heatmap.compared, shapes.as_boxes),
    "finite": (heatmap.alone,),
    "above": (heatmap.alone,),
    "shape": (shapes.as_boxes,),
    "rows_sum_to_one": (sums.against_one,),
    "proportions": (shares.with_intervals,),
    "curve": (curve.over_epochs,),
    "same": (lists.beside_each_other,),
}
"""By the kind of an observation, what to try in turn."""


def figure(seen: Observation, say: Words) -> Markup | None:
    """The figure of an observation that its reader may see, None where words say it all."""
    return next((drawn for draw in FIGURES.get(seen.kind, ()) if (drawn := draw(seen, say)) is not None), None)
