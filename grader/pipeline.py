"""The story of one submission, start to end.

Runs in the command. `grade` takes a submission to a result: judged in another process, tried again if that process
died, diagnosed, less what being late costs, stamped. `publish` takes a result to what people read. Everything else is
somebody's detail.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Protocol

import msgspec

import grader
from grader.exporters.grades_csv import grades_csv
from grader.judge.diagnosis import Misconceptions, diagnose
from grader.model import result as records
from grader.model.anonymous import FOLDER, Veil, veil_for
from grader.model.assignment import Assignment
from grader.model.cohort import cohort_view
from grader.model.late import with_lateness
from grader.model.result import GradeResult, in_language
from grader.model.roster import standing
from grader.model.submission import Submission
from grader.model.view import student_view
from grader.render.html import cohort_html, student_html
from grader.store import Run

ATTEMPTS = 3
_PAUSE_SECONDS = 0.5


class Unjudged(Exception):
    """The process that judged died before it had a result; the text says what is known.

    `final`: it was given all the time that there is, and would need as much again.
    """

    def __init__(self, text: str, final: bool = False) -> None:
        super().__init__(text)
        self.final = final


class JudgeProcess(Protocol):
    """Something that judges a submission elsewhere."""

    def judge(self, submission: Submission) -> GradeResult:
        """The result. Raises Unjudged if the judging process died."""


@dataclass(frozen=True)
class Course:
    """What a run grades against: the assignment, how it is confined, and the misconceptions that are known."""

    assignment: Assignment
    mode: str
    known: Misconceptions


def grade(submission: Submission, judge: JudgeProcess, course: Course) -> GradeResult:
    """One submission, graded. Never raises for anything that the submission does."""
    try:
        result = diagnose(judged(submission, judge, course.assignment, course.mode), course.known)
        result = with_lateness(result, course.assignment.about.deadline)
    except Exception as error:  # a bug of ours must cost neither the student nor the rest of the class
        result = ungraded(submission, course.assignment, course.mode, f"{type(error).__name__}: {error}")
    return _stamped(result, fingerprint(submission, course.assignment))


def judged(submission: Submission, judge: JudgeProcess, assignment: Assignment, mode: str) -> GradeResult:
    """The judge's result, tried again where that may help; ungraded if there is none.

    A student process that was killed by nobody known is tried once more: it may have been the machine, short of memory
    or of patience. Code that kills its own process does so again. Such a second try may have less time than the first,
    or none: it can only better the first result, never take it away.
    """
    result = None
    killed: GradeResult | None = None
    for attempt in range(ATTEMPTS):
        time.sleep(_PAUSE_SECONDS * attempt)  # what the machine lacks it may have again in a moment
        try:
            result = judge.judge(submission)
        except Unjudged as problem:
            result = ungraded(submission, assignment, mode, str(problem))
            if problem.final:
                break
            continue
        if killed is None and _is_killed(result):
            killed = result
        elif not _worth_another_try(result):
            break
    assert result is not None
    return result if killed is None else _better(killed, result)


def _better(first: GradeResult, second: GradeResult) -> GradeResult:
    """The one with more points, and the second of equals; one without a score is worth nothing."""
    if first.score is None or (second.score is not None and second.score >= first.score):
        return second
    return first


def _worth_another_try(result: GradeResult) -> bool:
    """A machine fault may be gone the next time; the author's stays."""
    faults = {check.fault for check in result.checks}
    return result.status == "ungraded" and "author" not in faults


def _is_killed(result: GradeResult) -> bool:
    """Whether a student process got SIGKILL, and from none of its limits: those have a status of their own."""
    return any(check.status == "crashed" and check.error and check.error.type == "SIGKILL" for check in result.checks)


def publish(result: GradeResult, run: Run, templates: tuple[Path, ...]) -> None:
    """Write a result and its student's report; the report first, so that a result never stands without it."""
    publish_report(result, run, templates)
    run.save(result)


def publish_report(result: GradeResult, run: Run, templates: tuple[Path, ...]) -> None:
    """Write the student's report of a result."""
    run.save_report(result.submission.id, student_html(student_view(result), templates))


def publish_unread(result: GradeResult, run: Run, templates: tuple[Path, ...]) -> None:
    """Write a result of an anonymous run: what it is called there is known when all are, so its report comes later.

    Raises what rendering that report would raise.
    """
    student_html(student_view(result), templates)
    run.drop_report(result.submission.id)
    run.save(result)


def publish_reports(run: Run, templates: tuple[Path, ...], veil: Veil | None, lang: str | None = None) -> int:
    """Write all reports again, in another language if one is given; returns how many there are.

    With a veil they are without names, and written under their pseudonyms as well.
    """
    pages: set[str] = set()
    count = 0
    for found in run.results():
        count, result = count + 1, in_language(found, lang)
        if veil is None:
            publish_report(result, run, templates)
            continue
        html = student_html(student_view(veil.result(result)), templates)
        page = veil.page(result.submission.id)
        run.save_report(result.submission.id, html)
        run.save_anonymous(page, html)
        pages.add(page)
    run.drop_anonymous(pages)
    return count


def publish_class(
    results: Iterable[GradeResult], run: Run, templates: tuple[Path, ...], veil: Veil | None = None, lang: str = ""
) -> None:
    """Write the class page and the table of grades, with who of the run's roster is missing.

    The page is in the language `lang`, else in that of the results.

    With a veil there is no name on the page; the table is for machines, and has them.
    """
    kept = list(results)
    people = standing(run.load_roster(), kept)
    if veil is None:
        view = cohort_view(kept, people, similar=run.has_similar(), lang=lang)
    else:
        view = cohort_view(veil.results(kept), veil.people(people), reports=FOLDER, anonymous=True, lang=lang)
    run.save_class(cohort_html(view, templates), grades_csv(kept, people))


def veil_over(run: Run, asked_for: Collection[str]) -> Veil:
    """The pseudonyms of everybody in a run; `asked_for` are the file names of its assignment."""
    return veil_for(list(run.summaries()), run.load_roster(), asked_for)


def fingerprint(submission: Submission, assignment: Assignment) -> str:
    """Names everything that a result is made from: who, when, the files, the assignment and the grader."""
    who = (submission.student, submission.name, submission.members)
    when = (submission.submitted_at, submission.late, submission.extension, submission.handed_in_as)
    text = f"{submission.sha256} {assignment.fingerprint} {grader.__version__} {who} {when}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _stamped(result: GradeResult, mark: str) -> GradeResult:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return msgspec.structs.replace(result, fingerprint=mark, graded_at=now)


def ungraded(submission: Submission, assignment: Assignment, mode: str, reason: str) -> GradeResult:
    """A result that says that there is none, with the last line of the reason, for staff."""
    about = assignment.about
    last_line = reason.strip().splitlines()[-1] if reason.strip() else "no reason known"
    return GradeResult(
        schema_version=records.SCHEMA_VERSION,
        assignment=records.AssignmentInfo(assignment.id, about.version, about.title, lang=about.lang),
        submission=records.submission_info(submission),
        status="ungraded",
        reason=f"Judging failed; the last time: {last_line}",
        score=None,
        max_score=100.0,
        checks=[],
        notices=list(submission.notices),
        stdout="",
        stderr="",
        environment=records.Environment(
            grader=grader.__version__,
            python=platform.python_version(),
            torch=metadata.version("torch"),
            numpy=metadata.version("numpy"),
            platform=f"{platform.system()} {platform.machine()}",
        ),
        isolation=records.Isolation(mode, []),
        seconds=0.0,
    )
