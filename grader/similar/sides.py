"""Two texts and what they share -> rows to be drawn side by side.

Pure functions, in the command. What is shared is marked on the lines that it lies on, in each from its first token to
its last: comments and docstrings between two lines are nobody's copy and stay unmarked. A *passage* is a run of tokens
that stands in both texts without a gap; it bears one number on both sides. Passages that come in the same order on both
sides are brought to the same height by empty lines.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grader.model.similar import Blank, FileLines, Line, Row, Work
from grader.similar.compare import RUN, Overlap, Print
from grader.similar.works import text_of

_CANDIDATES = 8
"""Places on the other side that are tried for one run: a text that repeats itself has a hundred thousand."""
_NO_LINE_ENDS = dict.fromkeys([*b"\x0b\x0c\x1c\x1d\x1e\x85", 0x2028, 0x2029], " ")
"""What others take for the end of a line, and would bring the sides out of step."""


class Passage(NamedTuple):
    """Where a passage begins, as a token of each side."""

    first: int
    second: int


def shared_lines(work: Work, side: Print, places: Iterable[tuple[int, int]]) -> int:
    """How many lines of a text hold something shared."""
    return len(_marks(text_of(work), side, places))


def side_by_side(
    works: tuple[Work, Work], prints: tuple[Print, Print], overlap: Overlap
) -> tuple[list[Row], list[Row]]:
    """The rows of both texts."""
    found = passages(overlap.first, *prints)
    sides = []
    begins = ([one.first for one in found], [one.second for one in found])
    for work, side, places, tokens in zip(works, prints, (overlap.first, overlap.second), begins, strict=True):
        sides.append(_rows(work, _marks(text_of(work), side, places), _begins(text_of(work), side, tokens)))
    heights = [_heights(rows) for rows in sides]
    anchors = [(heights[0][number], heights[1][number]) for number in _in_order([one.second for one in found])]
    return _padded(sides[0], sides[1], anchors)


def passages(shared: Iterable[tuple[int, int]], first: Print, second: Print) -> list[Passage]:
    """The passages of what is shared, in the order of the first text; each is the longest that begins where it does."""
    found = []
    for start, end in shared:
        place = start
        while place <= end - RUN:
            other, length = _longest(first, second, place, end)
            found.append(Passage(place, other))
            after = place + length
            # What follows begins where this ends if it can, else at the next run, which overlaps it.
            place = after if after > end - RUN or _others(first, second, after) else after - RUN + 1
    return found


def _others(first: Print, second: Print, place: int) -> Sequence[int]:
    run = first.tokens.codes[place : place + RUN]
    found: Sequence[int] = second.fingerprint.hash_idx.get(hash(run), ())
    return found


def _longest(first: Print, second: Print, place: int, end: int) -> tuple[int, int]:
    """Where the longest passage from this token on begins on the other side, and how many tokens it has."""
    here, there = first.tokens.codes, second.tokens.codes
    best = (0, RUN)
    for number, other in enumerate(_others(first, second, place)[:_CANDIDATES]):
        length = RUN
        while place + length < end and other + length < len(there) and here[place + length] == there[other + length]:
            length += 1
        if number == 0 or length > best[1]:
            best = (int(other), length)
    return best


def _line_starts(text: str) -> list[int]:
    return [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]


def _marks(text: str, side: Print, places: Iterable[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """By line of a text, from 0, the columns that are marked."""
    starts = _line_starts(text)
    spans: dict[int, tuple[int, int]] = {}
    for token in itertools.chain.from_iterable(range(first, end) for first, end in places):
        begin, stop = side.tokens.places[token]
        for row in range(bisect_right(starts, begin) - 1, bisect_right(starts, stop - 1)):
            here = max(begin, starts[row]) - starts[row]
            there = min(stop, starts[row + 1] - 1 if row + 1 < len(starts) else stop) - starts[row]
            low, high = spans.get(row, (here, there))
            spans[row] = (min(low, here), max(high, there))
    return spans


def _begins(text: str, side: Print, tokens: Sequence[int]) -> dict[int, list[int]]:
    """By line of a text, from 0, the numbers of the passages that begin on it."""
    starts = _line_starts(text)
    found: dict[int, list[int]] = {}
    for number, token in enumerate(tokens, 1):
        found.setdefault(bisect_right(starts, side.tokens.places[token][0]) - 1, []).append(number)
    return found


def _rows(work: Work, marks: dict[int, tuple[int, int]], begins: dict[int, list[int]]) -> list[Row]:
    rows: list[Row] = []
    offset = 0
    for file in work.files:
        lines = file.text.translate(_NO_LINE_ENDS).split("\n")
        if len(work.files) > 1:
            rows.append(FileLines(file.name))
        for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines):
            low, high = marks.get(offset + number, (0, 0))
            cut = (line[:low], line[low:high], line[high:]) if high else (line, "", "")
            rows.append(Line(number + 1, *cut, tuple(begins.get(offset + number, ()))))
        offset += len(lines)
    return rows


def _heights(rows: list[Row]) -> dict[int, int]:
    """The row in which each passage begins, by its number from 0."""
    return {number - 1: row for row, line in enumerate(rows) if isinstance(line, Line) for number in line.begins}


def _in_order(places: Sequence[int]) -> list[int]:
    """As many places as there can be of which each is above the one before: their numbers, from 0."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, place in enumerate(places):
        length = bisect_left(tails, place)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [place]
        ends[length : length + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(number)
        number = before[number]
    return chain[::-1]


def _padded(first: list[Row], second: list[Row], anchors: list[tuple[int, int]]) -> tuple[list[Row], list[Row]]:
    """Both sides with empty lines before each anchor, so that its rows stand at one height."""
    rows = (first, second)
    out: tuple[list[Row], list[Row]] = ([], [])
    heights, done = [0, 0], [0, 0]
    for anchor in anchors:
        for side in (0, 1):
            out[side].extend(rows[side][done[side] : anchor[side]])
            heights[side] += max(0, anchor[side] - done[side])
            done[side] = max(done[side], anchor[side])
        lower = 0 if heights[0] < heights[1] else 1
        if missing := heights[1 - lower] - heights[lower]:
            out[lower].append(Blank(missing))
            heights[lower] += missing
    for side in (0, 1):
        out[side].extend(rows[side][done[side] :])
    return out
