"""`grader grade`: a class, whatever its members handed in.

Runs in the command: finds submissions, leaves out those already graded, feeds the slots, writes each result as it
comes. With a roster it tells who is missing; the roster stays with the run, for the next one.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import msgspec

from grader.batch.engines import DASK, LOCAL, Site, Wish, site_for
from grader.batch.feeding import Read
from grader.batch.variants import known_misconceptions, still_to_learn
from grader.cli.class_talk import found_sentences
from grader.cli.finished import Finished
from grader.cli.options import anonymous_option, course_option, lang_option
from grader.cli.regrade import Part, part_of, part_options
from grader.cli.source_options import layout_option
from grader.content import course_folder, load_private_assignment, templates_folders
from grader.errors import unwritable
from grader.intake.roster import read_roster
from grader.intake.source import Rules, find_submissions
from grader.model.assignment import Assignment
from grader.model.late import is_late
from grader.model.result import GradeResult, in_language
from grader.model.roster import Roster
from grader.model.submission import Submission
from grader.pipeline import (
    Course,
    JudgeProcess,
    fingerprint,
    grade,
    publish,
    publish_unread,
)
from grader.render.html import check_language
from grader.render.talk import say
from grader.render.terminal import Progress
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
@click.option(
    "--engine",
    type=click.Choice([LOCAL, DASK]),
    default=LOCAL,
    show_default=True,
    help="local: slots of this machine; dask: those of a Dask cluster's workers.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Where the cluster's scheduler is, as tcp://HOST:8786.")
@click.option("--fresh", is_flag=True, help="Grade everything again, whatever is there.")
@part_options
@click.option(
    "--roster",
    "roster_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The people of the course, a CSV of any LMS: tells who is who, who is missing, who may be late.",
)
@layout_option
@anonymous_option
@lang_option
@course_option
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    source: Path,
    assignment_id: str,
    out: Path,
    jobs: int | None,
    isolation: str,
    engine: str,
    scheduler: str | None,
    fresh: bool,
    only: tuple[str, ...],
    failed: bool,
    accept_lower: bool,
    roster_file: Path | None,
    layout: str,
    anonymous: bool,
    lang: str | None,
    course: Path | None,
) -> None:
    """Grade every submission in SOURCE: what the LMS let you download, an archive or a folder, or a single file.

    Canvas, Moodle, Gradescope, Blackboard, Brightspace, nbgrader, GitHub and Google Classroom are recognised; else each
    folder or file is a student's. Writes results/ID.json and reports/ID.html for each, and index.html and grades.csv
    for the class. A second run grades only what is new or changed; with --only or --failed it grades that part again,
    tells before and after, and keeps the result of who would lose points. With --anonymous people are called Student
    001 and so on, and anonymous/student-001.html is their report. Exit status: 0 graded, 2 unusable input, 3 something
    was not graded for a reason that is not the student's.
    """
    folder = course_folder(course)
    assignment = load_private_assignment(folder, assignment_id).in_language(lang)
    check_language(assignment.about.lang, templates_folders(folder))
    run = Run(out)
    run.refuse_file()
    run.refuse_other_assignment(assignment.id)
    roster = read_roster(roster_file) if roster_file else None if fresh else run.load_roster()
    found = find_submissions(source, assignment.main_file, out, run.known_ids(), rules_of(assignment, layout, roster))
    part = part_of(run, [name for name, _ in found.submissions], only, failed, fresh, accept_lower)
    site = site_for(Wish(engine, scheduler, jobs, isolation), folder, assignment, say)
    for sentence in found_sentences(found, layout, anonymous):
        say(sentence)
    count = len(found.submissions)
    say(f"{count} submission{'' if count == 1 else 's'} for {assignment.id}; isolation {site.confinement}")
    batch = _Batch(folder, assignment, site, run, fresh, part, anonymous)
    interrupted = False
    try:
        batch.grade([read for name, read in found.submissions if name in part])
    except KeyboardInterrupt:
        interrupted = True
    finished = Finished(run, assignment, templates_folders(folder), part, anonymous)
    here = {name for name, _ in found.submissions}
    _end(interrupted, finished.sum_up(here, fresh and not interrupted, roster), out)


def _end(interrupted: bool, ungraded: list[str], out: Path) -> None:
    """Leave with the status of a run that was stopped, or that could not grade everybody."""
    if interrupted:
        say("Interrupted. Everything graded so far is in place; run the same command again to go on.")
        raise click.exceptions.Exit(130)
    if ungraded:
        say(f"Not graded, and not the students' doing: {', '.join(ungraded)}. {out / 'index.html'} has the reasons.")
        raise click.exceptions.Exit(MACHINE_STATUS)


def rules_of(assignment: Assignment, layout: str, roster: Roster | None) -> Rules:
    """How the assignment wants its class read."""
    about = assignment.about
    rules = Rules(tuple(about.names), assignment.id, layout, about.attempts.count, roster=roster)
    if (deadline := about.deadline) is None:
        return rules
    return replace(
        rules,
        zone=ZoneInfo(deadline.zone),
        is_late=lambda submitted_at, extension, people: is_late(submitted_at, extension, people, deadline),
    )


class _Batch:
    """One run of `grade`: what is left to do, and doing it."""

    def __init__(
        self,
        course: Path,
        assignment: Assignment,
        site: Site,
        run: Run,
        fresh: bool,
        part: Part,
        anonymous: bool,
    ) -> None:
        self._assignment = assignment
        self._site = site
        self._run = run
        self._fresh = fresh or part.ids is not None
        self._part = part
        self._anonymous = anonymous
        self._templates = templates_folders(course)

    def _is_done(self, submission: Submission) -> bool:
        """Whether there is a result of these very files, checks and grader."""
        before = None if self._fresh else self._run.load(submission.id)
        if before is None or before.status == "ungraded":
            return False
        if before.isolation.mode == "plain" and self._site.mode != "plain":
            return False
        return before.fingerprint == fingerprint(submission, self._assignment)

    def _first_unfinished(self, work: list[Read]) -> list[Read]:
        """The work from the first submission on that is not done; the first few of these, one a slot, are read.

        Each submission is read once: what is done is seen here or, further back, by the slots, and what has been read
        here is not read again.
        """
        found: list[Read] = []
        for number, read in enumerate(work):
            submission = read()
            if not self._is_done(submission):
                found.append(partial(_same, submission))
            if len(found) == self._site.at_once:
                return [*found, *work[number + 1 :]]
        return found

    def grade(self, work: list[Read]) -> None:
        """Grade and write what has no result yet, or one of other files, checks or grader; returns when it is done."""
        if not (left := self._first_unfinished(work)):
            self._run.prepare()
            say("Nothing new to grade.")
            return
        started = time.monotonic()
        count = 0
        with self._site.open(len(left) + still_to_learn(self._assignment)) as engine:
            self._run.prepare()  # not before the checks are known to work: bad input writes nothing
            with Progress("learning the misconceptions", None) as progress:
                known = known_misconceptions(engine, self._assignment, progress.advance)
            course = Course(self._assignment, self._site.mode, known)
            with Progress("grading", len(left)) as progress:
                graded = engine.grade_all(left, lambda submission, judge: self._graded(submission, judge, course))
                with contextlib.closing(graded):
                    for result in graded:
                        if result is not None:
                            self._publish(result)
                            count += 1
                        progress.advance()
        say(f"Graded {count} in {time.monotonic() - started:.1f} s.")

    def _graded(self, submission: Submission, judge: JudgeProcess, course: Course) -> GradeResult | None:
        """The result, or None if it is there already. In one of the engine's threads."""
        return None if self._is_done(submission) else grade(submission, judge, course)

    def _publish(self, result: GradeResult) -> None:
        """Write one result that is taken; what cannot be rendered is left out of it, for staff to look at."""
        if not self._part.takes(result):
            return
        try:
            self._write(result)
        except OSError as error:
            raise unwritable(error, self._run.folder) from None
        except Exception as error:
            reason = f"The result could not be written: {type(error).__name__}: {error}"
            bare = msgspec.structs.replace(result, status="ungraded", reason=reason, score=None, checks=[], notices=[])
            self._write(msgspec.structs.replace(bare, stdout="", stderr="", lateness=None))

    def _write(self, result: GradeResult) -> None:
        written = in_language(result, self._assignment.about.lang)
        if self._anonymous:
            publish_unread(written, self._run, self._templates)
        else:
            publish(written, self._run, self._templates)


def _same(submission: Submission) -> Submission:
    return submission
