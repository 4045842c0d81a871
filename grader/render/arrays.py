"""Two small arrays side by side on a terminal, each cell that differs in brackets.

Pure functions, used in the command on observations that their reader may see. The brackets stay where there is no
colour; of a large array the part around the first difference is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from grader.model.grid import Grid, differing, digits, enough_digits, grid
from grader.model.observation import Observation

_ROWS = 8
_GAP = 3
"""Columns of the terminal between the two arrays."""
_COLUMNS = (12, 8, 6, 5, 4, 3, 2, 1)
"""Columns of the arrays that are tried, until they fit."""


def side_by_side(seen: Observation, width: int) -> tuple[str, list[Text]]:
    """Lines of at most `width` columns with both sides of a comparison, none where a text says it all.

    Before them, which part of the arrays it is, if it is a part.
    """
    for columns in _COLUMNS:
        found = grid(seen, _ROWS, columns)
        if found is None or len(found.rows) * len(found.columns) < 2:
            return "", []
        lines = _drawn(found, ("before", "after") if seen.kind == "unchanged" else ("yours", "expected"))
        if max(len(line) for line in lines) <= width:
            return _which_part(found), lines
    return "", []


def _drawn(found: Grid, names: tuple[str, str]) -> list[Text]:
    sides = (found.expected, found.yours) if names[0] == "before" else (found.yours, found.expected)
    count = enough_digits(differing(found))
    texts = [[[digits(value, count) for value in row] for row in side] for side in sides]
    cell = max(len(text) for side in texts for row in side for text in row) + 2
    label = max(len(str(row)) for row in found.rows)
    block = max(cell * len(found.columns), *map(len, names)) + _GAP
    lines = [Text(" " * (label + 1) + names[0].ljust(block) + names[1], style="bold")]
    for number, row in enumerate(found.rows):
        line = Text(str(row).rjust(label) + " ")
        line.append_text(_row(texts[0][number], found.off[number], cell))
        line.pad_right(label + 1 + block - len(line))
        line.append_text(_row(texts[1][number], found.off[number], cell))
        line.rstrip()
        lines.append(line)
    return lines


def _row(texts: Sequence[str], off: Sequence[bool], cell: int) -> Text:
    row = Text()
    for text, bad in zip(texts, off, strict=True):
        row.append(f"[{text}]".rjust(cell) if bad else f"{text} ".rjust(cell), style="bold red" if bad else "")
    return row


def _which_part(found: Grid) -> str:
    told = []
    if found.at:
        told.append(f"at {list(found.at)} of shape {tuple(found.shape)}")
    if found.is_part:
        told.append(f"{_range('row', found.rows)} and {_range('column', found.columns)}")
    if found.elsewhere:
        told.append(f"{found.elsewhere} more differ elsewhere")
    return f"{', '.join(told)}:" if told else ""


def _range(what: str, indices: Sequence[int]) -> str:
    return f"{what} {indices[0]}" if len(indices) == 1 else f"{what}s {indices[0]} to {indices[-1]}"
