"""`grader pull`: grades what an Open edX queue holds, one submission after the other, and puts the results back.

Runs in the command, on a machine of the course's own. Submissions are data; each is graded as `grader grade` does, by a
judge that stays ready. What could not be graded never becomes a mark: a server that counts failed tries is told that
this one failed, without a score, and any other is not answered, so that it offers the submission again.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from grader.batch.single import Errand, container_memory_mb, grading
from grader.cli.grade_one import known_from
from grader.cli.learning import learned_here
from grader.cli.options import course_option, lang_option
from grader.cli.platform_options import isolation_option
from grader.cli.site import told_submission
from grader.content import course_folder, load_private_assignment, templates_folders
from grader.errors import GraderError, UsageProblem
from grader.exporters.base import Graded
from grader.exporters.openedx import REPLY, OpenEdX, assignment_asked
from grader.exporters.words_xml import sentence
from grader.model.assignment import Assignment
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.model.view import student_view
from grader.render.html import check_language
from grader.render.talk import say
from grader.service.xqueue import Login, Queue, QueueTrouble, Taken

_USER, _PASSWORD = "GRADER_XQUEUE_USER", "GRADER_XQUEUE_PASSWORD"
_MOST_SECONDS_BETWEEN = 60.0
_TRIES = 3
_NOT_GRADED_STATUS = 3


@click.command(name="pull")
@click.argument("server", metavar="SERVER")
@click.argument("queue", metavar="QUEUE")
@click.option("--assignment", "assignment_id", required=True, metavar="ID", help="The assignment to grade.")
@click.option(
    "--login",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"User and password, a line each, in a file that is yours alone (else {_USER} and {_PASSWORD}).",
)
@click.option("--once", is_flag=True, help="End when the queue is empty.")
@click.option(
    "--every", type=click.FloatRange(0.1), default=5, show_default=True, metavar="S", help="How often to ask, in s."
)
@click.option(
    "--seconds",
    type=click.FloatRange(10),
    default=OpenEdX.seconds,
    show_default=True,
    metavar="S",
    help="For one submission; the queue offers it to others after 300.",
)
@click.option(
    "--memory-mb", type=click.IntRange(128), metavar="MB", help="For one submission (else its cgroup's limit)."
)
@click.option(
    "--known", type=click.Path(path_type=Path), metavar="FILE", help="The misconceptions of a package (else learned)."
)
@isolation_option
@lang_option
@course_option
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    server: str,
    queue: str,
    assignment_id: str,
    login: Path | None,
    once: bool,
    every: float,
    seconds: float,
    memory_mb: int | None,
    known: Path | None,
    isolation: str,
    lang: str | None,
    course: Path | None,
) -> None:
    """Grade what QUEUE of the Open edX site SERVER holds, and put the results back.

    The problem's grader_payload names the assignment: {"grader": "ID"}. Exit status with --once: 3 if something could
    not be graded. Without --once it goes on until it is ended.
    """
    folder = course_folder(course)
    assignment = load_private_assignment(folder, assignment_id).in_language(lang)
    templates = templates_folders(folder)
    check_language(assignment.about.lang, templates)
    source = Queue(server, queue, login_from(login, os.environ))
    memory = container_memory_mb() if memory_mb is None else memory_mb
    misconceptions = learned_here(folder, assignment, isolation) if known is None else known_from(known)
    errand = Errand(folder, assignment, isolation, misconceptions, memory_mb=memory)
    if server.startswith("http://"):
        say("The address is http: the password and the submissions travel unencrypted.")
    with grading(errand) as judged:
        desk = Desk(source, assignment, lambda work: judged(work, time.monotonic() + seconds))
        failures = _watch(source, desk, once, every)
    if failures:
        raise click.exceptions.Exit(_NOT_GRADED_STATUS)


def _watch(source: Queue, desk: Desk, once: bool, every: float) -> int:
    """Serve until it is ended, or with `once` until the queue is empty; how many could not be graded."""
    failures, pause, open_session = 0, every, False
    waits = every
    while True:
        try:
            if not open_session:
                source.log_in()
                open_session = True
            taken = source.take()
        except QueueTrouble as trouble:
            if once:
                raise UsageProblem(str(trouble)) from None
            say(f"{trouble} Trying again in {pause:.0f} s.")
            time.sleep(pause)
            pause = min(2 * pause, _MOST_SECONDS_BETWEEN)
            continue
        pause = every
        if taken is None:
            if once:
                return failures
            time.sleep(every)
        elif desk.serve(taken):
            waits = every
        else:
            failures += 1
            time.sleep(
                waits
            )  # a server gives up after some tries, and what the machine lacks it may have again by then
            waits = min(2 * waits, _MOST_SECONDS_BETWEEN)


class Desk:
    """Answers submissions of one assignment, one at a time."""

    def __init__(self, source: Queue, assignment: Assignment, judge: Callable[[Submission], GradeResult]) -> None:
        self._source = source
        self._assignment = assignment
        self._judge = judge
        self._platform = OpenEdX()

    def serve(self, taken: Taken) -> bool:
        """Grade and answer one; whether it has a mark. Never raises for anything that is in it."""
        try:
            reply, told = self._reply(taken)
        except (GraderError, QueueTrouble) as problem:
            say(f"Not graded: {problem}")
            reply, told = None, ""
        except Exception as error:  # a bug of ours must not stop the queue
            say(f"Not graded: stopped by {type(error).__name__}: {error}.")
            reply, told = None, ""
        if reply is not None:
            return self._put(taken, reply, told)
        if self._source.keeps_count:
            said = sentence("Your work could not be graded yet, which is not your doing. It is tried again.")
            self._put(taken, json.dumps({"correct": None, "score": None, "msg": said}), "failed, without a score")
        return False

    def _reply(self, taken: Taken) -> tuple[str | None, str]:
        """What to answer, None for no mark; and what to say about it."""
        about = self._assignment.about
        asked = assignment_asked(taken.content)
        if asked != self._assignment.id:
            raise UsageProblem(
                f"A problem asks for the grader {asked!r}, and this one grades {self._assignment.id}: change its "
                "grader_payload, or give it a queue of its own."
            )
        whole = self._source.with_files(taken)
        told = self._platform.told(json.dumps(whole.content).encode("ascii"), {})
        for notice in told.notices:
            say(notice)
        work = told_submission(told, self._assignment.main_file, tuple(about.names))
        result = self._judge(work)
        if result.score is None:
            raise UsageProblem(result.reason or "the grader has no result.")
        graded = Graded(student_view(result, about.hidden_topics), told, "", "report")
        reply = self._platform.deliver(graded).files[REPLY].content.decode("ascii")
        return reply, f"{float(graded.score):g} of {result.max_score:g}"

    def _put(self, taken: Taken, reply: str, told: str) -> bool:
        for attempt in range(_TRIES):
            try:
                self._source.put(taken, reply)
            except QueueTrouble as trouble:
                say(f"{trouble} Attempt {attempt + 1} of {_TRIES}.")
                time.sleep(attempt)
            else:
                say(f"Answered: {told}.")
                return True
        return False


def login_from(path: Path | None, environment: Mapping[str, str]) -> Login:
    """Who asks.

    Raises:
        UsageProblem: nobody is named, or others may read the file.
    """
    if path is None:
        if _USER in environment and _PASSWORD in environment:
            return Login(environment[_USER], environment[_PASSWORD])
        raise UsageProblem(f"Name the queue's user: --login FILE, or {_USER} and {_PASSWORD} in the environment.")
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise UsageProblem(f"{path} holds a password, and others may read it: chmod 600 {path}.")
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}.") from None
    with contextlib.suppress(ValueError):
        user, password = lines[:2]
        return Login(user.strip(), password)
    raise UsageProblem(f"{path} must hold the user in its first line and the password in its second.")
