"""Similar work: what was compared, what came out, and two texts side by side.

Plain records. `grader.similar` makes them from submissions, `grader.render.similar` draws them. Nothing here is part of
a result: no mark, no grade and no report is made of it. A *token* is a name, a number, a word or a sign of Python;
comments, docstrings and white space are none. *Own* are the tokens that neither the handout nor the course gave.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Reason = Literal["nothing", "long", "little"]


class SourceText(msgspec.Struct, frozen=True):
    """One Python file of a submission, decoded."""

    name: str
    text: str


class Work(msgspec.Struct, frozen=True):
    """A submission as it is compared: whose it is and its files, the graded one first.

    `people` are the ids of everybody whose work it is. `graded`: the run beside has a report of it. `part`: its other
    files were too long, so that only the graded one is compared.
    """

    id: str
    student: str
    called: str
    people: tuple[str, ...]
    files: tuple[SourceText, ...]
    graded: bool = False
    part: bool = False


class LeftOut(msgspec.Struct, frozen=True):
    """A submission that is not compared: there is nothing to read (`detail` says why), it is too long, or too little
    of it is its author's own."""

    work: Work
    reason: Reason
    detail: str = ""


class Pair(msgspec.Struct, frozen=True):
    """Two submissions above the threshold. Shares, from 0 to 1, are of each one's own tokens; lines are counted where
    something is shared. `number` is its page's, from 1; `same_text`: not a letter differs."""

    number: int
    first: Work
    second: Work
    first_share: float
    second_share: float
    tokens: int
    first_lines: int
    second_lines: int
    same_text: bool = False

    @property
    def score(self) -> float:
        """The larger of the two shares."""
        return max(self.first_share, self.second_share)


class SimilarView(msgspec.Struct, frozen=True):
    """A class, compared. `scores` counts pairs by their score, in equal steps from 0 to 1; `beyond` pairs are above the
    threshold and left out of `pairs`, which is cut. Median and 95th percentile are None without a pair."""

    assignment: str
    title: str
    compared: int
    all_pairs: int
    threshold: float
    pairs: list[Pair]
    beyond: int
    scores: list[int]
    median: float | None
    high: float | None
    left_out: list[LeftOut]
    parts: list[Work]
    least_own: int = 0
    longest: int = 0
    lang: str = "en"


class Line(msgspec.Struct, frozen=True):
    """A line of a text, cut at what is shared: `before`, `shared`, `after`. `begins`: the numbers, from 1, of the
    passages that begin here; a passage has one number on both sides."""

    number: int
    before: str
    shared: str = ""
    after: str = ""
    begins: tuple[int, ...] = ()


class FileLines(msgspec.Struct, frozen=True):
    """The name of the file whose lines follow, where there are several."""

    name: str


class Blank(msgspec.Struct, frozen=True):
    """Empty lines that keep both sides in step."""

    lines: int


Row = Line | FileLines | Blank


class PairPage(msgspec.Struct, frozen=True):
    """Two texts side by side, as rows of each."""

    assignment: str
    title: str
    pair: Pair
    first: list[Row]
    second: list[Row]
    lang: str = "en"
