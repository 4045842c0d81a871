"""`grader rescore`: marks computed again from what was observed, after points, amounts allowed or a deadline changed.

Runs in the command. Student code is not run: the reference is graded once, for what today's checks are and allow;
`grader.judge.rescoring` decides. Results are copied before the first of them is written, and nobody's mark falls
unless the user says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import click

from grader.batch.local import Slots
from grader.cli.class_talk import not_taken_sentence, several
from grader.cli.options import course_option
from grader.content import course_folder, load_private_assignment, reference_submission, templates_folders
from grader.errors import UsageProblem, unwritable
from grader.judge.rescoring import Left, Today, rescore
from grader.model.anonymous import Veil
from grader.model.assignment import Assignment
from grader.model.changes import Change, change_of
from grader.model.result import GradeResult
from grader.pipeline import judged, publish, publish_class, publish_reports, publish_unread, veil_over
from grader.render.changes import print_changes
from grader.render.talk import say
from grader.sandbox.modes import choose
from grader.store import Run

LEFT_STATUS = 3


@click.command(name="rescore")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--accept-lower", is_flag=True, help="Let marks fall, too; without it who would lose points keeps them.")
@click.option("--dry-run", is_flag=True, help="Tell what would change, and write nothing.")
@course_option
def command(folder: Path, accept_lower: bool, dry_run: bool, course: Path | None) -> None:
    """Compute the marks of the run in DIR again from what was observed, without running student code.

    For points, groups, titles, hints, visibility, prerequisites, the amounts that comparisons allow, and the deadline.
    Tells for each student what changes and why. What cannot be known without a run stays as it is and is listed. The
    results of before are kept in DIR/results.before-TIME. Names that were hidden stay hidden. Exit status: 0 all are
    computed, 3 some had to be left.
    """
    if not (folder / "results").is_dir():
        raise UsageProblem(f"{folder} holds no run: there is no folder `results` in it.")
    run, place = Run(folder), course_folder(course)
    assignment = load_private_assignment(place, _assignment_of(run))
    today = _today(place, assignment)
    if not dry_run:
        run.prepare()
    veil = veil_over(run, assignment.about.files) if run.is_anonymous() else None
    work = _Rescoring(run, today, templates_folders(place), accept_lower, dry_run, veil=veil)
    try:
        work.go()
    except OSError as error:
        raise unwritable(error, folder) from None
    work.tell(assignment.id)
    if work.left:
        raise click.exceptions.Exit(LEFT_STATUS)


def _assignment_of(run: Run) -> str:
    """The assignment that the results are of."""
    found = {result.assignment.id for result in run.summaries()}
    if len(found) != 1:
        what = f"results of several assignments: {', '.join(sorted(found))}" if found else "no result that can be read"
        raise UsageProblem(f"{run.folder} holds {what}.")
    return found.pop()


def _today(course: Path, assignment: Assignment) -> Today:
    """What the checks are and allow now, by a run of the reference, which has to pass them."""
    mode = choose("auto", "plain", assignment.about.sandbox.profile)
    with Slots(course, assignment.id, mode, 1) as slots:
        work = [lambda: reference_submission(assignment)]
        (found,) = slots.grade_all(work, lambda submission, slot: judged(submission, slot, assignment, mode))
    failed = [check.id for check in found.checks if check.status != "passed"]
    if found.status != "graded" or failed:
        what = f"does not pass {', '.join(failed)}" if failed else f"cannot be graded: {found.reason}"
        raise UsageProblem(f"The reference of {assignment.id} {what}; nothing was rescored. See `grader validate`.")
    return Today(found.assignment, assignment.about.deadline, found.checks)


@dataclass
class _Rescoring:
    """One run of `rescore`: what it found, and writing it."""

    run: Run
    today: Today
    templates: tuple[Path, ...]
    accept_lower: bool
    dry_run: bool
    changes: list[Change] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)
    relabelled: int = 0
    same: int = 0
    before: Path | None = None
    veil: Veil | None = None

    def go(self) -> None:
        """Compute every result, one at a time, and write what is different; the class too, even when stopped."""
        try:
            for old, new in self._computed():
                self._take(old, new)
        finally:
            if self.before is not None:
                if self.veil is not None:
                    publish_reports(self.run, self.templates, self.veil)
                publish_class(self.run.summaries(), self.run, self.templates, self.veil)

    def _take(self, old: GradeResult, new: GradeResult) -> None:
        """Note what became of one result, and write it if it is to be taken."""
        if new is old:
            self.same += 1
            return
        change = change_of(old, new)
        if change.reasons:
            self.changes.append(change)
        if change.falls and not self.accept_lower:
            self.kept.append(change.id)
            return
        self.relabelled += not change.reasons
        if not self.dry_run:
            # Before the first is written, and not before there is one.
            self.before = self.before or self.run.keep_results(datetime.now().astimezone())
            if self.veil is None:
                publish(new, self.run, self.templates)
            else:
                publish_unread(new, self.run, self.templates)

    def _computed(self) -> Iterator[tuple[GradeResult, GradeResult]]:
        """Each result that can be computed again, before and after."""
        for name in self.run.ids():
            old = self.run.load_whole(name)
            try:
                if old is None:
                    raise Left("its result cannot be read")
                new = rescore(old, self.today)
            except Left as reason:
                self.left.setdefault(str(reason), []).append(name)
            else:
                yield old, new

    def tell(self, assignment: str) -> None:
        """Print what changed, and what did not and why."""
        called = self.veil.name if self.veil is not None else str
        if self.changes:
            changes = self.changes if self.veil is None else [*map(self.veil.change, self.changes)]
            print_changes(changes, frozenset(map(called, self.kept)))
        for reason, names in self.left.items():
            say(f"Left as before, since {reason}: {several([*map(called, names)])}.")
        if self.left:
            some = next(iter(self.left.values()))[0] if self.veil is None else "ID"
            say(
                f"To grade these again: grader grade SOURCE --assignment {assignment} --out {self.run.folder} "
                f"--only {some} (--only ID for each)."
            )
        if self.kept:
            say(not_taken_sentence([*map(called, self.kept)]))
        changed = len(self.changes) - len(self.kept)
        if not (changed or self.relabelled):
            say("Nothing changes; nothing was written.")
            return
        parts = [
            f"{changed} with other points or verdicts",
            f"{self.relabelled} with other words alone",
            f"{self.same} the same",
        ]
        would = "Would be rescored" if self.dry_run else "Rescored"
        say(f"{would}: {', '.join(parts)}.")
        if self.before is not None:
            say(f"The results of before are in {self.before}.")
