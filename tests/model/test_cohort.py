"""A class in numbers: rows, scores, outcomes, times, each check and each group, and what to look at first."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model import items
from grader.model.check_stats import verdict
from grader.model.cohort import cohort_view, outcome
from grader.model.concerns import ENTRIES, NAMES
from grader.model.result import CheckResult, Diagnosis, GradeResult, Incident
from grader.model.roster import Standing
from grader.model.submission import Person

MakeCheck = Callable[..., CheckResult]
MakeResult = Callable[..., GradeResult]

SCALE = Diagnosis("scale", "You divide by the wrong width.")
MASK = Diagnosis("mask", "You hide the queries.")


def a_class(make_check: MakeCheck, make_result: MakeResult) -> list[GradeResult]:
    """Five submissions: two graded alike, one better, one invalid, one ungraded."""
    good, bad = make_check("one"), make_check("one", status="failed", diagnosis=SCALE)
    hidden = make_check("two", visibility="hidden", status="error", diagnosis=MASK)
    return [
        make_result("a", [good, make_check("two", visibility="hidden")], seconds=1.0),
        make_result("b", [bad, hidden], score=0.5, notices=["renamed"]),
        make_result("c", [bad, make_check("two", visibility="hidden")], score=10.0),
        make_result("d", [], status="invalid", score=0.0, reason="empty"),
        make_result(
            "e", [make_check("one", status="error", fault="machine")], status="ungraded", score=None, reason="disk"
        ),
    ]


def test_a_class_in_numbers(make_check: MakeCheck, make_result: MakeResult) -> None:
    view = cohort_view(a_class(make_check, make_result))
    assert view.counts == {"graded": 3, "invalid": 1, "ungraded": 1}
    assert (view.mean, view.median) == (7.62, 5.25)  # of 20, 0.5, 10 and 0
    assert [(c.id, c.passed, c.total, c.hidden) for c in view.checks] == [("one", 1, 3, False), ("two", 2, 3, True)]
    assert [(m.diagnosis.slug, m.ids) for m in view.misconceptions] == [("scale", ["b", "c"]), ("mask", ["b"])]
    assert [(c.kind, c.total, [e.ids for e in c.entries]) for c in view.concerns] == [
        ("ungraded", 1, [["e"]]),
        ("invalid", 1, [["d"]]),
    ]
    assert [(row.id, row.passed, row.checks) for row in view.rows] == [
        *(("a", 2, 2), ("b", 0, 2), ("c", 1, 2)),
        *(("d", 0, 0), ("e", 0, 1)),
    ]
    assert view.rows[1].notices == ["renamed"]
    assert view.rows[1].diagnoses == [SCALE, MASK]


def test_nobody_and_only_ungraded(make_result: MakeResult) -> None:
    assert (cohort_view([]).mean, cohort_view([]).median, cohort_view([]).rows) == (None, None, [])
    view = cohort_view([make_result("a", [], status="ungraded", score=None, reason="disk")])
    assert (view.mean, view.median, view.counts["ungraded"]) == (None, None, 1)


def test_outcomes(make_check: MakeCheck, make_result: MakeResult) -> None:
    statuses = ["failed", "failed", "passed", "error", "timeout", "memory", "crashed", "skipped"]
    mixed = make_result("a", [make_check(str(n), status=status) for n, status in enumerate(statuses)])
    assert outcome(mixed) == "2 wrong, 1 raised, 1 timed out, 1 out of memory, 1 crashed, 1 skipped"
    assert outcome(make_result("a", [make_check("a")])) == "all checks passed"
    assert outcome(make_result("a", [], status="invalid", reason="It is empty.")) == "It is empty."


@st.composite
def answers(draw: st.DrawFn) -> tuple[list[bool], list[int]]:
    """Whether each of a few submissions passed, and its rest score in hundredths."""
    size = draw(st.integers(3, 60))
    passed = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    rest = draw(st.lists(st.integers(0, 10_000), min_size=size, max_size=size))
    return passed, rest


@given(answers())
def test_discrimination_is_the_correlation(both: tuple[list[bool], list[int]]) -> None:
    passed, rest = both
    found = items.discrimination(passed, rest)
    if len(set(passed)) == 1 or len(set(rest)) == 1:
        assert found is None
        return
    assert found is not None
    assert -1 <= found <= 1
    expected = np.corrcoef(np.array(passed, float), np.array(rest, float))[0, 1]
    assert found == pytest.approx(expected, abs=1e-9)


def test_discrimination_by_hand() -> None:
    # Means 3 and 1 of those who pass and not, p = q = 1/2, deviation √2: r = (3 - 1) / √2 · √(1/4)
    assert items.discrimination([True, True, False, False], [400, 200, 200, 0]) == pytest.approx(1 / math.sqrt(2))
    assert items.discrimination([True, False], [1, 0]) is None
    assert items.discrimination([], []) is None
    assert items.discrimination([False, False, True], [10, 10, 0]) == -1


@given(st.lists(st.tuples(st.integers(0, 1000), st.booleans()), min_size=1, max_size=40))
def test_difficulty_is_the_mean_share(earned: list[tuple[int, bool]]) -> None:
    points, passed = [number / 100 for number, _ in earned], [ok for _, ok in earned]
    assert items.difficulty(points, passed, 10) == pytest.approx(float(np.mean(points)) / 10)
    assert items.difficulty(points, passed, 0) == pytest.approx(float(np.mean(passed)))
    assert items.difficulty([], [], 10) is None


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=40))
def test_spread_is_numpys(scores: list[int]) -> None:
    values = [score / 100 for score in scores]
    found = items.spread(values)
    assert found is not None
    low, high = np.percentile(values, [25, 75])
    expected = (min(values), low, high, max(values), np.std(values))
    for mine, theirs in zip((found.least, found.low, found.high, found.most, found.deviation), expected, strict=True):
        assert mine == pytest.approx(theirs, abs=0.0051)
    assert items.spread(values[:1]) is None


def test_verdicts() -> None:
    assert verdict(2, 2, None) == ""
    assert verdict(3, 3, None) == "all"
    assert verdict(0, 3, None) == "nobody"
    assert verdict(5, 10, -0.9) == "few"
    assert verdict(28, 30, -0.9) == "few"
    assert verdict(15, 30, None) == "alike"
    found = [verdict(15, 30, number) for number in (-1, -0.1, -0.09, 0, 0.09, 0.1, 0.29, 0.3, 1)]
    assert found == ["negative"] * 2 + ["near_zero"] * 3 + ["fair"] * 2 + ["good"] * 2


def strong_and_weak(make_check: MakeCheck, make_result: MakeResult) -> list[GradeResult]:
    """Thirty submissions: the strong ones pass `a` and `b`, the weak ones alone pass `odd`; `c` needs `b`."""
    made = []
    for number in range(30):
        strong = number < 15
        words = {"feedback": f"The sum is {number}.5, not 3.\nmore", "diagnosis": SCALE}
        made.append(
            make_result(
                f"s{number:02}",
                [
                    make_check("a", status="passed" if strong else "failed", **({} if strong else words)),
                    make_check("b", status="passed" if strong else "error", feedback="" if strong else "KeyError: 'x'"),
                    make_check("c", group="Other", needs=["b"], status="passed" if strong else "skipped"),
                    make_check("odd", group="Other", status="failed" if strong else "passed", feedback="No."),
                ],
                seconds=1 + number / 10,
            )
        )
    return made


def test_checks_in_numbers(make_check: MakeCheck, make_result: MakeResult) -> None:
    view = cohort_view(strong_and_weak(make_check, make_result))
    a, b, c, odd = view.checks
    assert (a.number, a.passed, a.total, a.difficulty, a.verdict, a.suspect) == (1, 15, 30, 0.5, "good", False)
    assert a.discrimination == pytest.approx(1)  # the rest of the strong is 20, of the weak 10
    assert (odd.discrimination, odd.verdict, odd.suspect) == (pytest.approx(-1), "negative", True)
    assert a.statuses == {"passed": 15, "failed": 15}
    assert c.statuses == {"passed": 15, "skipped": 15}
    assert (c.passed, c.difficulty) == (15, 0.5)
    assert [(line.text, line.count) for line in a.lines] == [("The sum is …, not ….", 15)]
    assert [(line.text, line.count) for line in b.lines] == [("KeyError: 'x'", 15)]
    assert c.lines == []
    assert [(seen.diagnosis, seen.count) for seen in a.misconceptions] == [(SCALE, 15)]
    assert a.failed == [f"s{number:02}" for number in range(15, 30)]
    assert [(g.name, g.checks, g.worth, g.share, g.complete, g.total) for g in view.groups] == [
        ("Group", [1, 2], 20, 0.5, 15, 30),
        ("Other", [3, 4], 20, 0.5, 0, 30),
    ]
    assert [(m.diagnosis.slug, len(m.ids), m.checks) for m in view.misconceptions] == [("scale", 15, [1])]
    (concern,) = view.concerns
    assert (concern.kind, concern.total, concern.entries[0].ids, concern.entries[0].text) == (
        "checks", 1, ["odd"], "negative",
    )  # fmt: skip
    assert [row.failed for row in view.rows[14:16]] == [[4], [1, 2, 3]]
    assert view.rows[15].statuses == {"failed": 1, "error": 1, "skipped": 1}


def test_partial_credit_counts_in_the_difficulty_alone(make_check: MakeCheck, make_result: MakeResult) -> None:
    results = [make_result(name, [make_check("a", status="failed", points=2.5)]) for name in "xyz"]
    (check,) = cohort_view(results).checks
    assert (check.passed, check.difficulty, check.discrimination, check.verdict) == (0, 0.25, None, "nobody")


def test_what_to_look_at_first(make_check: MakeCheck, make_result: MakeResult) -> None:
    checks = [make_check("a"), make_check("b", status="error")]
    results = [
        make_result("one", checks, incidents=[Incident("protocol", ["b", "gone"]), Incident("ended", [], True)]),
        *(make_result(f"u{n}", [], status="ungraded", score=None, reason="The disk is full.") for n in range(20)),
        make_result("two", checks, incidents=[Incident("refused", ["a", "b"]), Incident("forbidden", ["b"])]),
    ]
    people = Standing(doubts={"two": "may be Ada (1)"}, missing=(Person("9", "Bob"),))
    found = {concern.kind: concern for concern in cohort_view(results, people).concerns}
    assert list(found) == ["ungraded", "protocol", "forbidden", "doubts", "ended", "refused"]
    (full,) = found["ungraded"].entries
    assert (full.text, full.ids, full.more) == ("The disk is full.", [f"u{n}" for n in range(NAMES)], 20 - NAMES)
    assert (found["ungraded"].total, found["ungraded"].more) == (20, 0)
    assert (found["protocol"].entries[0].checks, found["protocol"].entries[0].at_import) == ([2], False)
    assert (found["ended"].entries[0].checks, found["ended"].entries[0].at_import) == ([], True)
    assert found["refused"].entries[0].checks == [1, 2]
    assert found["doubts"].entries[0].text == "may be Ada (1)"


@pytest.mark.parametrize(
    "seconds",
    [[0.001], [0.3], [1.0, 1.0, 1.0], [0.5] * 99 + [300.0], [n * 0.37 % 5 + 0.01 for n in range(300)], [250.0, 0.02]],
)
def test_every_time_is_in_a_bin(seconds: list[float], make_result: MakeResult) -> None:
    times = cohort_view([make_result(f"s{n}", [], seconds=s) for n, s in enumerate([*seconds, 0.0])]).times
    assert times is not None
    assert (times.count, times.slowest) == (len(seconds), max(seconds))
    assert times.slowest_id == f"s{seconds.index(max(seconds))}"
    assert len(times.bins) <= 9
    for place, one in enumerate(times.bins):
        high = math.inf if one.high is None else one.high
        assert one.count == sum(one.low <= s < high for s in seconds)
        assert place == 0 or one.low == times.bins[place - 1].high
    assert sum(one.count for one in times.bins) == len(seconds)


def test_of_many_reasons_the_first_are_told(make_result: MakeResult) -> None:
    results = [make_result(f"u{n}", [], status="ungraded", score=None, reason=f"Reason {n}.") for n in range(20)]
    (concern,) = cohort_view(results).concerns
    assert [entry.text for entry in concern.entries] == [f"Reason {n}." for n in range(ENTRIES)]
    assert (concern.total, concern.more) == (20, 20 - ENTRIES)


def test_nothing_is_said_of_nobody() -> None:
    view = cohort_view([])
    assert (view.spread, view.bins, view.times, view.groups, view.checks, view.concerns) == (None, [], None, [], [], [])
