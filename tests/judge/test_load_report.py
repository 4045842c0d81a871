"""What a process says of its import: only its form is believed, and only so much of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.load_report import read_load_report
from grader.sandbox.base import StudentLied

ERROR = {"kinds": ["ValueError"], "text": "no", "file": "a.py", "line": 3}
GOOD: dict[str, Any] = {
    "defined": ["f"],
    "public": ["f", "g"],
    "error": ERROR,
    "left": False,
    "late": True,
    "stops": [["late", ERROR, 3, 4], ["raised", ERROR, 9, 9]],
    "skipped": [[6, 7], [12, 12]],
    "standins": ["tqdm", "os"],
    "unbound": [["MASK_ID", 5]],
}


def test_a_good_report() -> None:
    report = read_load_report(GOOD, ("f", "h"), False)
    assert (report.required, report.public, report.left, report.late) == (("f",), ("f", "g"), False, True)
    assert [(stop.how, stop.first, stop.last) for stop in report.stops] == [("late", 3, 4), ("raised", 9, 9)]
    assert report.skipped == ((6, 7), (12, 12))
    assert report.standins == ("tqdm",)  # nothing but what is on the list
    assert report.unbound == (("MASK_ID", 5),)
    assert report.left_out == (3, 6, 12)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("stops", 3),
        ("stops", [3]),
        ("stops", [["odd", ERROR, 1, 1]]),
        ("stops", [["late", ERROR, 0, 1]]),
        ("stops", [["late", ERROR, 1]]),
        ("stops", [["late", {"kinds": []}, 1, 1]]),
        ("stops", [["late", ERROR, True, 1]]),
        ("skipped", [[1, 2**40]]),
        ("skipped", [["1", 2]]),
        ("unbound", [["not a name!", 1]]),
        ("unbound", [["x" * 200, 1]]),
        ("unbound", [[3, 1]]),
        ("error", "text"),
        ("defined", [3]),
        ("public", "f"),
    ],
)
def test_other_forms_are_lies(key: str, value: Any) -> None:
    with pytest.raises(StudentLied):
        read_load_report({**GOOD, key: value}, ("f",), False)


def test_long_reports_are_cut() -> None:
    many = {**GOOD, "stops": GOOD["stops"] * 500, "skipped": [[1, 1]] * 9000, "unbound": [["x", 1]] * 99}
    report = read_load_report(many, ("f",), False)
    assert (len(report.stops), len(report.skipped), len(report.unbound)) == (20, 500, 5)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*GOOD, *ERROR]), inner, max_size=9),
)


@given(VALUES, st.sampled_from(sorted(GOOD)))
def test_anything_is_a_report_or_a_lie(value: Any, key: str) -> None:
    for told in (value, {**GOOD, key: value}):
        try:
            report = read_load_report(told, ("f",), False)
        except StudentLied:
            continue
        assert len(report.stops) <= 20
