"""All pairs of a class -> how much of its own code each has in common with the other.

Runs in the command, on texts. Fingerprints, their overlap and the places of shared passages come from copydetect, which
does what MOSS does; the way in is its `CodeFingerprint` and `compare_files`, on tokens of our own. copydetect is small,
free of code that runs what it reads, and has not changed since 2024; compare50 would be younger, but pins a version of
attrs that others here cannot live with, and is under the GPL. What is not used of copydetect, and why:

- its filter of code: it misplaces what follows the name of a class, and its lexer can be kept busy for minutes;
- its winnowing, which chooses by Python's salted hashes and so otherwise in each process: every k-gram is kept;
- its way to leave boilerplate out, which drops k-grams that a text has twice: it is done here;
- its report, for which it brings matplotlib along.

Two runs on the same texts give the same numbers.
"""

from __future__ import annotations

import io
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.errors import UsageProblem
from grader.model.similar import Work
from grader.similar.tokens import Alphabet, Tokens

RUN = 10
"""Tokens in a row that must be the same to count as shared. Right variants of the assignments that ship share at most
half of their own tokens at 10, copies with other names and another order at least three quarters."""
LEAST_OWN = 40
"""Own tokens below which a share says nothing."""


@dataclass(frozen=True)
class Print:
    """A text that can be compared: its tokens, copydetect's fingerprint of them, and how many are its author's own."""

    tokens: Tokens
    fingerprint: Any
    own: int


@dataclass(frozen=True)
class Overlap:
    """What two texts share: shares of each one's own tokens, tokens in common (the smaller count), and passages as
    (first token, token after the last) in each."""

    first_share: float = 0.0
    second_share: float = 0.0
    tokens: int = 0
    first: tuple[tuple[int, int], ...] = ()
    second: tuple[tuple[int, int], ...] = ()


class Comparer:
    """Compares texts, less what the course gave: `given` texts, and what several of `right`, the right variants, have
    in common. Raises UsageProblem if copydetect is not installed."""

    def __init__(self, given: Iterable[str], right: Iterable[str]) -> None:
        try:
            import copydetect
            from copydetect import utils
        except ImportError:
            raise UsageProblem(
                "Similar work needs copydetect (the extra `similar`); install it with: pip install copydetect"
            ) from None
        self._detect, self._utils = copydetect, utils
        self._alphabet = Alphabet()
        usual = Counter(itertools.chain.from_iterable(self._hashes(text) for text in right))
        self._given = {run for run, count in usual.items() if count > 1}.union(*map(self._hashes, given))

    def _hashes(self, text: str) -> set[int]:
        found: set[int] = self._fingerprint(self._alphabet.tokens(text)).hashes
        return found

    def _fingerprint(self, tokens: Tokens) -> Any:
        return self._detect.CodeFingerprint("text", RUN, 1, filter=False, fp=io.StringIO(tokens.codes, newline=""))

    def print_of(self, text: str) -> Print:
        """The text, ready to be compared."""
        tokens = self._alphabet.tokens(text)
        found = self._fingerprint(tokens)
        found.hashes = found.hashes - self._given
        found.hash_idx = {run: found.hash_idx[run] for run in found.hashes}
        found.token_coverage = self._utils.get_token_coverage(found.hash_idx, RUN, len(tokens.codes))
        return Print(tokens, found, int(found.token_coverage))

    def overlap(self, first: Print, second: Print) -> Overlap:
        """What two texts share."""
        if first.fingerprint.hashes.isdisjoint(second.fingerprint.hashes):
            return Overlap()
        _, shares, places = self._detect.compare_files(first.fingerprint, second.fingerprint)
        passages = [tuple((int(start), int(end)) for start, end in zip(*found, strict=True)) for found in places]
        tokens = min(sum(end - start for start, end in found) for found in passages)
        return Overlap(float(shares[0]), float(shares[1]), tokens, passages[0], passages[1])


@dataclass(frozen=True)
class Score:
    """How alike two works are, by their places in the list that was compared; `value` is the larger share."""

    value: float
    tokens: int
    first: int
    second: int


def scores(works: Sequence[Work], prints: Sequence[Print], comparer: Comparer, told: Callable[[], None]) -> list[Score]:
    """The score of every pair but those that somebody belongs to on both sides; `told` after each work."""
    found = []
    for first, second in itertools.combinations(range(len(works)), 2):
        if second == first + 1:
            told()
        if not set(works[first].people) & set(works[second].people):
            overlap = comparer.overlap(prints[first], prints[second])
            found.append(Score(max(overlap.first_share, overlap.second_share), overlap.tokens, first, second))
    return found
