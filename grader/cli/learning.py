"""What wrong variants give, learned by commands that will grade without the variants at hand, or need it at once."""

from __future__ import annotations

from pathlib import Path

from grader.batch.engines import LOCAL, Wish, site_for
from grader.batch.variants import known_misconceptions, remembered_misconceptions, still_to_learn
from grader.judge.diagnosis import Misconceptions
from grader.model.assignment import Assignment
from grader.render.talk import say
from grader.render.terminal import Progress


def learned_here(course: Path, assignment: Assignment, isolation: str) -> Misconceptions:
    """The misconceptions of an assignment, from this machine's cache or by grading its wrong variants.

    Raises:
        MachineProblem: they have to be graded, and cannot be confined here.
    """
    if (remembered := remembered_misconceptions(assignment)) is not None:
        return remembered
    site = site_for(Wish(LOCAL, None, None, isolation), course, assignment, say)
    with site.open(max(1, still_to_learn(assignment))) as engine, Progress("learning the misconceptions", None) as done:
        return known_misconceptions(engine, assignment, done.advance)
