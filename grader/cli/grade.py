"""`grader grade`: a class, whatever its members handed in.

Runs in the command: finds submissions, leaves out those already graded, feeds the slots, writes each result as it
comes.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import click
import msgspec

from grader.batch.local import Slots, processors
from grader.batch.variants import known_misconceptions
from grader.cli.options import course_option
from grader.content import course_folder, load_assignment, templates_folder
from grader.errors import MachineProblem, UsageProblem
from grader.intake.source import find_submissions
from grader.model.assignment import Assignment
from grader.model.late import people_of
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.model.terms import unknown_people
from grader.pipeline import Course, fingerprint, grade, publish, publish_class, publish_report
from grader.render.talk import say
from grader.render.terminal import Progress, print_class
from grader.sandbox.modes import choose, slots_at_once
from grader.store import Run

MACHINE_STATUS = 3


@click.command(name="grade")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--assignment", "assignment_id", required=True, metavar="ID", help="The assignment to grade.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where results are written.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Slots at once (else one a processor).")
@click.option(
    "--isolation",
    type=click.Choice(["auto", "strict", "plain"]),
    default="auto",
    show_default=True,
    help="auto: the best that works here; strict: A1, A2 or B; plain: no protection at all.",
)
@click.option("--fresh", is_flag=True, help="Grade everything again, whatever is there.")
@course_option
def command(
    source: Path,
    assignment_id: str,
    out: Path,
    jobs: int | None,
    isolation: str,
    fresh: bool,
    course: Path | None,
) -> None:
    """Grade every submission in SOURCE: a file, a folder of folders or files, or a zip of them.

    Writes results/ID.json and reports/ID.html for each, and index.html and grades.csv for the class. A second run
    grades only what is new or changed. Exit status: 0 graded, 2 unusable input, 3 something was not graded for a reason
    that is not the student's.
    """
    folder = course_folder(course)
    assignment = load_assignment(folder, assignment_id)
    if assignment.hidden_dir is None or assignment.reference_file is None:
        raise UsageProblem(
            f"The hidden checks or the reference of {assignment.id} are not in {folder}; name the private course "
            "folder with --course."
        )
    run = Run(out)
    run.refuse_file()
    run.refuse_other_assignment(assignment.id)
    found = find_submissions(source, assignment.main_file, out, run.known_ids())
    mode = choose(isolation, assignment.about.isolation.minimum, assignment.about.sandbox.profile)
    if found.passed_over:
        say(f"Passed over in {source}, since they are no submissions: {', '.join(sorted(found.passed_over)[:10])}")
    say(f"{len(found.submissions)} submissions for {assignment.id}; isolation {mode}{_warning(mode)}")
    batch = _Batch(folder, assignment, mode, run)
    interrupted = False
    try:
        batch.grade(
            batch.unfinished(found.submissions, fresh),
            slots_at_once(mode, jobs or processors(), assignment.about.sandbox.profile),
        )
    except KeyboardInterrupt:
        interrupted = True
    ungraded = batch.sum_up({name for name, _ in found.submissions}, fresh and not interrupted)
    if interrupted:
        say("Interrupted. Everything graded so far is in place; run the same command again to go on.")
        raise click.exceptions.Exit(130)
    if ungraded:
        say(f"Not graded, and not the students' doing: {', '.join(ungraded)}. {out / 'index.html'} has the reasons.")
        raise click.exceptions.Exit(MACHINE_STATUS)


class _Batch:
    """One run of `grade`: what is left to do, and doing it."""

    def __init__(self, course: Path, assignment: Assignment, mode: str, run: Run) -> None:
        self._course = course
        self._assignment = assignment
        self._mode = mode
        self._run = run
        self._templates = templates_folder(course)

    def unfinished(
        self, submissions: list[tuple[str, Callable[[], Submission]]], fresh: bool
    ) -> list[Callable[[], Submission]]:
        """Readers of the submissions that have no result yet, or one of other files, checks or grader."""
        if fresh:
            return [read for _, read in submissions]
        return [read for name, read in submissions if not self._is_done(name, read)]

    def _is_done(self, name: str, read: Callable[[], Submission]) -> bool:
        before = self._run.load(name)
        if before is None or before.status == "ungraded":
            return False
        if before.isolation.mode == "plain" and self._mode != "plain":
            return False
        return before.fingerprint == fingerprint(read(), self._assignment)

    def grade(self, work: list[Callable[[], Submission]], jobs: int) -> None:
        """Grade and write; returns when all of `work` is done."""
        if not work:
            self._run.prepare()
            say("Nothing new to grade.")
            return
        started = time.monotonic()
        count = min(jobs, len(work))
        with Slots(self._course, self._assignment.id, self._mode, count) as slots:
            self._run.prepare()  # not before the checks are known to work: bad input writes nothing
            with Progress("learning the misconceptions", None) as progress:
                known = known_misconceptions(slots, self._assignment, progress.advance)
            course = Course(self._assignment, self._mode, known)
            with Progress("grading", len(work)) as progress:
                graded = slots.grade_all(work, lambda submission, slot: grade(submission, slot, course))
                with contextlib.closing(graded):
                    for result in graded:
                        self._publish(result)
                        progress.advance()
        say(f"Graded {len(work)} in {time.monotonic() - started:.1f} s.")

    def sum_up(self, here: set[str], only_here: bool) -> list[str]:
        """Write and print the class, of all results or those of this source alone; returns the ids of the ungraded."""
        self._run.prepare()
        results = list(self._run.results())
        if only_here:
            results = [result for result in results if result.submission.id in here]
        elif others := [result.submission.id for result in results if result.submission.id not in here]:
            say(f"Also here, from other sources: {', '.join(others[:10])}. --fresh leaves them out of the class.")
        if strangers := _extended_strangers(self._assignment, results):
            say(f"Nobody here has the ids of these extensions in assignment.toml: {', '.join(strangers)}.")
        for result in results:
            if not self._run.has_report(result.submission.id):
                publish_report(result, self._run, self._templates)
        publish_class(results, self._run, self._templates)
        print_class(results, self._run.folder / "index.html")
        return [result.submission.id for result in results if result.status == "ungraded"]

    def _publish(self, result: GradeResult) -> None:
        """Write one result; one that cannot be rendered is written without what broke, for staff to look at."""
        try:
            publish(result, self._run, self._templates)
        except OSError as error:
            raise MachineProblem(
                f"{error.filename or self._run.folder} cannot be written: {error.strerror}. What was finished is in "
                "place; run the same command again to go on."
            ) from None
        except Exception as error:
            reason = f"The result could not be written: {type(error).__name__}: {error}"
            bare = msgspec.structs.replace(result, status="ungraded", reason=reason, score=None, checks=[], notices=[])
            publish(msgspec.structs.replace(bare, stdout="", stderr="", lateness=None), self._run, self._templates)


def _extended_strangers(assignment: Assignment, results: list[GradeResult]) -> list[str]:
    """Ids under `[deadline.extensions]` of people without a submission: perhaps typing errors."""
    if assignment.about.deadline is None:
        return []
    people = {person for result in results for person in people_of(result)}
    return unknown_people(assignment.about.deadline, people)


def _warning(mode: str) -> str:
    return ": student code is NOT confined" if mode == "plain" else ""
