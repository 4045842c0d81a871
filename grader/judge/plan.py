"""How a judge runs one submission: in which order, to which end, from which seed.

A message from the command to the judge, beside the submission; it never reaches the sandbox. The default is what
`grade` and `check` do. Everything else serves authors: `validate` shuffles the order to prove that no check depends on
it, stops a mutant at the first check that it fails, and asks of a wrong variant what it is known to fail. Whatever the
order, results list the checks in the usual one.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec


class Plan(msgspec.Struct, frozen=True):
    """`order_seed` shuffles the checks; `first` are names of checks to be run before the others, in this order.

    In either, a check comes right after those that it needs, and hidden ones may come before visible ones. `only`, unless
    it is empty, names the checks to be run, with those that they need; `until_failure`: the first check that does not
    pass ends the run. What does not run is no part of the result. `seed`: of all random numbers, instead of the
    assignment's.
    """

    order_seed: int | None = None
    first: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    until_failure: bool = False
    seed: int | None = None

    def order(self, needs: Mapping[str, tuple[str, ...]]) -> list[str]:
        """The checks in the order of this plan; `needs` has them in the usual one, each with those that it needs."""
        wanted = list(needs)
        if self.order_seed is not None:
            random.Random(self.order_seed).shuffle(wanted)
        preferred = {name: number for number, name in enumerate(self.first)}
        wanted.sort(key=lambda name: preferred.get(name, len(preferred)))
        if self.only:
            wanted = [name for name in wanted if name in self.only]
        ordered: dict[str, None] = {}

        def add(name: str) -> None:
            for need in needs[name]:
                add(need)
            ordered.setdefault(name)

        for name in wanted:
            add(name)
        return list(ordered)


USUAL = Plan()
"""What a submission gets."""
