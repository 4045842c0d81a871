"""`grader grade-one`: one submission, inside a platform's autograder, from and to where that platform keeps things.

Runs in the command, in the platform's container, as whoever the platform runs it. What the platform says of a
submission is trusted; the submission is not. The platform stops everything after its time, so all that is done here has
an end before that: what is left when the judge starts is divided among the checks (see `grader.judge.allowance`). What
could not be graded is never delivered as a mark.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import click
import msgspec

from grader.batch.single import Errand, container_memory_mb, grade_single
from grader.cli.learning import learned_here
from grader.cli.options import course_option, lang_option
from grader.cli.platform_options import attempts_options, hidden_checks_option, isolation_option, platform_option
from grader.cli.site import Site
from grader.content import course_folder, load_private_assignment, templates_folders
from grader.errors import GraderError, UsageProblem
from grader.exporters.attempts import Limit, refusal
from grader.exporters.base import Delivery, Graded, HiddenChecks, Told, require_repeating
from grader.judge.diagnosis import Misconceptions
from grader.model.assignment import Assignment
from grader.model.jsonform import result_to_json
from grader.model.result import GradeResult
from grader.model.view import student_view
from grader.render.html import check_language, student_html
from grader.render.talk import say
from grader.store import write_atomically

_RESERVE = 0.1
"""The part of the platform's time that is kept for starting late and for writing the result."""
_LEAST_RESERVE_SECONDS = 3.0


@click.command(name="grade-one")
@click.argument("submission", required=False, type=click.Path(path_type=Path))
@click.option("--assignment", "assignment_id", required=True, metavar="ID", help="The assignment to grade.")
@platform_option
@click.option(
    "--root", type=click.Path(path_type=Path), default="/", metavar="DIR", help="Where the platform's paths begin (/)."
)
@click.option("--seconds", type=click.FloatRange(10), metavar="S", help="After which the platform stops everything.")
@click.option("--memory-mb", type=click.IntRange(128), metavar="MB", help="Of the container (else its cgroup's limit).")
@hidden_checks_option
@attempts_options
@click.option(
    "--known",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The misconceptions of a package (else learned, if there is no --seconds).",
)
@isolation_option
@click.option("--result", type=click.Path(path_type=Path), metavar="FILE", help="Write the whole result, for staff.")
@lang_option
@course_option
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    submission: Path | None,
    assignment_id: str,
    platform: str,
    root: Path,
    seconds: float | None,
    memory_mb: int | None,
    hidden_checks: HiddenChecks,
    attempts: int | None,
    hours: float,
    known: Path | None,
    isolation: str,
    result: Path | None,
    lang: str | None,
    course: Path | None,
) -> None:
    """Grade one submission inside a platform's autograder, and hand the result to the platform.

    SUBMISSION is a folder or file (else where the platform puts it). What the platform says beside it, as who handed in
    when, is read where the platform has it. Exit status: what the platform takes for "there is a result", 0 for most;
    if nothing could be graded, what it takes for "the autograder failed".
    """
    ends = None if seconds is None else time.monotonic() + seconds - max(_LEAST_RESERVE_SECONDS, _RESERVE * seconds)
    site = Site(platform, root)
    told = Told()
    try:
        told = site.told()
        for notice in told.notices:
            say(notice)
        folder = course_folder(course)
        assignment = load_private_assignment(folder, assignment_id).in_language(lang)
        if (too_many := _refused(site, told, attempts, hours, _hides(assignment, hidden_checks))) is not None:
            site.write(too_many)
            return
        templates = templates_folders(folder)
        check_language(assignment.about.lang, templates)
        work = site.submission(submission, told, assignment.main_file, tuple(assignment.about.names))
        memory = container_memory_mb() if memory_mb is None else memory_mb
        learned = _misconceptions(known, ends, folder, assignment, isolation)
        graded = grade_single(work, Errand(folder, assignment, isolation, learned, ends, memory, seconds))
        _keep(result, graded)
        view = student_view(graded, assignment.about.hidden_topics)
        if graded.score is None:
            say(graded.reason or "Not graded.")
        delivery = _delivery(site, Graded(view, told, student_html(view, templates), hidden_checks))
    except Exception as error:  # a bug of ours, too: the platform is told whatever went wrong
        say(_why(error))
        delivery = site.platform.decline(_FOR_STUDENTS, told)
    site.write(delivery)
    raise click.exceptions.Exit(delivery.exit_status)


_FOR_STUDENTS = "The autograder could not start. Your work is not at fault; tell the course staff."


def _delivery(site: Site, graded: Graded) -> Delivery:
    """What to hand over; without a score that says so, whatever the platform has for it."""
    view = graded.view
    if view.score is None:
        return site.platform.decline(view.reason or _FOR_STUDENTS, graded.told)
    return site.platform.deliver(graded)


def _why(error: Exception) -> str:
    """What staff read of it; with GRADER_DEBUG a bug shows itself instead."""
    if isinstance(error, GraderError):
        return f"grader: {error}"
    if os.environ.get("GRADER_DEBUG"):
        raise error
    return f"grader: stopped by {type(error).__name__}: {error}; GRADER_DEBUG=1 shows more."


def _hides(assignment: Assignment, hidden_checks: HiddenChecks) -> bool:
    """Whether a platform that can hide tests hides some of this assignment's."""
    return hidden_checks == "platform" and assignment.hidden_dir is not None


def _refused(site: Site, told: Told, attempts: int | None, hours: float, hides: bool) -> Delivery | None:
    """What to hand over if this submission is one too many.

    Raises:
        UsageProblem: the platform does not tell of earlier ones.
    """
    if attempts is None:
        return None
    platform = require_repeating(site.platform)
    found = refusal(told, Limit(attempts, hours))
    return None if found is None else platform.repeat(found.sentence, found.score, hides=hides)


def _misconceptions(
    known: Path | None, ends: float | None, course: Path, assignment: Assignment, isolation: str
) -> Misconceptions:
    """Those of a package, else those learned here, unless a platform's time, which has no room for it, runs."""
    if known is None and ends is None:
        return learned_here(course, assignment, isolation)
    return known_from(known)


def known_from(path: Path | None) -> Misconceptions:
    """The misconceptions that a package knows; without them there is no diagnosis.

    Raises:
        UsageProblem: the file cannot be read.
    """
    if path is None:
        return Misconceptions("", [])
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=Misconceptions)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageProblem(f"{path} cannot be read: {error}.") from None


def _keep(path: Path | None, graded: GradeResult) -> None:
    if path is None:
        return
    try:
        write_atomically(path, result_to_json(graded))
    except OSError as error:
        raise UsageProblem(f"{path} cannot be written to: {error.strerror}.") from None
