"""Two texts and what they share -> rows to be drawn side by side.

Pure functions, in the command. A passage is a run of shared tokens; it is cut into the lines that it lies on, and each
line is marked from its first shared token to its last: comments and docstrings between two lines are nobody's copy and
stay unmarked. Passages that come in the same order on both sides are brought to the same height by empty lines.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field

from grader.model.similar import Blank, FileLines, Line, Row, Work
from grader.similar.compare import RUN, Overlap, Print
from grader.similar.works import text_of

_Passages = tuple[tuple[int, int], ...]
_NO_LINE_ENDS = dict.fromkeys([*b"\x0b\x0c\x1c\x1d\x1e\x85", 0x2028, 0x2029], " ")
"""What others take for the end of a line, and would bring the sides out of step."""

_VOTES = 8
"""Places of one run of tokens that are looked at: a text that repeats itself has a hundred thousand."""


@dataclass
class _Marks:
    """By line of a text, from 0: what is marked in it (columns), and which passages begin there."""

    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    begins: dict[int, list[int]] = field(default_factory=dict)


def shared_lines(work: Work, side: Print, passages: _Passages) -> int:
    """How many lines of a text hold something shared."""
    return len(_marks(text_of(work), side, passages).spans)


def _marks(text: str, side: Print, passages: _Passages) -> _Marks:
    starts = [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]
    marks = _Marks()
    for number, (first, end) in enumerate(passages):
        for token in range(first, end):
            begin, stop = side.tokens.places[token]
            line = bisect_right(starts, begin) - 1
            if token == first:
                marks.begins.setdefault(line, []).append(number)
            for row in range(line, bisect_right(starts, stop - 1)):
                here = max(begin, starts[row]) - starts[row]
                there = min(stop, starts[row + 1] - 1 if row + 1 < len(starts) else stop) - starts[row]
                low, high = marks.spans.get(row, (here, there))
                marks.spans[row] = (min(low, here), max(high, there))
    return marks


def counterparts(overlap: Overlap, first: Print, second: Print) -> tuple[list[int], list[int]]:
    """For each passage of the first text that of the second which has most of its runs, and the other way round."""
    return _counterparts(overlap.first, overlap.second, first, second), _counterparts(
        overlap.second, overlap.first, second, first
    )


def _counterparts(from_: _Passages, to: _Passages, here: Print, there: Print) -> list[int]:
    begins = [start for start, _ in to]
    found = []
    for start, end in from_:
        votes: Counter[int] = Counter()
        for place in range(start, end - RUN + 1):
            codes = here.tokens.codes[place : place + RUN]
            others = there.fingerprint.hash_idx.get(hash(codes), ())[:_VOTES]
            votes.update(bisect_right(begins, other) - 1 for other in others)
        found.append(min(votes, key=lambda passage: (-votes[passage], passage)) if votes else 0)
    return found


def side_by_side(
    works: tuple[Work, Work], prints: tuple[Print, Print], overlap: Overlap
) -> tuple[list[Row], list[Row]]:
    """The rows of both texts."""
    there, back = counterparts(overlap, *prints)
    marks = [_marks(text_of(works[0]), prints[0], overlap.first), _marks(text_of(works[1]), prints[1], overlap.second)]
    # A passage bears one number on both sides: that of the first side.
    labels = [
        {number: (number + 1, number + 1, there[number] + 1) for number in range(len(there))},
        {number: (back[number] + 1, number + 1, back[number] + 1) for number in range(len(back))},
    ]
    rows = [_rows(work, mark, label) for work, mark, label in zip(works, marks, labels, strict=True)]
    heights = [_heights(side) for side in rows]
    anchors = [
        (heights[0][one], heights[1][other])
        for one, other in _in_order(there)
        if one in heights[0] and other in heights[1]
    ]
    return _padded(rows, anchors)


def _rows(work: Work, marks: _Marks, labels: dict[int, tuple[int, int, int]]) -> list[Row]:
    rows: list[Row] = []
    offset = 0
    for file in work.files:
        lines = file.text.translate(_NO_LINE_ENDS).split("\n")
        if len(work.files) > 1:
            rows.append(FileLines(file.name))
        kept = lines[:-1] if lines[-1] == "" else lines
        for number, line in enumerate(kept):
            low, high = marks.spans.get(offset + number, (0, 0))
            begins = tuple(labels[passage] for passage in marks.begins.get(offset + number, ()))
            cut = (line[:low], line[low:high], line[high:]) if high else (line, "", "")
            rows.append(Line(number + 1, *cut, begins))
        offset += len(lines)
    return rows


def _heights(rows: list[Row]) -> dict[int, int]:
    """The row in which each passage begins, by its number from 0."""
    return {own - 1: row for row, line in enumerate(rows) if isinstance(line, Line) for _, own, _ in line.begins}


def _in_order(there: list[int]) -> list[tuple[int, int]]:
    """As many pairs of passages as come in the same order on both sides: a longest increasing subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, other in enumerate(there):
        place = bisect_left(tails, other)
        before.append(ends[place - 1] if place else -1)
        tails[place : place + 1] = [other]
        ends[place : place + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append((number, there[number]))
        number = before[number]
    return chain[::-1]


def _padded(rows: list[list[Row]], anchors: list[tuple[int, int]]) -> tuple[list[Row], list[Row]]:
    """Both sides with empty lines before each anchor, so that its rows stand at one height."""
    out: tuple[list[Row], list[Row]] = ([], [])
    heights, done = [0, 0], [0, 0]
    for anchor in itertools.chain(anchors, [(len(rows[0]), len(rows[1]))]):
        for side in (0, 1):
            out[side].extend(rows[side][done[side] : anchor[side]])
            heights[side] += max(0, anchor[side] - done[side])
            done[side] = max(done[side], anchor[side])
        lower = 0 if heights[0] < heights[1] else 1
        if (missing := heights[1 - lower] - heights[lower]) and anchor != (len(rows[0]), len(rows[1])):
            out[lower].append(Blank(missing))
            heights[lower] += missing
    return out
