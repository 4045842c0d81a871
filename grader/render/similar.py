"""The pages about similar work, for staff: the overview, and two texts side by side.

Pure functions, in the command, on records alone. As in `grader.render.html`, text of students cannot act and a page
asks for nothing; the pair's page runs no script at all. Words stand in the language
files.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from grader.model.similar import Blank, FileLines, Line, PairPage, Row, SimilarView
from grader.render.html import page_html


class _Bin(NamedTuple):
    """Pairs with a score from `low` to below `high` percent; the last bin includes 100."""

    low: int
    high: int
    pairs: int


class _Drawn(NamedTuple):
    """A row as the template draws it: `kind` is `line`, `file` or `blank`."""

    kind: str
    row: Row


def similar_html(view: SimilarView, templates: tuple[Path, ...]) -> str:
    """The overview of a class. It links each pair to `pair-NNN.html` beside it, and reports in `../reports/`.

    Raises:
        UsageProblem: there is no language file for the language of the view.
    """
    step = 100 // max(1, len(view.scores))
    bins = [_Bin(step * number, step * (number + 1), count) for number, count in enumerate(view.scores)]
    return page_html("similar.html.j2", {"view": view, "bins": bins}, templates, view.lang)


def pair_html(page: PairPage, templates: tuple[Path, ...]) -> str:
    """Two texts side by side. Raises UsageProblem as `similar_html`."""
    sides = [_drawn(page.first), _drawn(page.second)]
    return page_html("pair.html.j2", {"view": page, "pair": page.pair, "sides": sides}, templates, page.lang)


def _drawn(rows: list[Row]) -> list[_Drawn]:
    kinds = {Line: "line", FileLines: "file", Blank: "blank"}
    return [_Drawn(kinds[type(row)], row) for row in rows]
