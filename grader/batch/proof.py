"""The proof of an assignment's tests: what is graded for it, and what would be a surprise.

Runs in the command; the gradings themselves happen in slots. `gradings` lists the reference in its usual order and in
several others, the stub, the right and the wrong variants, each in an order of its own, and the mutants of the
reference. `take` is told each result. Then `surprises` says what is not as it must be.

Of a wrong variant that the assignment's record knows, only the checks run that it is recorded to fail, unless the
proof is to be `complete`. Mutants are judged until a check fails. Which check is tried first is taken from the record,
or else learned from what failed the variants and mutants before, for each second that a check takes on the reference;
it decides how long the proof takes, not what it finds.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable

import msgspec

from grader.batch.crew import Grading
from grader.batch.mutants import Mutant, mutants_of
from grader.batch.record import (
    FILE,
    Failures,
    Record,
    failures,
    mutant_key,
    read_record,
    write_record,
)
from grader.batch.survivors import MutantReport, read_equivalents, report
from grader.batch.variants import Variant, read_variants, submission_of
from grader.judge.plan import USUAL, Plan
from grader.model.assignment import Assignment
from grader.model.result import CheckResult, GradeResult

ORDERS = 3
"""Shuffled orders in which the reference is graded, beside the usual one."""
Results = dict[tuple[str, str], GradeResult]


def order_seed(slug: str) -> int:
    """The seed of a variant's order of checks: always the same, and another for each."""
    return int.from_bytes(hashlib.sha256(slug.encode()).digest()[:4], "big")


class Proof:
    """See the module's docstring.

    `writing`: wrong variants are graded in the usual order too, as `grade` does, and with nothing but the checks that
    they fail; what the record says is no surprise then, since it is made anew.
    """

    def __init__(self, assignment: Assignment, with_mutants: bool, writing: bool, complete: bool = True) -> None:
        self.assignment = assignment
        self.variants = read_variants(assignment, ("reference", "stub", "right", "wrong"))
        reference = self.variants[0]
        self._equivalents = read_equivalents(assignment)
        self._mutants = mutants_of(reference.text) if with_mutants else None
        self._writing = writing
        self._record = read_record(assignment)
        self._known = {} if complete or self._record is None else _known(self._record, self.variants)
        self._complete = complete
        self._killers: dict[str, str] = {}
        self._alone: set[str] = set()
        self.results: Results = {}
        self.values: Results = {}
        self._orders: list[tuple[str, GradeResult]] = []
        self._survived: list[Mutant] = []
        self._ungraded: list[tuple[Mutant, str]] = []
        self._seconds: dict[str, float] = {}
        self._failed: Counter[str] = Counter()
        self._failed_in: defaultdict[str, Counter[str]] = defaultdict(Counter)

    @property
    def gradings(self) -> list[Grading]:
        """What is to be graded, in the order in which it is best started: what takes long first."""
        reference, *others = self.variants
        found = [self._grading("reference", reference.slug, reference, USUAL)]
        for number in range(ORDERS):
            slug = f"{reference.slug} {number}"
            found.append(self._grading("order", slug, reference, Plan(order_seed=order_seed(slug))))
        ranks = ("right", "wrong", "stub")
        for variant in sorted(others, key=lambda variant: ranks.index(variant.kind)):
            plan = Plan(order_seed=order_seed(variant.slug), only=self._only(variant))
            found.append(self._grading(variant.kind, variant.slug, variant, plan))
            if self._writing and variant.kind == "wrong":
                found.append(self._grading("values", variant.slug, variant, USUAL))
        for number, mutant in enumerate(self._mutants or []):
            variant = Variant("mutant", str(number), mutant.source)
            found.append(
                Grading("mutant", str(number), submission_of(variant, self.assignment), self._mutant_plan(mutant))
            )
        if self._writing:  # last, when the results are there that their plans are made from
            found += [
                Grading("alone", variant.slug, submission_of(variant, self.assignment), self._alone_plan(variant))
                for variant in others
                if variant.kind == "wrong"
            ]
        return found

    def take(self, grading: Grading, result: GradeResult) -> None:
        """A result of one of the gradings."""
        failed = failing(result)
        if grading.kind == "mutant":
            assert self._mutants is not None
            mutant = self._mutants[int(grading.slug)]
            self._failed_in[mutant.function].update(failed)
            self._killers.update({mutant_key(mutant): name for name in failed})
            if result.status == "ungraded":
                self._ungraded.append((mutant, _why_ungraded(result)))
            elif result.status == "graded" and all(check.status == "passed" for check in result.checks):
                self._survived.append(mutant)
            return
        if grading.kind == "alone":
            whole = self.results["wrong", grading.slug]
            if len(result.checks) < len(whole.checks) and failed == failing(whole):
                self._alone.add(grading.slug)
            return
        self._failed.update(failed)
        if grading.kind == "reference":
            self._seconds = {check.id: check.seconds for check in result.checks}
        if grading.kind == "order":
            self._orders.append((grading.slug, result))
        elif grading.kind == "values":
            self.values["wrong", grading.slug] = result
        else:
            self.results[grading.kind, grading.slug] = result

    def mutant_report(self) -> MutantReport | None:
        """What became of the mutants; None if there are none to be looked at."""
        if self._mutants is None:
            return None
        survived = sorted(self._survived, key=lambda mutant: (mutant.line, mutant.name))
        return report(self._mutants, survived, self._ungraded, self._equivalents)

    def surprises(self) -> list[str]:
        """Everything that is not as it must be, a sentence each."""
        found = [sentence for variant in self.variants for sentence in self._surprises_of(variant)]
        found += self._record_surprises()
        found += self._order_surprises()
        found += self._unproven_checks()
        mutants = self.mutant_report()
        return found + (mutants.surprises() if mutants is not None else [])

    def _surprises_of(self, variant: Variant) -> list[str]:
        result = self.results[variant.kind, variant.slug]
        what = f"{variant.kind} {variant.slug}"
        if result.status != "graded" and not (variant.kind == "stub" and result.status == "invalid"):
            return [f"{what} is {result.status}: {_why_ungraded(result)}"]
        not_passed = [check.id for check in result.checks if check.status != "passed"]
        found = []
        if variant.kind in ("reference", "right") and result.score != result.max_score:
            found.append(f"{what} scores {result.score:g}, not {result.max_score:g}: it fails {', '.join(not_passed)}")
        if variant.kind == "stub" and result.score != 0:
            found.append(f"the stub scores {result.score:g}, not 0")
        if variant.kind == "wrong":
            if not not_passed and not self.left_out(variant):
                found.append(f"{what} passes everything")
            if not variant.explanation:
                found.append(f"{what} has no docstring: students would read nothing")
        return found

    def _record_surprises(self) -> list[str]:
        """Where the record is not what was found; whatever it is, it stays so until it is written again."""
        again = f"if that is as it should be, run: grader validate {self.assignment.id} --write"
        found = []
        for slug, known in self._known.items():
            here = failing(self.results["wrong", slug])
            if passed := sorted(set(known.fails) - set(here)):
                found.append(f"wrong {slug} is recorded to fail {', '.join(passed)} but does not; {again}")
            if new := [name for name in here if name not in known.fails]:
                found.append(f"wrong {slug} fails {', '.join(new)}, which it is recorded to pass; {again}")
        compared = self._record if self._complete and not self._writing else None
        if compared is not None and (outdated := compared.outdated(self._found())):
            found.append(f"{FILE} is out of date for {', '.join(outdated)}; {again}")
        return found

    def _order_surprises(self) -> list[str]:
        reference = self.variants[0]
        usual = self.results["reference", reference.slug]
        found = []
        for slug, result in sorted(self._orders, key=lambda pair: pair[0]):
            if different := _different_checks(usual, result):
                seed = order_seed(slug)
                found.append(
                    f"the order of the checks matters: on the reference, {', '.join(different)} found something else "
                    f"in the order of seed {seed} than in the usual order"
                )
        return found

    def _unproven_checks(self) -> list[str]:
        usual = self.results["reference", self.variants[0].slug]
        wrong = [result for (kind, _), result in self.results.items() if kind == "wrong" and result.status == "graded"]
        failed = {name for result in wrong for name in failing(result)}
        hidden = [check.id for check in usual.checks if check.visibility != "visible"]
        return [f"no wrong variant fails the hidden check {name}" for name in hidden if name not in failed]

    def left_out(self, variant: Variant) -> bool:
        """Whether only the checks were run on a variant that it is recorded to fail."""
        return bool(self._only(variant))

    def write_record(self) -> None:
        """Record what the wrong variants fail and, where mutants were graded, what killed them."""
        killers = self._killers if self._mutants is not None or self._record is None else self._record.mutants
        write_record(self.assignment, self._found(), killers)

    def _found(self) -> dict[str, Failures]:
        wrong = [variant for variant in self.variants if variant.kind == "wrong"]
        return {v.slug: failures(v, failing(self.results["wrong", v.slug]), v.slug in self._alone) for v in wrong}

    def _only(self, variant: Variant) -> tuple[str, ...]:
        """The checks to be run on a variant; none: all of them."""
        known = self._known.get(variant.slug) if variant.kind == "wrong" else None
        return tuple(known.fails) if known is not None and known.alone else ()

    def _alone_plan(self, variant: Variant) -> Callable[[], Plan]:
        def plan() -> Plan:
            whole = self.results.get(("wrong", variant.slug))
            only = () if whole is None else tuple(failing(whole))
            return Plan(order_seed=order_seed(variant.slug), only=only)

        return plan

    def _grading(self, kind: str, slug: str, variant: Variant, plan: Plan) -> Grading:
        return Grading(kind, slug, submission_of(variant, self.assignment), lambda: plan)

    def _mutant_plan(self, mutant: Mutant) -> Callable[[], Plan]:
        """A plan that begins with the checks which most probably fail, for the time they take."""

        def worth(name: str) -> float:
            here = self._failed_in[mutant.function]
            return (10 * here[name] + self._failed[name] + 0.1) / (self._seconds[name] + 0.001)

        known = () if self._record is None else self._record.first_check(mutant)
        return lambda: Plan(until_failure=True, first=(*known, *sorted(self._seconds, key=worth, reverse=True)))


def failing(result: GradeResult) -> list[str]:
    """The checks that a submission fails, without those skipped."""
    return [check.id for check in result.checks if check.status not in ("passed", "skipped")]


def _known(record: Record, variants: list[Variant]) -> dict[str, Failures]:
    """What is recorded of the wrong variants, where their text is still the same."""
    found = {variant.slug: record.of(variant) for variant in variants if variant.kind == "wrong"}
    return {slug: known for slug, known in found.items() if known is not None}


def _why_ungraded(result: GradeResult) -> str:
    broken = [f"{check.id}: {check.feedback}" for check in result.checks if check.fault in ("author", "machine")]
    return result.reason or "; ".join(broken) or "no reason known"


def _different_checks(usual: GradeResult, other: GradeResult) -> list[str]:
    """Checks that came to something else, or that observed what no check did in the usual order.

    Which check an observation belongs to may change: what checks share (`once`) is recorded by the first that asks.
    """
    others = {check.id: check for check in other.checks}
    before, after = (Counter(seen for check in result.checks for seen in _observed(check)) for result in (usual, other))
    changed = (before - after) + (after - before)
    found = []
    for check in usual.checks:
        there = others.get(check.id)
        own = Counter(_observed(check))
        own.subtract(Counter(_observed(there)))
        if _outcome(there) != _outcome(check) or any(own[seen] and seen in changed for seen in own):
            found.append(check.id)
    return found or ([] if usual.status == other.status else ["the import"])


def _observed(check: CheckResult | None) -> list[bytes]:
    return [] if check is None else [msgspec.json.encode(seen) for seen in check.observations]


def _outcome(check: CheckResult | None) -> CheckResult | None:
    return None if check is None else msgspec.structs.replace(check, seconds=0.0, observations=[])
