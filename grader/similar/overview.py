"""Works of a class -> what staff look at: the pairs above a threshold, and what is usual in this class.

Runs in the command. Of the pairs above the threshold the highest are kept, with a page each; how many there are beyond
is told. The distribution is that of all pairs, since a share says little without it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from grader.model.similar import LeftOut, Pair, PairPage, SimilarView, Work
from grader.similar.compare import LEAST_OWN, Comparer, Overlap, Print, Score, scores
from grader.similar.sides import shared_lines, side_by_side
from grader.similar.works import LONGEST, text_of

T = TypeVar("T")

MOST_PAGES = 200
"""Pairs that get a page; nobody looks at more."""
BINS = 10
"""Bars in the distribution of scores."""


@dataclass(frozen=True)
class About:
    """What the work was written for, and the language of the pages."""

    assignment: str
    title: str
    lang: str = "en"


@dataclass(frozen=True)
class Compared:
    """What is to be drawn: the overview, and the pages of its pairs, made when they are asked for."""

    view: SimilarView
    pages: Callable[[], Iterator[PairPage]]


def compared(
    about: About,
    works: Sequence[Work],
    left_out: Sequence[LeftOut],
    comparer: Comparer,
    threshold: float,
    told: Callable[[], None],
) -> Compared:
    """Compare every pair, and list those whose score is at least `threshold`; `told` after each work."""
    all_prints = [comparer.print_of(text_of(work)) for work in works]
    kept = [number for number, print_ in enumerate(all_prints) if print_.own >= LEAST_OWN]
    little = [LeftOut(works[number], "little") for number in range(len(works)) if number not in set(kept)]
    works, prints = [works[number] for number in kept], [all_prints[number] for number in kept]
    found = scores(works, prints, comparer, told)
    above = sorted(
        (score for score in found if score.value >= threshold),
        key=lambda score: (-score.value, -score.tokens, works[score.first].id, works[score.second].id),
    )
    overlaps: list[tuple[Pair, Score]] = []
    for number, score in enumerate(above[:MOST_PAGES], 1):
        overlap = comparer.overlap(prints[score.first], prints[score.second])
        overlaps.append((_pair(number, _both(works, score), _both(prints, score), overlap), score))
    values = [score.value for score in found]
    view = SimilarView(
        about.assignment,
        about.title,
        compared=len(works),
        all_pairs=len(found),
        threshold=threshold,
        pairs=[pair for pair, _ in overlaps],
        beyond=len(above) - len(overlaps),
        scores=_bins(values),
        median=statistics.median(values) if values else None,
        high=sorted(values)[int(0.95 * (len(values) - 1))] if values else None,
        left_out=[*left_out, *little],
        parts=[work for work in works if work.part],
        least_own=LEAST_OWN,
        longest=LONGEST,
        lang=about.lang,
    )

    def pages() -> Iterator[PairPage]:
        for pair, score in overlaps:
            both = _both(prints, score)
            rows = side_by_side((pair.first, pair.second), both, comparer.overlap(*both))
            yield PairPage(about.assignment, about.title, pair, *rows, about.lang)

    return Compared(view, pages)


def _both(values: Sequence[T], score: Score) -> tuple[T, T]:
    return values[score.first], values[score.second]


def _pair(number: int, works: tuple[Work, Work], prints: tuple[Print, Print], overlap: Overlap) -> Pair:
    return Pair(
        number,
        *works,
        overlap.first_share,
        overlap.second_share,
        overlap.tokens,
        shared_lines(works[0], prints[0], overlap.first),
        shared_lines(works[1], prints[1], overlap.second),
        text_of(works[0]) == text_of(works[1]),
    )


def _bins(values: Sequence[float]) -> list[int]:
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int(value * BINS))] += 1
    return counts
