"""What may be shown, and to whom.

`student_view` is the one gate between a result and a student: whatever renders or exports for students takes a
`StudentView` and nothing else. Of a hidden check a student reads title, status, hint, diagnosis, the line in their own
file at which an exception or a limit struck, the exception's type or which limit it was, and the usual cause of its
kind; never inputs, expected values, the exception's text or what was printed meanwhile, nor how long it took, since
each of these can carry hidden inputs out. An exception's type is shown only if Python or torch defines it: a class
named by the student is text of the student's. The words are fixed (see `causes`). What staff see of a class is in
`cohort`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from grader.model.causes import NOT_COMPLETED, NOT_YOURS, Told, told_of_hidden
from grader.model.measured import Measured, measured
from grader.model.observation import Observation
from grader.model.result import (
    MISSING_NAME,
    CheckResult,
    CheckStatus,
    Diagnosis,
    GradeResult,
    Lateness,
    Printed,
    Status,
    Visibility,
)


class CheckView(msgspec.Struct, frozen=True):
    """One check as its student may see it. `feedback` may have several lines.

    `not_run`: it could not be run, for a reason that is not the student's. `told`: the parts of a `feedback` that is
    made of fixed sentences. Unless the check is hidden, `measured` is what it counted, and `seen` the comparison that
    did not hold. `visibility` is the author's word, for platforms that can hide a test until some day.
    """

    id: str
    title: str
    status: CheckStatus
    points: float
    max_points: float
    hidden: bool
    feedback: str
    hint: str
    diagnosis: Diagnosis | None
    not_run: bool = False
    measured: list[Measured] = []
    seen: Observation | None = None
    told: Told | None = None
    visibility: Visibility = "visible"


class GroupView(msgspec.Struct, frozen=True):
    """Checks of one topic, in the order in which they ran, and their points."""

    name: str
    points: float
    max_points: float
    checks: list[CheckView]


class StudentView(msgspec.Struct, frozen=True):
    """A result as its student may see it; `public`: of the public checks alone, before anything is handed in."""

    id: str
    student: str
    assignment: str
    title: str
    status: Status
    reason: str | None
    score: float | None
    max_score: float
    groups: list[GroupView]
    diagnoses: list[Diagnosis]
    notices: list[str]
    printed: Printed
    graded_file: str | None
    file_sha256: str | None
    isolation: str
    environment: str
    hidden_topics: list[str] = []
    lateness: Lateness | None = None
    lang: str = "en"
    public: bool = False


def student_view(result: GradeResult, hidden_topics: Sequence[str] = (), public: bool = False) -> StudentView:
    """The part of `result` that its student may see; `hidden_topics` is what checks that did not run will look at."""
    groups: dict[str, list[CheckView]] = {}
    for check in result.checks:
        groups.setdefault(check.group, []).append(check_view(check))
    diagnoses = {c.diagnosis.slug: c.diagnosis for c in result.checks if c.diagnosis}
    graded = result.submission.graded_file
    sha256 = next((f.sha256 for f in result.submission.files if f.name == graded), None)
    return StudentView(
        id=result.submission.id,
        student=result.submission.student,
        assignment=result.assignment.id,
        title=result.assignment.title,
        status=result.status,
        reason=_student_reason(result),
        score=result.score,
        max_score=result.max_score,
        groups=[_group_view(name, checks) for name, checks in groups.items()],
        diagnoses=list(diagnoses.values()),
        notices=list(result.notices),
        printed=result.printed_for_student,
        graded_file=graded,
        file_sha256=sha256,
        isolation=result.isolation.mode,
        environment=f"grader {result.environment.grader}, Python {result.environment.python}, "
        f"torch {result.environment.torch}",
        hidden_topics=list(hidden_topics),
        lateness=result.lateness,
        lang=result.assignment.lang,
        public=public,
    )


def _student_reason(result: GradeResult) -> str | None:
    if result.status == "ungraded":
        return NOT_COMPLETED
    return result.reason


def _group_view(name: str, checks: list[CheckView]) -> GroupView:
    points = round(sum(c.points for c in checks), 2)
    return GroupView(name, points, round(sum(c.max_points for c in checks), 2), checks)


def check_view(check: CheckResult) -> CheckView:
    """One check as its student may see it; `after_*` counts as hidden in local reports."""
    hidden = check.visibility != "visible"
    told = _told(check, hidden)
    return CheckView(
        id=check.id,
        title=check.title,
        status=check.status,
        points=check.points,
        max_points=check.max_points,
        hidden=hidden,
        feedback="" if check.status == "passed" else told.sentence if told else check.feedback,
        hint=check.hint if _is_about_the_answer(check) else "",
        diagnosis=check.diagnosis,
        not_run=check.fault in ("author", "machine"),
        measured=[] if hidden else measured(check.observations),
        seen=None if hidden else _what_differs(check),
        told=told,
        visibility=check.visibility,
    )


def _is_about_the_answer(check: CheckResult) -> bool:
    """Whether a hint fits: not where a limit struck, the process ended, or there was nothing to call."""
    missing = check.error is not None and check.error.type == MISSING_NAME
    return check.status in ("failed", "error") and not missing


def _told(check: CheckResult, hidden: bool) -> Told | None:
    """The fixed sentence about a check that did not pass, where that is all that its student may read."""
    if check.status == "passed":
        return None
    if check.fault in ("author", "machine"):
        return Told(NOT_YOURS)
    return told_of_hidden(check) if hidden else None


def _what_differs(check: CheckResult) -> Observation | None:
    """The comparison on which the check failed; none if it ended otherwise."""
    last = check.observations[-1] if check.observations else None
    return last if last is not None and check.status == "failed" and not last.held else None
