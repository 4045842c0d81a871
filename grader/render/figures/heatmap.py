"""Two tensors as heat maps on one scale, with their difference: attention weights, masks, outputs, gradients.

Real tables, so that each number can be read, copied and heard; of large tensors the part around the first difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from grader.model.grid import Cell, Grid, amount, differing, digits, enough_digits, grid, number, one_sided
from grader.model.observation import Observation, is_tensor_json
from grader.render.figures.base import SIGN, STEPS, Words, as_tuple, framed, index, joined, line

ROWS, COLUMNS = 8, 6
"""Cells of a part that is drawn; of booleans, which are narrow, twice as many columns."""
Shade = Callable[[Cell], str]


def compared(seen: Observation, say: Words) -> Markup | None:
    """Both sides of a comparison and their difference, for tensors of more than one number."""
    narrow = is_tensor_json(seen.actual) and seen.actual["dtype"] == "bool"
    found = grid(seen, ROWS, 2 * COLUMNS if narrow else COLUMNS)
    if found is None or len(found.rows) * len(found.columns) < 2:  # a single number is told in the text
        return None
    words = say.figure
    names = (words["after"], words["before"]) if seen.kind == "unchanged" else (words["yours"], words["expected"])
    shade = _scale([*found.yours, *found.expected])
    count = enough_digits(differing(found))
    maps = [_table(names[0], found, found.yours, shade, count), _table(names[1], found, found.expected, shade, count)]
    away = _differences(found)
    if away is not None:
        maps.append(_table(words["difference"], found, away, _scale(away), 3, signed=True))
    off = sum(map(sum, found.off)) + found.elsewhere
    return framed(
        seen.name,
        _side_by_side(line(seen.name), maps),
        [say.marked_cells(off), "" if narrow else _largest(found, say), *_which_part(found, say)],
    )


def alone(seen: Observation, say: Words) -> Markup | None:
    """One tensor, in which some cells are no ordinary numbers, or not above a bound."""
    if not is_tensor_json(seen.actual) or not seen.actual["data"]:
        return None
    bound = amount(seen, "bound", -math.inf)
    values = [number(value) for value in seen.actual["data"]]
    off = [value is None or not math.isfinite(value) or not value > bound for value in values]
    found = one_sided(seen.actual, off, ROWS, COLUMNS)
    if found is None or len(values) < 2:
        return None
    told = say.not_finite(sum(off)) if seen.kind == "finite" else say.not_above(sum(off), digits(bound))
    table = _table(say.figure["yours"], found, found.yours, _scale(found.yours), 3)
    return framed(seen.name, _side_by_side(line(seen.name), [table]), [told, *_which_part(found, say)])


def _side_by_side(name: str, tables: Sequence[Markup]) -> Markup:
    return Markup('<div class="maps" tabindex="0" role="group" aria-label="{}">{}</div>').format(name, joined(tables))


def _table(name: str, found: Grid, cells: list[list[Cell]], shade: Shade, count: int, signed: bool = False) -> Markup:
    cell = Markup('<td class="{}">{}{}</td>')
    head = joined(Markup('<th scope="col">{}</th>').format(column) for column in found.columns)
    rows = []
    for row, values, off in zip(found.rows, cells, found.off, strict=True):
        drawn = joined(
            cell.format(shade(value) + (" off" if bad else ""), _signed(value, count, signed), _mark(bad))
            for value, bad in zip(values, off, strict=True)
        )
        rows.append(Markup('<tr><th scope="row">{}</th>{}</tr>').format(row, drawn))
    return Markup(
        '<table class="heat"><caption>{}</caption><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table>'
    ).format(name, head, joined(rows))


def _signed(value: Cell, count: int, signed: bool) -> str:
    text = digits(value, count)
    return f"+{text}" if signed and value is not None and value > 0 else text


def _mark(bad: bool) -> Markup:
    return Markup("<i>{}</i>").format(SIGN) if bad else Markup("")


def _scale(cells: Sequence[Sequence[Cell]]) -> Shade:
    """A class of the style sheet for each value: h0 to h8 from the least to the most, n1 to n8 below zero."""
    values = [float(value) for row in cells for value in row if value is not None and math.isfinite(value)]
    low, high = (min(values), max(values)) if values else (0.0, 0.0)
    least = low if low > 0 and low > high / 2 else 0.0  # values close together far from zero: the span shows more
    span = max(abs(low), abs(high)) - least

    def shade(value: Cell) -> str:
        if value is None or not math.isfinite(value) or span <= 0:
            return "h0"
        step = math.ceil(STEPS * min(1.0, abs(abs(float(value)) - least) / span) - 1e-9)
        return f"{'n' if value < 0 and step else 'h'}{step}"

    return shade


def _differences(found: Grid) -> list[list[Cell]] | None:
    """Yours less expected; None for booleans, where the marks tell all."""
    if any(isinstance(value, bool) for row in [*found.yours, *found.expected] for value in row):
        return None
    return [
        [None if a is None or b is None else a - b for a, b in zip(mine, theirs, strict=True)]
        for mine, theirs in zip(found.yours, found.expected, strict=True)
    ]


def _largest(found: Grid, say: Words) -> str:
    """Where the two sides are farthest apart, among the cells that are drawn; of booleans the first place."""
    apart = [
        (_distance(found.yours[r][c], found.expected[r][c]), r, c)
        for r in range(len(found.rows))
        for c in range(len(found.columns))
        if found.off[r][c]
    ]
    if not apart:
        return ""
    _, r, c = max(apart, key=lambda item: item[0])
    mine, theirs = found.yours[r][c], found.expected[r][c]
    count = enough_digits([(mine, theirs)])
    where = index([*found.at, found.rows[r], found.columns[c]][-len(found.shape) :])
    return str(say.largest(where, digits(mine, count), digits(theirs, count)))


def _distance(a: Cell, b: Cell) -> float:
    apart = math.inf if a is None or b is None else abs(float(a) - float(b))
    return math.inf if math.isnan(apart) else apart


def _which_part(found: Grid, say: Words) -> list[str]:
    told = []
    if found.at:
        told.append(say.slice_shown(index(found.at), as_tuple(found.shape)))
    if found.is_part:
        height, width = ((1, 1, *found.shape))[-2:]
        told.append(say.part_shown(_range(found.rows, say), _range(found.columns, say), height, width))
    return told


def _range(indices: Sequence[int], say: Words) -> str:
    return str(say.range(indices[0], indices[-1]))
