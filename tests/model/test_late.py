"""Deadlines: what is late, by how many days, what it costs, and what is said about it."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.assignment import Deadline
from grader.model.jsonform import result_from_json, result_schema, result_to_json
from grader.model.late import before_deduction, deadline_notices, is_late, late_word, with_lateness
from grader.model.result import (
    AssignmentInfo,
    Environment,
    GradeResult,
    Isolation,
    Lateness,
    SubmissionInfo,
    submission_info,
)
from grader.model.submission import Person, Submission
from grader.model.terms import deadline_problem, unknown_people

LA, ZURICH, KATHMANDU, KIRITIMATI = "America/Los_Angeles", "Europe/Zurich", "Asia/Kathmandu", "Pacific/Kiritimati"
ZONES = [LA, ZURICH, KATHMANDU, KIRITIMATI]


def at(text: str) -> datetime:
    """A wall time."""
    return datetime.fromisoformat(text)


def deadline(**fields: Any) -> Deadline:
    """Due on 1 December 2026 at 23:59 in Los Angeles, 10 percent a day, at most 50; fields by keyword."""
    values: dict[str, Any] = {"due": at("2026-12-01T23:59"), "zone": LA, "per_day": 10, "cap": 50}
    return Deadline(**(values | fields))


def handed_in(submitted_at: str | None, score: float | None = 87.5, **fields: Any) -> GradeResult:
    """A result before its lateness is known; fields of the submission, status and max_score by keyword."""
    own = {name: fields.pop(name) for name in ("status", "max_score", "staff_notices") if name in fields}
    lms = fields.pop("lms", None)
    about = SubmissionInfo("a", "12345", submitted_at, "", [], late=lms, lms_late=lms, **fields)
    values: dict[str, Any] = {
        "schema_version": 1,
        "assignment": AssignmentInfo("attention", "1", "Attention"),
        "submission": about,
        "status": "graded",
        "reason": None,
        "score": score,
        "max_score": 100.0,
        "checks": [],
        "notices": [],
        "stdout": "",
        "stderr": "",
        "environment": Environment("", "", "", "", ""),
        "isolation": Isolation("B", []),
        "seconds": 0.0,
    }
    return GradeResult(**(values | own))


def lateness(submitted_at: str, terms: Deadline, score: float | None = 87.5, **fields: Any) -> Lateness:
    """What becomes of a result with a known time."""
    found = with_lateness(handed_in(submitted_at, score, **fields), terms).lateness
    assert found is not None
    return found


def test_a_day_and_three_hours_are_two_days_begun() -> None:
    result = with_lateness(handed_in("2026-12-03T10:59:00Z"), deadline())
    assert result.score == 67.5
    assert result.lateness == Lateness(
        due="2026-12-01T23:59:00-08:00",
        submitted_at="2026-12-03T02:59:00-08:00",
        late=True,
        days=2,
        deduction=20.0,
        score_before=87.5,
        reason="Handed in 1 day, 3 hours after the deadline (1 Dec 2026, 23:59 PST): "
        "20 points off 87.5 (10 for each day begun, at most 50).",
    )
    assert result.submission.late is True
    assert late_word(result) == "yes"
    assert before_deduction(result) == 87.5
    assert result_from_json(result_to_json(result)) == result
    jsonschema.validate(json.loads(result_to_json(result)), result_schema())


@pytest.mark.parametrize(
    ("submitted", "days"),
    [
        ("2026-12-01T23:59:00-08:00", 0),
        ("2026-12-01T23:59:40-08:00", 0),
        ("2026-12-01T23:59:59.999999-08:00", 0),
        ("2026-12-02T00:00:00-08:00", 1),
        ("2026-12-02T08:00:00Z", 1),
        ("2026-12-02T23:59:59-08:00", 1),
        ("2026-12-03T00:00:00-08:00", 2),
        ("2027-12-01T23:59:00-08:00", 365),
        ("2025-01-01T00:00:00Z", 0),
    ],
)
def test_a_deadline_includes_its_minute(submitted: str, days: int) -> None:
    found = lateness(submitted, deadline())
    assert (found.days, found.late) == (days, days > 0)


def test_the_lms_writes_utc_and_means_the_day_before() -> None:
    found = lateness("2025-03-28T04:24:00Z", deadline(due=at("2025-03-27T23:59")))
    assert not found.late
    assert found.submitted_at == "2025-03-27T21:24:00-07:00"
    assert found.reason == "Handed in on time; the deadline was 27 Mar 2025, 23:59 PDT."


@pytest.mark.parametrize("seconds", ["", ":00", ":30", ":59", ":59.5"])
def test_seconds_of_a_deadline_do_not_count(seconds: str) -> None:
    terms = deadline(due=at(f"2026-12-01T23:59{seconds}"))
    assert not lateness("2026-12-01T23:59:59.9-08:00", terms).late
    assert lateness("2026-12-02T00:00:00-08:00", terms).late


@pytest.mark.parametrize(
    ("minutes", "late", "days"), [(-60, False, 0), (0, False, 0), (15, False, 0), (16, True, 1), (1440 + 15, True, 1)]
)
def test_grace_comes_on_top_of_every_limit(minutes: int, late: bool, days: int) -> None:
    submitted = datetime(2026, 12, 2, 7, 59, 59, tzinfo=UTC) + timedelta(minutes=minutes)
    found = lateness(submitted.isoformat(), deadline(grace_minutes=15))
    assert (found.late, found.days) == (late, days)


def test_grace_is_told() -> None:
    terms = deadline(grace_minutes=15)
    assert lateness("2026-12-02T00:05-08:00", terms).reason == (
        "Handed in 6 minutes after the deadline (1 Dec 2026, 23:59 PST), within the 15 minutes of grace: "
        "nothing is deducted."
    )
    assert lateness("2026-12-02T00:30-08:00", terms).reason == (
        "Handed in 31 minutes after the deadline (1 Dec 2026, 23:59 PST): 10 points off 87.5 "
        "(10 for each day begun, at most 50, after 15 minutes of grace)."
    )
    assert "the 1 minute of grace" in lateness("2026-12-02T00:00-08:00", deadline(grace_minutes=1)).reason


CLOCK_CHANGES = [
    # zone, due, real hours from there to the same time on the next date
    (LA, "2026-03-07T23:59", 23),
    (LA, "2026-10-31T23:59", 25),
    (LA, "2026-11-01T23:59", 24),
    (ZURICH, "2026-03-28T23:59", 23),
    (ZURICH, "2026-10-24T23:59", 25),
    (KATHMANDU, "2026-03-28T23:59", 24),
    (KIRITIMATI, "2026-10-24T23:59", 24),
    (ZURICH, "2026-10-25T01:30", 25),
    (ZURICH, "2026-10-25T03:00", 24),
]


@pytest.mark.parametrize(("zone", "due", "hours"), CLOCK_CHANGES)
def test_a_day_on_which_the_clock_changes_is_one_day(zone: str, due: str, hours: int) -> None:
    terms = deadline(zone=zone, due=at(due))
    start = at(due).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    last_second = start + timedelta(hours=hours, seconds=59)
    assert lateness(last_second.isoformat(), terms).days == 1
    assert lateness((last_second + timedelta(seconds=1)).isoformat(), terms).days == 2
    assert " 1 day after" in lateness(last_second.isoformat(), terms).reason
    hour_before = last_second - timedelta(hours=1)
    assert f" {hours - 1} hours after" in lateness(hour_before.isoformat(), terms).reason


def test_a_time_that_is_shown_twice_is_the_second() -> None:
    terms = deadline(due=at("2026-11-01T01:30"))
    assert not lateness("2026-11-01T01:30:59-08:00", terms).late
    assert lateness("2026-11-01T01:31:00-08:00", terms).late
    assert lateness("2026-11-01T01:31:00-08:00", terms).due == "2026-11-01T01:30:00-08:00"


def test_a_time_that_is_skipped_is_as_long_after_the_change() -> None:
    terms = deadline(due=at("2026-03-08T02:30"))
    assert not lateness("2026-03-08T03:30:59-07:00", terms).late
    assert lateness("2026-03-08T03:31:00-07:00", terms).late
    assert lateness("2026-03-08T03:31:00-07:00", terms).due == "2026-03-08T03:30:00-07:00"


@pytest.mark.parametrize(
    ("zone", "before", "after"),
    [(KIRITIMATI, "1994-12-30", "1995-01-01"), ("Pacific/Apia", "2011-12-29", "2011-12-31")],
)
def test_a_date_that_an_island_left_out_ends_with_the_one_after(zone: str, before: str, after: str) -> None:
    terms = deadline(zone=zone, due=at(f"{before}T23:59"))
    for text, days in ((f"{after}T00:00", 1), (f"{after}T23:59:59", 1), (f"{after}T23:59:59.9", 1)):
        assert lateness(at(text).replace(tzinfo=ZoneInfo(zone)).isoformat(), terms).days == days
    next_day = at(f"{after}T23:59").replace(tzinfo=ZoneInfo(zone)) + timedelta(minutes=1)
    assert lateness(next_day.isoformat(), terms).days == 3


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        (LA, "1 Dec 2026, 23:59 PST"),
        (ZURICH, "1 Dec 2026, 23:59 CET"),
        (KATHMANDU, "1 Dec 2026, 23:59 UTC+05:45"),
        (KIRITIMATI, "1 Dec 2026, 23:59 UTC+14:00"),
        ("Pacific/Marquesas", "1 Dec 2026, 23:59 UTC-09:30"),
        ("UTC", "1 Dec 2026, 23:59 UTC"),
    ],
)
def test_zones_have_a_name_that_people_know_or_their_offset(zone: str, words: str) -> None:
    assert f"the deadline was {words}." in lateness("2026-11-01T00:00Z", deadline(zone=zone)).reason


def test_the_cap_holds() -> None:
    found = [with_lateness(handed_in(f"2026-12-{day:02}T12:00-08:00"), deadline()).score for day in range(1, 12)]
    assert found == [87.5, 77.5, 67.5, 57.5, 47.5, 37.5, 37.5, 37.5, 37.5, 37.5, 37.5]


def test_no_more_is_deducted_than_was_earned() -> None:
    assert with_lateness(handed_in("2026-12-04T00:00Z", 12.34), deadline()).score == 0
    found = lateness("2026-12-04T00:00Z", deadline(), 12.34)
    assert found.deduction == 12.34
    assert found.reason.endswith(": 12.34 points off 12.34 (10 for each day begun, at most 50).")


def test_after_the_last_day_nothing_is_left() -> None:
    terms = deadline(last_day=at("2026-12-08T23:59"), grace_minutes=15)
    kept = with_lateness(handed_in("2026-12-09T00:14:59-08:00"), terms)
    over = with_lateness(handed_in("2026-12-09T00:15:00-08:00"), terms)
    assert (kept.score, over.score) == (37.5, 0)
    assert over.status == "graded"
    assert over.lateness == Lateness(
        due="2026-12-01T23:59:00-08:00",
        submitted_at="2026-12-09T00:15:00-08:00",
        late=True,
        days=8,
        deduction=87.5,
        score_before=87.5,
        reason="Handed in 7 days, 16 minutes after the deadline (1 Dec 2026, 23:59 PST) and after the last day for "
        "late work (8 Dec 2026, 23:59 PST): 87.5 points off 87.5.",
    )


def test_a_deadline_may_cost_nothing() -> None:
    found = lateness("2026-12-04T00:00-08:00", deadline(per_day=0))
    assert (found.late, found.days, found.deduction) == (True, 3, 0)
    assert found.reason == "Handed in 2 days, 1 minute after the deadline (1 Dec 2026, 23:59 PST): nothing is deducted."


@pytest.mark.parametrize("where", ["assignment", "roster", "roster with zone", "member"])
def test_extensions(where: str) -> None:
    terms, fields = deadline(last_day=at("2026-12-08T23:59")), {}
    if where == "assignment":
        terms = deadline(last_day=at("2026-12-08T23:59"), extensions={"12345": at("2026-12-03T23:59")})
    elif where == "member":
        terms = deadline(extensions={"777": at("2026-12-03T23:59"), "778": at("2026-12-02T23:59")})
        fields = {"members": [Person("12345"), Person("777"), Person("778")]}
    else:
        fields = {"extension": "2026-12-03T23:59" if where == "roster" else "2026-12-04T07:59:00Z"}
    kept = lateness("2026-12-03T23:59:59-08:00", terms, **fields)
    assert not kept.late
    assert kept.reason == "Handed in on time; your extended deadline was 3 Dec 2026, 23:59 PST."
    late = lateness("2026-12-04T00:00-08:00", terms, **fields)
    assert (late.days, late.due) == (1, "2026-12-03T23:59:00-08:00")
    assert " 1 minute after your extended deadline (3 Dec 2026, 23:59 PST): 10 points" in late.reason


def test_others_keep_the_deadline() -> None:
    assert lateness("2026-12-02T12:00-08:00", deadline(extensions={"1234": at("2026-12-03T23:59")})).late


def test_an_extension_beyond_the_last_day_takes_its_place() -> None:
    terms = deadline(last_day=at("2026-12-08T23:59"), extensions={"12345": at("2026-12-20T23:59")})
    assert lateness("2026-12-20T20:00-08:00", terms).deduction == 0
    assert lateness("2026-12-21T20:00-08:00", terms).deduction == 87.5


@pytest.mark.parametrize(
    ("extension", "words"),
    [
        ("next week", "the extension 'next week' is no time; it was left out."),
        ("2025-12-03T23:59", "the extension '2025-12-03T23:59' lies before the deadline; it was left out."),
        ("9999-12-31T23:59", "the extension '9999-12-31T23:59' is no time; it was left out."),
    ],
)
def test_extensions_that_cannot_be_meant_are_left_out_and_told(extension: str, words: str) -> None:
    result = with_lateness(handed_in("2026-12-02T12:00-08:00", extension=extension), deadline())
    assert result.score == 77.5
    assert result.staff_notices == [f"Deadline: {words}"]
    assert deadline_notices(result) == ["T" + words[1:]]


@pytest.mark.parametrize(
    ("submitted", "words"),
    [
        (None, "the time of handing in is unknown, so nothing was deducted."),
        (
            "2026-12-24T12:00:00",
            "the time of handing in, '2026-12-24T12:00:00', names no zone, so nothing was deducted.",
        ),
        ("yesterday", "the time of handing in, 'yesterday', is no time, so nothing was deducted."),
        (
            "0001-01-01T00:00:00Z",
            "the time of handing in, '0001-01-01T00:00:00Z', is no time, so nothing was deducted.",
        ),
        ("", "the time of handing in, '', is no time, so nothing was deducted."),
    ],
)
@pytest.mark.parametrize("lms", [None, True, False])
def test_of_an_unknown_time_staff_are_told_and_nothing_is_deducted(
    submitted: str | None, words: str, lms: bool | None
) -> None:
    result = with_lateness(handed_in(submitted, lms=lms, staff_notices=["Other."]), deadline())
    assert (result.score, result.lateness, result.submission.late, late_word(result)) == (87.5, None, None, "")
    theirs = {None: "", True: " The LMS says late.", False: " The LMS says on time."}[lms]
    assert result.staff_notices == ["Other.", f"Deadline: {words}{theirs}"]
    assert result.notices == []


@pytest.mark.parametrize("lms", [None, True, False])
def test_without_a_deadline_the_lms_has_the_word(lms: bool | None) -> None:
    result = with_lateness(handed_in("2026-12-04T00:00Z", lms=lms), None)
    assert result == handed_in("2026-12-04T00:00Z", lms=lms)
    assert late_word(result) == {None: "", True: "yes", False: "no"}[lms]


@pytest.mark.parametrize(
    ("submitted", "lms", "told"),
    [
        ("2026-12-01T23:00-08:00", True, "the LMS says late, but by assignment.toml it is on time: handed in "
         "1 Dec 2026, 23:00 PST, due 1 Dec 2026, 23:59 PST."),
        ("2026-12-02T23:00-08:00", False, "the LMS says on time, but by assignment.toml it is late: handed in "
         "2 Dec 2026, 23:00 PST, due 1 Dec 2026, 23:59 PST."),
        ("2026-12-01T23:00-08:00", False, None),
        ("2026-12-02T23:00-08:00", True, None),
        ("2026-12-02T23:00-08:00", None, None),
    ],
)  # fmt: skip
def test_staff_read_where_the_lms_sees_it_otherwise(submitted: str, lms: bool | None, told: str | None) -> None:
    result = with_lateness(handed_in(submitted, lms=lms), deadline())
    assert result.staff_notices == ([] if told is None else [f"Deadline: {told}"])
    assert result.submission.lms_late is lms
    assert result.submission.late is (submitted[9] == "2")


@pytest.mark.parametrize(
    ("status", "score", "words"),
    [
        ("invalid", 0.0, "; there are no points to deduct."),
        ("ungraded", None, "; what that costs is settled when it is graded."),
    ],
)
def test_invalid_stays_zero_and_ungraded_without_a_score(status: str, score: float | None, words: str) -> None:
    for last_day in (None, at("2026-12-02T23:59")):
        result = with_lateness(handed_in("2026-12-04T00:00Z", score, status=status), deadline(last_day=last_day))
        assert (result.status, result.score) == (status, score)
        assert result.lateness is not None
        assert (result.lateness.late, result.lateness.deduction, result.lateness.score_before) == (True, 0, score)
        assert result.lateness.reason.endswith(words)


def test_a_submissions_facts_are_enough() -> None:
    """Everything that the terms look at is in the result, under the keys of the submission."""
    submission = Submission(
        "a", "12345", (), None, {}, submitted_at="2026-12-04T12:00:00Z", late=False, extension="2026-12-03T23:59",
        members=(Person("12345"), Person("777")),
    )  # fmt: skip
    about = submission_info(submission)
    assert (about.late, about.lms_late, about.extension) == (False, False, "2026-12-03T23:59")
    result = with_lateness(msgspec.structs.replace(handed_in(None), submission=about), deadline())
    assert result.lateness is not None
    assert result.lateness.days == 1


def test_attempts_can_be_asked_before_grading() -> None:
    terms = deadline(extensions={"777": at("2026-12-03T23:59")})
    assert is_late("2026-12-02T12:00-08:00", None, ["1"], terms) is True
    assert is_late("2026-12-02T12:00-08:00", None, ["1", "777"], terms) is False
    assert is_late("2026-12-02T12:00-08:00", "2026-12-02T23:59", ["1"], terms) is False
    assert is_late("2026-12-02T12:00", None, ["1"], terms) is None
    assert is_late(None, None, ["1"], terms) is None


def test_extensions_of_people_that_are_not_there() -> None:
    terms = deadline(extensions={"777": at("2026-12-03T23:59"), "12345": at("2026-12-03T23:59")})
    assert unknown_people(terms, ["1", "12345"]) == ["777"]


@pytest.mark.parametrize(
    ("fields", "key", "words"),
    [
        ({"zone": "America/Los_Angels"}, "zone", "'America/Los_Angels'; did you mean America/Los_Angeles?"),
        ({"zone": "los angeles"}, "zone", "did you mean America/Los_Angeles?"),
        ({"zone": "zurich"}, "zone", "did you mean Europe/Zurich?"),
        ({"zone": "PST"}, "zone", "there is no time zone 'PST'; "),
        ({"zone": ""}, "zone", "there is no time zone ''; zones are called as America/Los_Angeles"),
        ({"zone": "localtime"}, "zone", "there is no time zone"),
        ({"zone": "right/Europe/Zurich"}, "zone", "there is no time zone"),
        ({"zone": "../etc/passwd"}, "zone", "there is no time zone"),
        ({"due": at("0026-12-01T23:59")}, "due", "`due` lies in the year 26"),
        ({"last_day": at("2026-12-01T23:58")}, "last_day", "`last_day` lies before `due`"),
        ({"last_day": at("2026-12-02T07:58+00:00")}, "last_day", "`last_day` lies before `due`"),
        ({"extensions": {"7": at("2025-12-03T23:59")}}, "7", "the extension of 7 lies before `due`"),
        ({"extensions": {"7": at("9999-12-31T23:59")}}, "7", "the extension of 7 lies in the year 9999"),
    ],
)  # fmt: skip
def test_deadlines_that_cannot_be_meant(fields: dict[str, Any], key: str, words: str) -> None:
    problem = deadline_problem(deadline(**fields))
    assert problem is not None
    assert problem[0] == key
    assert words in problem[1]


@pytest.mark.parametrize("zone", [*ZONES, "UTC", "Etc/GMT+8"])
def test_deadlines_that_can(zone: str) -> None:
    assert deadline_problem(deadline(zone=zone, last_day=at("2026-12-01T23:59"))) is None


TERMS = st.builds(
    deadline,
    zone=st.sampled_from([*ZONES, "Pacific/Apia", "Australia/Lord_Howe"]),
    due=st.datetimes(at("2026-01-01"), at("2027-01-01")),
    grace_minutes=st.integers(0, 3000),
    per_day=st.integers(0, 100_000).map(lambda number: number / 1000),
    cap=st.integers(0, 10_000).map(lambda number: number / 100),
)
OFFSETS = st.integers(-60, 30 * 1440).map(lambda minutes: timedelta(minutes=minutes))
SCORES = st.integers(0, 10_000).map(lambda number: number / 100)


def shifted(terms: Deadline, by: timedelta) -> str:
    """A time so long after the deadline."""
    return (terms.due.replace(tzinfo=ZoneInfo(terms.zone)).astimezone(UTC) + by).isoformat()


@given(TERMS, SCORES, st.lists(OFFSETS, min_size=2, max_size=5), st.none() | st.integers(0, 20))
def test_later_is_never_better(terms: Deadline, score: float, offsets: list[timedelta], last: int | None) -> None:
    if last is not None:
        terms = msgspec.structs.replace(terms, last_day=terms.due + timedelta(days=last))
    found = [with_lateness(handed_in(shifted(terms, by), score), terms) for by in sorted(offsets)]
    for earlier, later in itertools.pairwise(found):
        assert earlier.lateness is not None
        assert later.lateness is not None
        assert earlier.lateness.days <= later.lateness.days
        assert earlier.lateness.late <= later.lateness.late
        assert (earlier.score or 0) >= (later.score or 0)


@given(TERMS, SCORES, OFFSETS, st.integers(1, 50_000).map(lambda number: number / 100))
def test_deductions_are_exact(terms: Deadline, share: float, by: timedelta, max_score: float) -> None:
    score = float(round(Fraction(str(share)) * Fraction(str(max_score)) / 100, 2))
    result = with_lateness(handed_in(shifted(terms, by), score, max_score=max_score), terms)
    found = result.lateness
    assert found is not None
    assert result.score is not None
    assert 0 <= result.score <= max_score
    assert Fraction(str(result.score)) + Fraction(str(found.deduction)) == Fraction(str(score))
    percent = min(found.days * Fraction(str(terms.per_day)), Fraction(str(terms.cap)))
    exact = min(percent * Fraction(str(max_score)) / 100, Fraction(str(score)))
    assert abs(Fraction(str(found.deduction)) - exact) <= Fraction(1, 200)
    assert found.late == (found.days > 0)
    assert late_word(result) == ("yes" if found.late else "no")


@given(TERMS, TERMS, OFFSETS, st.sampled_from([None, True, False]))
def test_other_terms_start_from_the_score_before(
    first: Deadline, second: Deadline, by: timedelta, lms: bool | None
) -> None:
    fresh = handed_in(shifted(first, by), lms=lms, staff_notices=["Other."])
    once = with_lateness(fresh, first)
    assert with_lateness(once, first) == once
    assert with_lateness(once, second) == with_lateness(fresh, second)
    assert with_lateness(once, None) == fresh


@given(TERMS, OFFSETS, st.timedeltas(timedelta(0), timedelta(days=9)))
def test_an_extension_is_never_worse(terms: Deadline, by: timedelta, more: timedelta) -> None:
    longer = msgspec.structs.replace(terms, extensions={"12345": terms.due + more})
    fresh = handed_in(shifted(terms, by))
    assert (with_lateness(fresh, longer).score or 0) >= (with_lateness(fresh, terms).score or 0)


@given(st.text(max_size=30), st.text(max_size=30) | st.none())
def test_no_text_of_an_lms_breaks_it(submitted: str, extension: str | None) -> None:
    result = with_lateness(handed_in(submitted, extension=extension), deadline())
    assert result.score is not None
    assert all(len(notice.splitlines()) == 1 for notice in result.staff_notices)
