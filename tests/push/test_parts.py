"""Scaling, patience, comments and the record: the parts that need no LMS."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageProblem
from grader.model.result import Diagnosis
from grader.model.view import student_view
from grader.push.base import Held, HeldComment, Target
from grader.push.deliver import settled
from grader.push.parcels import attachment, comment_text, digest
from grader.push.record import Entry, Pending, Record, Sent
from grader.push.retry import Patience, seconds_asked
from grader.push.scaling import kept, same, scale_sentence, scaled

SECRET = "SECRET-of-a-hidden-check"
"""What the results of conftest.py hold wherever no student may look."""


@pytest.mark.parametrize(
    ("score", "most", "points", "expected"),
    [
        (75.0, 100.0, "100", "75"),
        (62.5, 100.0, "15", "9.375"),
        (33.33, 100.0, "10", "3.333"),
        (1.0, 3.0, "100", "33.33333"),
        (99.99, 100.0, "0.01", "0.00999"),  # rounded it would be everything
        (0.01, 100.0, "0.01", "0.00001"),  # and this nothing
        (0.0, 100.0, "20", "0"),
        (100.0, 100.0, "20", "20"),
        (0.1, 0.3, "3", "1"),
    ],
)
def test_scaled(score: float, most: float, points: str, expected: str) -> None:
    assert scaled(score, most, Decimal(points)) == expected


@given(st.integers(0, 10000), st.integers(1, 100000))
def test_scaling_is_exact_to_five_decimals_and_makes_nobody_perfect(hundredths: int, points: int) -> None:
    found = Fraction(scaled(hundredths / 100, 100.0, Decimal(points) / 100))
    exact = Fraction(hundredths, 10000) * Fraction(points, 100)
    assert abs(found - exact) <= Fraction(1, 100000)
    assert (found == Fraction(points, 100)) == (hundredths == 10000)
    assert (found == 0) == (hundredths == 0)


def test_nothing_is_scaled_to_nothing() -> None:
    with pytest.raises(ValueError, match="nothing"):
        scaled(1.0, 0.0, Decimal(10))
    assert scale_sentence(100.0, Decimal("100.0"), "Canvas") is None
    assert "of 12.5 in Canvas" in (scale_sentence(100.0, Decimal("12.50"), "Canvas") or "")


def test_the_same_score() -> None:
    assert same(Decimal("15.5"), Decimal("15.50000"))
    assert same(None, None)
    assert not same(None, Decimal(0))
    assert not same(Decimal("9.99999"), Decimal(10))


def test_an_lms_may_round_what_it_was_sent() -> None:
    assert kept(Decimal("9.38"), Decimal("9.375"))
    assert kept(Decimal("9.37"), Decimal("9.375"))
    assert not kept(Decimal("9.376"), Decimal("9.375"))
    assert not kept(Decimal("9.39"), Decimal("9.375"))
    assert not kept(None, Decimal("0"))
    assert kept(None, None)


def test_waits_double_are_shaken_and_bounded() -> None:
    slept: list[float] = []
    told: list[str] = []
    patience = Patience(first=2.0, most=20.0, tell=told.append, sleep=slept.append, shake=lambda: 1.0)
    for tried in (1, 2, 3, 4, 5):
        patience.wait(tried, "busy")
    assert slept == [2.0, 4.0, 8.0, 16.0, 20.0]
    assert told[0] == "busy; waiting 8 s."
    patience.wait(1, "busy", asked=3.0)
    patience.wait(1, "busy", asked=86400.0)
    assert slept[-2:] == [3.0, 20.0]
    Patience(sleep=slept.append, shake=lambda: 0.0).wait(1, "busy")
    assert slept[-1] == 0.5


def test_what_an_lms_asks_for() -> None:
    now = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
    assert seconds_asked("7") == 7.0
    assert seconds_asked("Tue, 01 Dec 2026 12:00:30 GMT", now) == 30.0
    assert seconds_asked("Tue, 01 Dec 2026 11:00:00 GMT", now) == 0.0
    assert [seconds_asked(text) for text in (None, "", "soon")] == [None, None, None]


def test_a_comment_is_what_the_student_may_see(result: Any) -> None:
    graded = result("ada", "11", 50.0)
    squares = Diagnosis("squares", "You square x instead of doubling it.")
    graded.checks[-1] = msgspec.structs.replace(graded.checks[-1], diagnosis=squares)
    text = comment_text(student_view(graded), with_report=True)
    assert text.splitlines()[0] == "Tiny exercise: 50 of 100 points, 1 of 3 checks passed."
    assert "- total(x) is the sum\n" in text
    assert "- You square x instead of doubling it." in text
    assert "The attached report" in text
    assert SECRET not in text
    assert SECRET not in comment_text(student_view(result("ada", "11", None)), with_report=False)


def test_a_long_list_is_cut(result: Any) -> None:
    graded = result("ada", "11", 0.0)
    failed = graded.checks[1]
    many = [msgspec.structs.replace(failed, id=f"c{number}") for number in range(40)]
    text = comment_text(student_view(result("ada", "11", 0.0, checks=many)), with_report=False)
    assert text.count("a < b & c") == 12
    assert "- and 28 more" in text


def test_names_of_reports_tell_contents_apart() -> None:
    one, other = attachment("tiny/../x", b"1"), attachment("tiny/../x", b"2")
    assert one.name != other.name
    assert one.name.startswith("tiny____x-")
    assert attachment("tiny/../x", b"1") == one


TARGET = Target("canvas", "https://canvas.example.edu", "1", "2")


def test_the_record_is_read_back_and_holds_no_text(tmp_path: Path) -> None:
    entry = Entry(
        "ada", Sent("75", digest("well done"), "tiny-1.html", "2026-12-01"), Pending("80", "", "", ["4"], "x")
    )
    Record(tmp_path, TARGET).put("11", entry)
    again = Record(tmp_path, TARGET)
    assert again.get("11") == entry
    assert again.get("12") is None
    assert "well done" not in again.path.read_text()
    other = Record(tmp_path, Target("canvas", "https://canvas.example.edu", "1", "3"))
    assert other.get("11") is None
    assert other.path != again.path


def test_a_record_of_the_future_or_of_another_target_is_refused(tmp_path: Path) -> None:
    record = Record(tmp_path, TARGET)
    record.put("11", Entry("ada"))
    text = record.path.read_text()
    record.path.write_text(text.replace('"version": 1', '"version": 2'))
    with pytest.raises(UsageProblem, match="newer"):
        Record(tmp_path, TARGET)
    record.path.write_text(text.replace("canvas.example", "other.example"))
    with pytest.raises(UsageProblem, match="another target"):
        Record(tmp_path, TARGET)


def test_what_was_on_its_way_is_settled_part_by_part() -> None:
    old = Sent("70", digest("old"), "", "before")
    entry = Entry("ada", old, Pending("80", digest("new"), "tiny-1.html", ["1"], "now"))
    there = HeldComment("2", "new", ("tiny-1.html",))

    def after(held: Held) -> Sent:
        found = settled(entry, held)
        assert found is not None
        assert found.pending is None
        return found.sent

    assert after(Held(Decimal(70), comments=(HeldComment("1", "new"),))) == old  # that comment was there before
    assert after(Held(Decimal(80), comments=(there,))) == Sent("80", digest("new"), "tiny-1.html", "now")
    assert after(Held(Decimal(70), comments=(HeldComment("2", " new\n"),))) == Sent("70", digest("new"), "", "now")
    assert after(Held(Decimal("80.00"))) == Sent("80", digest("old"), "", "now")
