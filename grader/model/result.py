"""The result of one grading, version 1 of its JSON form.

Field names are a contract with other programs; keys may be added, never renamed. `score` and `points` are rounded
once, to 2 decimals, from exact sums (see `grader.judge.scoring`).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from grader.model.observation import Observation
from grader.model.submission import Person, Submission

SCHEMA_VERSION = 1

Status = Literal["graded", "invalid", "ungraded"]
CheckStatus = Literal["passed", "failed", "error", "timeout", "memory", "crashed", "skipped"]
Fault = Literal["student", "author", "machine"]
Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
IncidentKind = Literal["protocol", "forbidden", "ended", "refused"]


class ReadOn(msgspec.Struct, frozen=True):
    """A place in the handout's README.md: a heading and, unless they are empty, words that stand below it."""

    heading: str
    words: str = ""


class Diagnosis(msgspec.Struct, frozen=True):
    """A known misconception that produces exactly what was observed; `explanation` speaks to the student.

    `read_on` is where the handout explains what would have been right, None where its author did not say.
    """

    slug: str
    explanation: str
    read_on: ReadOn | None = None


MISSING_NAME = "MissingName"
"""Type of a `StudentError` that is no exception: the file does not define a name that a check calls."""


class StudentError(msgspec.Struct, frozen=True):
    """An exception in student code: its type and the innermost line in a file of theirs. Its text is in `feedback`.

    Of a time-out `type` is the limit (`import`, `check`, `processor`, `total`), of a crash the signal's name or `exit`.
    """

    type: str
    file: str | None = None
    line: int | None = None


class CheckResult(msgspec.Struct, frozen=True):
    """What became of one check. `feedback` and `staff_detail` are for staff; students read a `StudentView`.

    `needs` are checks that have to pass before this one runs. `asked` and `allowed` are digests of the check's text, of
    all but how much it allows and of that (see `grader.judge.basis`). `asked_on`: something was asked of the student's
    code after the last observation, or nothing was observed. All four are for `grader rescore`.
    """

    id: str
    title: str
    group: str
    status: CheckStatus
    fault: Fault | None
    points: float
    max_points: float
    visibility: Visibility
    feedback: str = ""
    hint: str = ""
    diagnosis: Diagnosis | None = None
    observations: list[Observation] = []
    seconds: float = 0.0
    error: StudentError | None = None
    staff_detail: str = ""
    needs: list[str] = []
    asked: str = ""
    allowed: str = ""
    asked_on: bool = True


class Incident(msgspec.Struct, frozen=True):
    """Something in how student code behaved that staff should look at; most are accidents, none costs points by itself.

    `protocol`: what came back on the channel to the judge was no reply to the call. `forbidden`: the process was killed
    for a system call that no honest program makes. `ended`: the process ended instead of answering. `refused`: Python
    was refused something, as the network, another process or a file. `checks` are the ids of those in which it
    happened, empty where that was during the import alone; `at_import` says whether it was there, too.
    """

    kind: IncidentKind
    checks: list[str] = []
    at_import: bool = False


class FileInfo(msgspec.Struct, frozen=True):
    """A file as uploaded: its name, the SHA-256 of its bytes and their number."""

    name: str
    sha256: str
    bytes: int


class SubmissionInfo(msgspec.Struct, frozen=True):
    """Who handed in what, without the contents. Fields as of `Submission`.

    `late` is by the assignment's deadline where it has one, else the LMS's verdict, which `lms_late` keeps in any case;
    None where nothing is known.
    """

    id: str
    student: str
    submitted_at: str | None
    sha256: str
    files: list[FileInfo]
    graded_file: str | None = None
    name: str = ""
    late: bool | None = None
    members: list[Person] = []
    lms_late: bool | None = None
    extension: str | None = None
    handed_in_as: list[str] = []


def submission_info(submission: Submission) -> SubmissionInfo:
    """A submission without its contents."""
    return SubmissionInfo(
        id=submission.id,
        student=submission.student,
        submitted_at=submission.submitted_at,
        sha256=submission.sha256,
        files=[FileInfo(file.name, file.sha256, len(file.content)) for file in submission.files],
        graded_file=submission.graded_file,
        name=submission.name,
        late=submission.late,
        members=list(submission.members),
        lms_late=submission.late,
        extension=submission.extension,
        handed_in_as=list(submission.handed_in_as),
    )


class Lateness(msgspec.Struct, frozen=True):
    """When work was due and handed in, both in ISO 8601 in the course's zone, and what that costs.

    `due` is this person's own due date, extensions included. `days` are those begun after it. `score_before` less
    `deduction` is the score; it is None as long as there is none. `reason` says all this to the student, in a sentence.
    """

    due: str
    submitted_at: str
    late: bool
    days: int
    deduction: float
    score_before: float | None
    reason: str


class AssignmentInfo(msgspec.Struct, frozen=True):
    """Which assignment, in which version, and the language of its reports.

    `conditions` is a digest of what student code had to live with, as limits.
    """

    id: str
    version: str
    title: str
    conditions: str = ""
    lang: str = "en"


class Environment(msgspec.Struct, frozen=True):
    """The versions that a grading ran with."""

    grader: str
    python: str
    torch: str
    numpy: str
    platform: str


class Isolation(msgspec.Struct, frozen=True):
    """How student code was confined: the mode and its layers, outermost first."""

    mode: str
    layers: list[str]


class Printed(msgspec.Struct, frozen=True):
    """What student code printed, head and tail, capped."""

    stdout: str = ""
    stderr: str = ""


class GradeResult(msgspec.Struct, frozen=True):
    """Everything known about one grading.

    `score` is what counts, after the deduction in `lateness`, which is None where no deadline is set or the time is
    unknown. `invalid`: no check could start (score 0, no checks). `ungraded`: not the student's fault (score None,
    checks kept). `printed_for_student` is the part of the output that was printed at import or during visible checks;
    `staff_notices` and `incidents` are for staff alone.
    `fingerprint` names the files, assignment and grader that the result was made from; a run resumes by it. It is empty
    where marks were computed again from the observations, at `rescored_at`.
    """

    schema_version: int
    assignment: AssignmentInfo
    submission: SubmissionInfo
    status: Status
    reason: str | None
    score: float | None
    max_score: float
    checks: list[CheckResult]
    notices: list[str]
    stdout: str
    stderr: str
    environment: Environment
    isolation: Isolation
    seconds: float
    printed_for_student: Printed = Printed()
    staff_notices: list[str] = []
    fingerprint: str = ""
    graded_at: str = ""
    lateness: Lateness | None = None
    rescored_at: str = ""
    incidents: list[Incident] = []


def in_language(result: GradeResult, lang: str | None) -> GradeResult:
    """The same with its reports in another language, if one is given."""
    about = result.assignment
    return (
        result
        if lang is None
        else msgspec.structs.replace(result, assignment=msgspec.structs.replace(about, lang=lang))
    )
