"""How a judge runs one submission: in which order, to which end, from which seed.

A message from the command to the judge, beside the submission; it never reaches the sandbox. The default is what
`grade` and `check` do. Everything else serves authors: `validate` shuffles the order to prove that no check depends on
it, stops a mutant at the first check that it fails, and asks of a wrong variant what it is known to fail. Whatever the
order, results list the checks in the usual one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

import msgspec


class Plan(msgspec.Struct, frozen=True):
    """`order_seed` shuffles the checks; `first` are names of checks to be run before the others, in this order.

    In either, a check comes after those that it needs (for one of `first` they run right before it), and hidden ones
    may come before visible ones. `only`, unless it is empty, names the checks to be run, with those that they need.
    `until_failure`: the first check that does not pass ends the run. What does not run is no part of the result.
    `seed`: of all random numbers, instead of the assignment's. `seconds`: a platform stops the whole grading after so
    many seconds of wall-clock time, so every check has a share of them (see `grader.judge.allowance`); None for no end.
    """

    order_seed: int | None = None
    first: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    until_failure: bool = False
    seed: int | None = None
    seconds: float | None = None

    def order(self, needs: Mapping[str, tuple[str, ...]]) -> list[str]:
        """The checks in the order of this plan; `needs` has them in the usual one, each with those that it needs."""
        wanted = _with_needs(self.only or needs, needs)
        left = [name for name in needs if name in wanted]
        if self.order_seed is not None:
            random.Random(self.order_seed).shuffle(left)
        ordered = [name for name in _with_needs(self.first, needs) if name in left]
        left = [name for name in left if name not in ordered]
        while left:
            following = next(name for name in left if not any(need in left for need in needs[name]))
            left.remove(following)
            ordered.append(following)
        return ordered


def _with_needs(names: Iterable[str], needs: Mapping[str, tuple[str, ...]]) -> dict[str, None]:
    """Those of the names that are checks, each after all that it needs."""
    found: dict[str, None] = {}
    for name in names:
        if name in needs:
            found |= _with_needs(needs[name], needs)
            found.setdefault(name)
    return found


USUAL = Plan()
"""What a submission gets."""
