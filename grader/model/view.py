"""What may be shown, and to whom.

`student_view` is the one gate between a result and a student: whatever renders or exports for students takes a
`StudentView` and nothing else. Of a hidden check a student reads title, status, hint, diagnosis, the line in their own
file at which an exception or a limit struck, the exception's type or which limit it was, and the usual cause of its
kind; never inputs, expected values, the exception's text or what was printed meanwhile, nor how long it took, since
each of these can carry hidden inputs out. An exception's type is shown only if Python or torch defines it: a class
named by the student is text of the student's. The words are fixed (see `causes`).

`cohort_view` sums a class up for staff.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

import msgspec

from grader.model.causes import NOT_COMPLETED, NOT_YOURS, Told, told_of_hidden
from grader.model.late import late_texts, late_word
from grader.model.measured import Measured, measured
from grader.model.observation import Observation
from grader.model.result import CheckResult, CheckStatus, Diagnosis, GradeResult, Lateness, Printed, Status
from grader.model.roster import Standing, persons_of


class CheckView(msgspec.Struct, frozen=True):
    """One check as its student may see it. `feedback` may have several lines.

    `not_run`: it could not be run, for a reason that is not the student's. `told`: the parts of a `feedback` that is
    made of fixed sentences. Unless the check is hidden, `measured` is what it counted, and `seen` the comparison that
    did not hold.
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


class GroupView(msgspec.Struct, frozen=True):
    """Checks of one topic, in the order in which they ran, and their points."""

    name: str
    points: float
    max_points: float
    checks: list[CheckView]


class StudentView(msgspec.Struct, frozen=True):
    """A result as its student may see it."""

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


class CohortRow(msgspec.Struct, frozen=True):
    """One submission on the class page. `late` is `yes`, `no` or empty; `late_texts` say more, one line each.

    `called` is the student's name, or those of a group; of somebody without one it is `student`.
    """

    id: str
    student: str
    status: str
    score: float | None
    max_score: float
    passed: int
    checks: int
    outcome: str
    diagnoses: list[Diagnosis]
    notices: list[str]
    seconds: float
    late: str = ""
    late_texts: list[str] = []
    called: str = ""


class CheckStanding(msgspec.Struct, frozen=True):
    """How a class did on one check: how many of those graded passed it."""

    id: str
    title: str
    group: str
    hidden: bool
    passed: int
    total: int


class Misconception(msgspec.Struct, frozen=True):
    """A diagnosis and the ids of the submissions that it was given to."""

    diagnosis: Diagnosis
    ids: list[str]


class CohortView(msgspec.Struct, frozen=True):
    """A class, for staff. `mean` and `median` are over graded and invalid submissions, None when there are none.

    `people` is the class against its roster, None without one.
    """

    assignment: str
    title: str
    rows: list[CohortRow]
    counts: dict[str, int]
    mean: float | None
    median: float | None
    max_score: float
    checks: list[CheckStanding]
    misconceptions: list[Misconception]
    attention: list[CohortRow]
    people: Standing | None = None
    lang: str = "en"


def student_view(result: GradeResult, hidden_topics: Sequence[str] = ()) -> StudentView:
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
        hint="" if check.status in ("passed", "skipped") else check.hint,
        diagnosis=check.diagnosis,
        not_run=check.fault in ("author", "machine"),
        measured=[] if hidden else measured(check.observations),
        seen=None if hidden else _what_differs(check),
        told=told,
    )


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


def cohort_view(results: Iterable[GradeResult], people: Standing | None = None) -> CohortView:
    """A class, summed up for staff, in the order of `results`."""
    kept = list(results)
    rows = [_cohort_row(result) for result in kept]
    counts = {status: sum(row.status == status for row in rows) for status in ("graded", "invalid", "ungraded")}
    scores = [row.score for row in rows if row.score is not None]
    return CohortView(
        assignment=kept[0].assignment.id if kept else "",
        title=kept[0].assignment.title if kept else "",
        rows=rows,
        counts=counts,
        mean=round(statistics.fmean(scores), 2) if scores else None,
        median=round(statistics.median(scores), 2) if scores else None,
        max_score=kept[0].max_score if kept else 100,
        checks=_standings(kept),
        misconceptions=_misconceptions(rows),
        attention=[row for row in rows if row.status == "ungraded"],
        people=people,
        lang=kept[0].assignment.lang if kept else "en",
    )


def _cohort_row(result: GradeResult) -> CohortRow:
    diagnoses = {c.diagnosis.slug: c.diagnosis for c in result.checks if c.diagnosis}
    return CohortRow(
        id=result.submission.id,
        student=result.submission.student,
        status=result.status,
        score=result.score,
        max_score=result.max_score,
        passed=sum(c.status == "passed" for c in result.checks),
        checks=len(result.checks),
        outcome=outcome(result),
        diagnoses=list(diagnoses.values()),
        notices=list(result.notices),
        seconds=result.seconds,
        late=late_word(result),
        late_texts=late_texts(result),
        called=", ".join(who.name or who.student for who in persons_of(result)),
    )


def outcome(result: GradeResult) -> str:
    """What happened to a submission, in a few words for a table."""
    if result.status != "graded":
        return result.reason or result.status
    statuses = [c.status for c in result.checks]
    if all(status == "passed" for status in statuses):
        return "all checks passed"
    words = {"failed": "wrong", "error": "raised", "timeout": "timed out", "memory": "out of memory"}
    parts = []
    for status in ("failed", "error", "timeout", "memory", "crashed", "skipped"):
        if count := statuses.count(status):
            parts.append(f"{count} {words.get(status, status)}")
    return ", ".join(parts)


def _standings(results: list[GradeResult]) -> list[CheckStanding]:
    seen: dict[str, list[CheckResult]] = {}
    for result in results:
        if result.status == "graded":
            for check in result.checks:
                seen.setdefault(check.id, []).append(check)
    return [
        CheckStanding(
            id=name,
            title=checks[0].title,
            group=checks[0].group,
            hidden=checks[0].visibility != "visible",
            passed=sum(c.status == "passed" for c in checks),
            total=len(checks),
        )
        for name, checks in seen.items()
    ]


def _misconceptions(rows: list[CohortRow]) -> list[Misconception]:
    found: dict[str, Misconception] = {}
    for row in rows:
        for diagnosis in row.diagnoses:
            found.setdefault(diagnosis.slug, Misconception(diagnosis, [])).ids.append(row.id)
    return sorted(found.values(), key=lambda m: (-len(m.ids), m.diagnosis.slug))
