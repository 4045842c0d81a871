"""Deadlines: who is late, by how much, and what that costs.

Pure functions over a result and an assignment's `Deadline`. `with_lateness` needs nothing else, and starts from the
score before any deduction: other terms can be applied to a result that was stored, and the same ones change nothing.

How it is counted, in the student's favour where there is a choice:

- The time of handing in is the LMS's, with its zone. Without one nothing is known, nothing is deducted, and staff read
  so. The LMS's own verdict decides nothing; staff read where it differs.
- A deadline includes its whole minute: 23:59 lasts until midnight. The minutes of grace come on top of every limit: the
  deadline, the end of each late day, the last day, an extension.
- A late day lasts from the deadline's time on the clock to the same time of the next date, in the course's zone. Each
  day begun costs `per_day` percent of the assignment's points, all together at most `cap` percent, and never more than
  the work has earned. After `last_day` everything is deducted.
- A group has one time of handing in. Of the extensions of its members the latest counts for all; one after `last_day`
  takes its place.

Deductions are exact, and rounded once, half to even, to 2 decimals, as scores are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import msgspec

from grader.model.assignment import Deadline
from grader.model.result import GradeResult, Lateness, SubmissionInfo
from grader.model.terms import Terms, terms_for
from grader.model.text import plain_line
from grader.model.zonetime import counted, days_begun, elapsed, in_words, instant, read_moment

_NOTICE = "Deadline: "
"""Begins every notice of this module, by which those of earlier terms are found."""


@dataclass(frozen=True)
class _Case:
    """One submission under its terms. `submitted` is in UTC; `score` is what the work has earned."""

    terms: Terms
    deadline: Deadline
    submitted: datetime
    score: float | None
    max_score: float

    @property
    def late(self) -> bool:
        return not self.terms.kept(self.terms.due, self.submitted)

    @property
    def over(self) -> bool:
        """Whether the last day for late work is over."""
        return self.terms.last is not None and not self.terms.kept(self.terms.last, self.submitted)

    @property
    def days(self) -> int:
        if not self.late:
            return 0
        return days_begun(self.terms.due, self.submitted, self.terms.slack, self.terms.zone)

    @property
    def deduction(self) -> float:
        score = _exact(self.score or 0.0)
        if self.over:
            return float(score)
        percent = min(self.days * _exact(self.deadline.per_day), _exact(self.deadline.cap))
        return float(min(round(self.points(percent), 2), score))

    def points(self, percent: Fraction) -> Fraction:
        return percent * _exact(self.max_score) / 100


def with_lateness(result: GradeResult, deadline: Deadline | None) -> GradeResult:
    """The result under these terms: its lateness, the score after the deduction, and what staff should know.

    What could not be started keeps its score of 0, and what is ungraded its lack of one.
    """
    about, score = result.submission, before_deduction(result)
    lateness, notices = (None, []) if deadline is None else _lateness(result, deadline)
    if lateness is not None and score is not None:
        score = float(_exact(score) - _exact(lateness.deduction))
    late = about.lms_late if deadline is None else None if lateness is None else lateness.late
    kept = [notice for notice in result.staff_notices if not notice.startswith(_NOTICE)]
    return msgspec.structs.replace(
        result,
        submission=msgspec.structs.replace(about, late=late),
        score=score,
        lateness=lateness,
        staff_notices=kept + [_NOTICE + notice for notice in notices],
    )


def before_deduction(result: GradeResult) -> float | None:
    """The score that the work itself has earned, whenever it was handed in."""
    return result.score if result.lateness is None else result.lateness.score_before


def people_of(result: GradeResult) -> list[str]:
    """The ids of those whose work it is."""
    about = result.submission
    return [about.student, *(member.student for member in about.members if member.student != about.student)]


def late_word(result: GradeResult) -> str:
    """`yes`, `no`, or empty where nothing is known."""
    return {True: "yes", False: "no", None: ""}[result.submission.late]


def deadline_notices(result: GradeResult) -> list[str]:
    """What staff should know about the time of handing in."""
    found = (notice.removeprefix(_NOTICE) for notice in result.staff_notices if notice.startswith(_NOTICE))
    return [notice[:1].upper() + notice[1:] for notice in found]


def other_notices(result: GradeResult) -> list[str]:
    """What staff alone should know, but for the time of handing in."""
    return [notice for notice in result.staff_notices if not notice.startswith(_NOTICE)]


def late_texts(result: GradeResult) -> list[str]:
    """What a list of a class tells beside the word: what being late costs, and what staff should know."""
    lateness = result.lateness
    return [*([lateness.reason] if lateness is not None and lateness.late else []), *deadline_notices(result)]


def is_late(submitted_at: str | None, extension: str | None, people: Iterable[str], deadline: Deadline) -> bool | None:
    """Whether work handed in then, by people with these ids, is late; None where that is unknown."""
    submitted = _known_instant(submitted_at)
    if submitted is None:
        return None
    terms, _ = terms_for(extension, people, deadline)
    return not terms.kept(terms.due, submitted)


def _lateness(result: GradeResult, deadline: Deadline) -> tuple[Lateness | None, list[str]]:
    """The lateness, or None where the time is unknown, and notices for staff."""
    about = result.submission
    terms, notices = terms_for(about.extension, people_of(result), deadline)
    submitted = _known_instant(about.submitted_at)
    if submitted is None:
        return None, [*notices, _unknown(about)]
    case = _Case(terms, deadline, submitted, before_deduction(result), result.max_score)
    local = submitted.astimezone(terms.zone)
    if about.lms_late not in (None, case.late):
        theirs, ours = ("on time", "late") if case.late else ("late", "on time")
        notices.append(
            f"the LMS says {theirs}, but by assignment.toml it is {ours}: handed in {in_words(local)}, "
            f"due {terms.words(terms.due)}."
        )
    lateness = Lateness(
        due=instant(terms.due, terms.zone).astimezone(terms.zone).isoformat(),
        submitted_at=local.isoformat(),
        late=case.late,
        days=case.days,
        deduction=case.deduction,
        score_before=case.score,
        reason=f"{_when(case)}{_what(case)}",
    )
    return lateness, notices


def _known_instant(submitted_at: str | None) -> datetime | None:
    """When it was handed in, in UTC, or None where that is not said, or without a zone."""
    moment = None if submitted_at is None else read_moment(submitted_at)
    return None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)


def _unknown(about: SubmissionInfo) -> str:
    why = "the time of handing in is unknown"
    if about.submitted_at is not None:
        what = "is no time" if read_moment(about.submitted_at) is None else "names no zone"
        why = f"the time of handing in, {plain_line(about.submitted_at)!r}, {what}"
    theirs = {True: " The LMS says late.", False: " The LMS says on time.", None: ""}[about.lms_late]
    return f"{why}, so nothing was deducted.{theirs}"


def _when(case: _Case) -> str:
    """When it was handed in, seen from the deadline, without the full stop."""
    terms = case.terms
    which = "your extended deadline" if terms.extended else "the deadline"
    due = instant(terms.due, terms.zone)
    if case.submitted < due + timedelta(minutes=1):
        return f"Handed in on time; {which} was {terms.words(terms.due)}"
    text = f"Handed in {elapsed(terms.due, case.submitted, terms.zone)} after {which} ({terms.words(terms.due)})"
    if case.over and terms.last is not None:
        return f"{text} and after the last day for late work ({terms.words(terms.last)})"
    return text


def _what(case: _Case) -> str:
    """What that costs, and the rule by which it does, to the end of the sentence."""
    deadline, grace = case.deadline, counted(case.deadline.grace_minutes, "minute")
    if not case.late:
        in_grace = case.submitted >= instant(case.terms.due, case.terms.zone) + timedelta(minutes=1)
        return f", within the {grace} of grace: nothing is deducted." if in_grace else "."
    if case.score is None:
        return "; what that costs is settled when it is graded."
    if case.score == 0:
        return "; there are no points to deduct."
    if case.deduction == 0:
        return ": nothing is deducted."
    points = _number(case.deduction)
    text = f": {points} {'point' if points == '1' else 'points'} off {_number(case.score)}"
    if case.over:
        return f"{text}."
    rule = [f"{_number(case.points(_exact(deadline.per_day)))} for each day begun"]
    if deadline.cap < 100:
        rule.append(f"at most {_number(case.points(_exact(deadline.cap)))}")
    if deadline.grace_minutes:
        rule.append(f"after {grace} of grace")
    return f"{text} ({', '.join(rule)})."


def _number(value: float | Fraction) -> str:
    """At most 2 decimals, and no trailing zero."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def _exact(number: float) -> Fraction:
    return Fraction(str(number))
