"""Does the reference always get full marks, whatever the draws? N gradings, each with a seed and an order of its own.

`python bench/stability.py [--runs N] [--first SEED] [ASSIGNMENT...]`. The seed of a run stands in for the assignment's:
the inputs that the checks draw and the global generators of the student process follow from it. So every grading is
one that students could have met, with other inputs and the checks in another order. Prints how many of the results were
100.00 with each check passed, and of the others the seed and the checks; exit status 1 if there are others.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from grader.batch.crew import Batch, Crew, Grading
from grader.batch.local import processors
from grader.batch.variants import read_variants, submission_of
from grader.content import assignment_ids, course_folder, load_assignment
from grader.judge.plan import Plan
from grader.model.result import GradeResult
from grader.sandbox.modes import choose, slots_at_once

COURSE = course_folder()


def gradings(name: str, seeds: range) -> Batch:
    """The reference of an assignment, once for each seed."""
    assignment = load_assignment(COURSE, name)
    (reference,) = read_variants(assignment, ("reference",))
    submission = submission_of(reference, assignment)
    mode = choose("auto", assignment.about.isolation.minimum, assignment.about.sandbox.profile)

    def grading(seed: int) -> Grading:
        return Grading("seed", str(seed), submission, lambda: Plan(order_seed=seed, seed=seed))

    return Batch(assignment, mode, [grading(seed) for seed in seeds])


def flaw(result: GradeResult) -> str:
    """What keeps a result from being full marks; empty if nothing does."""
    failing = [
        f"{check.id} ({check.feedback.partition(chr(10))[0]})" for check in result.checks if check.status != "passed"
    ]
    if not failing and f"{result.score:.2f}" == "100.00":
        return ""
    return ", ".join(failing) or f"{result.status}: {result.reason}"


def main() -> int:
    """Grade and print; the exit status."""
    parser = argparse.ArgumentParser(description="Grade the references with many seeds.")
    parser.add_argument("--runs", type=int, default=300, metavar="N")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT")
    given = parser.parse_args()
    batches = [
        gradings(name, range(given.first, given.first + given.runs))
        for name in given.assignments or assignment_ids(COURSE)
    ]
    jobs = min(slots_at_once(batch.mode, processors(), batch.assignment.about.sandbox.profile) for batch in batches)
    full: Counter[str] = Counter()
    flaws: list[str] = []
    started = time.monotonic()
    with Crew(COURSE, jobs) as crew:
        for one in crew.grade_all(batches):
            if found := flaw(one.result):
                flaws.append(f"{one.assignment}, seed {one.grading.slug}: {found}")
            else:
                full[one.assignment] += 1
    for batch in batches:
        name = batch.assignment.id
        print(f"{name:12} {full[name]} of {given.runs} results are 100.00 with every check passed")
    for text in sorted(flaws):
        print(text)
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    return 1 if flaws else 0


if __name__ == "__main__":
    sys.exit(main())
