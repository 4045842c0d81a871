"""How a judge runs one submission: in which order, to which end, from which seed.

A message from the command to the judge, beside the submission; it never reaches the sandbox. The default is what
`grade` and `check` do. Everything else serves authors: `validate` shuffles the order to prove that no check depends on
it, and stops a mutant at the first check that it fails. Whatever the order, results list the checks in the usual one.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec


class Plan(msgspec.Struct, frozen=True):
    """`order_seed` shuffles the checks; `first` are names of checks to be run before the others, in this order.

    In either, a check comes after those that it needs, and hidden ones may come before visible ones. `until_failure`:
    the first check that does not pass ends the run, and the others are no part of the result. `seed`: of all random
    numbers, instead of the assignment's.
    """

    order_seed: int | None = None
    first: tuple[str, ...] = ()
    until_failure: bool = False
    seed: int | None = None

    def order(self, needs: Mapping[str, tuple[str, ...]]) -> list[str]:
        """The checks in the order of this plan; `needs` has them in the usual one, each with those that it needs."""
        left = list(needs)
        if self.order_seed is not None:
            random.Random(self.order_seed).shuffle(left)
        preferred = {name: number for number, name in enumerate(self.first)}
        left.sort(key=lambda name: preferred.get(name, len(preferred)))
        ordered: list[str] = []
        while left:
            following = next(name for name in left if not any(need in left for need in needs[name]))
            left.remove(following)
            ordered.append(following)
        return ordered


USUAL = Plan()
"""What a submission gets."""
