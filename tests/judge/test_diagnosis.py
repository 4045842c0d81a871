"""Diagnosis: a misconception is named when it explains what was seen, and never guessed."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.diagnosis import Misconceptions, describe_variant, diagnose, same_value
from grader.model.observation import Observation, tensor_to_json
from grader.model.result import (
    AssignmentInfo,
    CheckResult,
    Environment,
    GradeResult,
    Isolation,
    StudentError,
    SubmissionInfo,
)

WANTED = tensor_to_json("float32", (3,), [0.1, 0.2, 0.3])


def tensor(*numbers: Any) -> dict[str, Any]:
    """A float tensor as an observation holds it."""
    return tensor_to_json("float32", (len(numbers),), list(numbers))


def seen(actual: Any, name: str = "rows", kind: str = "close", detail: str = "differs") -> Observation:
    """A comparison that failed."""
    return Observation(name, kind, WANTED, actual, detail)


def failing(
    name: str, *observations: Observation, status: str = "failed", error: str | None = None, **more: Any
) -> CheckResult:
    """A check that failed with these observations."""
    kind = StudentError(error, "a.py", 3) if error else None
    values: dict[str, Any] = {"status": status, "fault": "student", "observations": list(observations), "error": kind}
    return CheckResult(name, "T", "G", points=0, max_points=5, visibility="hidden", **(values | more))


def raising(name: str, error: str, *observations: Observation) -> CheckResult:
    """A check in which student code raised."""
    return failing(name, *observations, status="error", error=error)


def passing(name: str) -> CheckResult:
    """A check that passed."""
    return CheckResult(name, "T", "G", "passed", None, 5, 5, "hidden")


def skipped(name: str) -> CheckResult:
    """A check that was not run."""
    return failing(name, status="skipped")


def result(*checks: CheckResult) -> GradeResult:
    """A result of these checks."""
    return GradeResult(
        schema_version=1,
        assignment=AssignmentInfo("attention", "1", "Attention"),
        submission=SubmissionInfo("a", "Ann", None, "", []),
        status="graded",
        reason=None,
        score=0.0,
        max_score=100.0,
        checks=list(checks),
        notices=[],
        stdout="",
        stderr="",
        environment=Environment("", "", "", "", ""),
        isolation=Isolation("B", []),
        seconds=0.0,
    )


def diagnoses(mine: list[CheckResult], **variants: list[CheckResult]) -> dict[str, str]:
    """The slug given to each check, for variants with these results."""
    known = [describe_variant(slug, f"You {slug}.", result(*checks)) for slug, checks in variants.items()]
    found = diagnose(result(*mine), Misconceptions("f", known))
    assert all(c.diagnosis is None or c.diagnosis.explanation == f"You {c.diagnosis.slug}." for c in found.checks)
    return {check.id: check.diagnosis.slug for check in found.checks if check.diagnosis}


A = failing("a", seen(tensor(0.5, 0.7, 0.9)))
B = failing("b", seen(tensor(1.5, 1.7, 1.9)))
OTHER_A = failing("a", seen(tensor(0.6, 0.7, 0.9)))
OTHER_B = failing("b", seen(tensor(2.5, 1.7, 1.9)))


def test_the_same_values_are_the_same_mistake() -> None:
    assert diagnoses([A, B, passing("c")], scale=[A, B, passing("c")]) == {"a": "scale", "b": "scale"}


@pytest.mark.parametrize("change", [1e-7, -1e-6, 9e-6])
def test_within_tolerance(change: float) -> None:
    near = failing("a", seen(tensor(0.5 + change, 0.7, 0.9)))
    assert diagnoses([near], scale=[A]) == {"a": "scale"}


@pytest.mark.parametrize(
    "mine",
    [
        OTHER_A,
        failing("a", seen(tensor(0.5, 0.7))),
        failing("a", seen(tensor(0.5, 0.7, "nan"))),
        failing("a", seen(tensor(0.5, 0.7, 0.9), name="columns")),
        failing("a", seen(tensor(0.5, 0.7, 0.9), kind="same")),
        failing("a", seen(tensor(0.5, 0.7, 0.9)), seen(tensor(0.5, 0.7, 0.9))),
        failing("a", seen(tensor_to_json("float64", (3,), [0.5, 0.7, 0.9]))),
        failing("a"),
        failing("a", seen(tensor(0.5, 0.7, 0.9)), status="timeout"),
        raising("a", "ValueError", seen(tensor(0.5, 0.7, 0.9))),
        failing("a", seen(tensor(0.5, 0.7, 0.9)), fault="author"),
        passing("a"),
    ],
)
def test_anything_else_is_another_mistake(mine: CheckResult) -> None:
    assert diagnoses([mine], scale=[A]) == {}


def test_what_held_before_counts_as_well() -> None:
    before = [seen(tensor(1.0, 2.0), detail=""), seen(tensor(1.0, 3.0), detail="")]
    last = seen(tensor(0.5, 0.7, 0.9))
    assert diagnoses([failing("a", before[0], last)], scale=[failing("a", before[0], last)]) == {"a": "scale"}
    assert diagnoses([failing("a", before[1], last)], scale=[failing("a", before[0], last)]) == {}


@pytest.mark.parametrize("status", ["timeout", "crashed"])
def test_which_limit_struck_is_no_evidence(status: Any) -> None:
    struck = failing("a", status=status, error="check")
    assert diagnoses([struck], scale=[struck]) == {}


def test_a_variant_that_fails_what_the_student_passes_is_contradicted() -> None:
    assert diagnoses([A, passing("b")], scale=[A, B]) == {}
    assert diagnoses([A, skipped("b")], scale=[A, B]) == {"a": "scale"}


def test_a_student_may_have_other_mistakes_too() -> None:
    assert diagnoses([A, B, failing("c", seen(tensor(7.5, 3.25)))], scale=[A, B]) == {"a": "scale", "b": "scale"}


def test_more_than_half_of_what_can_be_compared_must_match() -> None:
    c, other_c = failing("c", seen(tensor(3.5, 4.5))), failing("c", seen(tensor(3.6, 4.5)))
    assert diagnoses([A, OTHER_B], scale=[A, B]) == {}
    assert diagnoses([A, B, other_c], scale=[A, B, c]) == {"a": "scale", "b": "scale"}
    assert diagnoses([A, OTHER_B, other_c], scale=[A, B, c]) == {}
    assert diagnoses([A, B, skipped("c")], scale=[A, B, c]) == {"a": "scale", "b": "scale"}
    assert diagnoses([OTHER_A, OTHER_B], scale=[A, B]) == {}


NOT_TELLING = [
    raising("a", "ValueError"),
    failing("a", seen("nothing", kind="raises")),
    failing("a", seen(False, kind="that")),
    failing("a", seen([2, 3], kind="shape")),
    failing("a", seen(tensor(0.0, 1.0, 1.0))),
    failing("a", seen(tensor(0.5, 0.5, 0.5))),
    failing("a", seen(tensor("nan", "nan", 0.0))),
    failing("a", seen(tensor_to_json("bool", (3,), [True, False, True]))),
    failing("a", seen({"dtype": "float32", "shape": [900, 900], "data": None, "sha256": "ab"})),
]


@pytest.mark.parametrize("check", NOT_TELLING, ids=range(len(NOT_TELLING)))
def test_little_evidence_needs_the_same_set_of_failures(check: CheckResult) -> None:
    assert diagnoses([check, passing("b")], scale=[check, passing("b")]) == {"a": "scale"}
    assert diagnoses([check, B], scale=[check, passing("b")]) == {}


def share(name: str, count: int) -> CheckResult:
    """A check that counted 1000 random draws."""
    return failing(name, seen({"count": [count], "total": [1000]}, kind="proportions"))


def test_what_chance_decides_is_no_part_of_the_set() -> None:
    mine, known = [share("a", 120), share("b", 860), passing("c")], [share("a", 130), passing("b"), passing("c")]
    assert diagnoses(mine, selects=known) == {"a": "selects"}
    assert diagnoses([share("a", 400), share("b", 860)], selects=known) == {}  # another share
    assert diagnoses([passing("a"), share("b", 860)], selects=known) == {}  # what the variant fails must be failed
    assert diagnoses([*mine[:2], raising("c", "ValueError")], selects=known) == {}  # chance has no part in c


@pytest.mark.parametrize(
    "check", [failing("a", seen(tensor(0.5, 0.7))), failing("a", seen(tensor(0.25))), failing("a", seen(0.125))]
)
def test_numbers_are_evidence_enough(check: CheckResult) -> None:
    assert diagnoses([check, B], scale=[check, passing("b")]) == {"a": "scale"}


def test_nothing_seen_is_no_evidence() -> None:
    assert diagnoses([failing("a")], scale=[failing("a")]) == {}
    assert diagnoses([failing("a", status="crashed")], scale=[failing("a", status="crashed")]) == {}


A_MORE = failing("d", seen(tensor(1.5, 2.5)))


@pytest.mark.parametrize("observations", [[], [seen(tensor(0.5, 0.7, 0.9))]])
def test_work_that_is_not_written_has_no_misconception(observations: list[Observation]) -> None:
    stub = raising("a", "NotImplementedError", *observations)
    assert diagnoses([stub], scale=[stub]) == {}
    assert diagnoses([stub, A_MORE, B], scale=[stub, A_MORE, B]) == {"d": "scale", "b": "scale"}


def test_a_pattern_of_booleans_tells_as_much_as_numbers() -> None:
    def mask(*values: bool) -> Observation:
        return Observation(
            "mask", "close", None, {"dtype": "bool", "shape": [len(values)], "data": list(values)}, "differs"
        )

    pattern, plain = failing("a", mask(*[True, False, False] * 6)), failing("a", mask(*[True] * 18))
    assert diagnoses([pattern, B], scale=[pattern], other=[B]) == {"a": "scale", "b": "other"}
    assert diagnoses([plain, B], scale=[plain], other=[B]) == {"b": "other"}


@pytest.mark.parametrize("kind", ["MissingName", "NotImplementedError"])
def test_what_is_not_written_yet_hides_no_misconception(kind: str) -> None:
    mask = Observation("mask", "close", None, {"dtype": "bool", "shape": [2], "data": [True, False]}, "differs")
    little = failing("a", mask)  # a yes and a no: told only if the rest agrees
    assert diagnoses([little, raising("b", kind), raising("c", kind)], scale=[little]) == {"a": "scale"}
    assert diagnoses([little, raising("b", kind)], scale=[little, B]) == {"a": "scale"}
    assert diagnoses([little, raising("b", "ValueError")], scale=[little]) == {}
    assert diagnoses([raising("a", kind), raising("b", kind)], scale=[little]) == {}


def test_who_explains_most_wins_whatever_the_order() -> None:
    variants = {"one": [A], "two": [A, B], "three": [B]}
    for order in itertools.permutations(variants):
        assert diagnoses([A, B], **{slug: variants[slug] for slug in order}) == {"a": "two", "b": "two"}


def test_equals_are_told_by_name() -> None:
    for order in itertools.permutations(["b_slug", "a_slug", "c_slug"]):
        assert diagnoses([A], **{slug: [A] for slug in order}) == {"a": "a_slug"}


def test_two_mistakes_at_once() -> None:
    assert diagnoses([A, B], mask=[A], scale=[B]) == {"a": "mask", "b": "scale"}


def test_nothing_known_or_nothing_failed() -> None:
    whole = result(passing("a"))
    assert diagnose(whole, Misconceptions("f", [describe_variant("s", "", result(A))])) == whole
    assert diagnose(result(A), Misconceptions("f", [])) == result(A)


def test_a_variant_without_failures_explains_nothing() -> None:
    assert diagnoses([A], right=[passing("a")]) == {}


def test_the_part_about_some_checks() -> None:
    known = Misconceptions("f", [describe_variant(slug, "", result(*c)) for slug, c in {"x": [A, B], "y": [B]}.items()])
    cut = known.for_checks(["a", "z"])
    assert [(variant.slug, set(variant.checks)) for variant in cut.variants] == [("x", {"a"})]
    assert known.for_checks([]).variants == []
    assert cut.fingerprint == "f"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(-1e9, 1e9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
def test_a_value_is_the_same_as_itself(value: Any) -> None:
    assert same_value(value, value)
    assert not same_value([value], [value, value])
    assert not same_value({"a": value}, {"b": value})
    assert not same_value([value], ["another text"])


@given(JSON, JSON)
def test_values_are_compared_without_complaint(a: Any, b: Any) -> None:
    assert same_value(a, b) in (True, False)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1.0, 1.00005, True),
        (1.0, 1.0003, False),
        (0.0, 9e-6, True),
        (0.0, 2e-5, False),
        ("nan", "nan", True),
        ("nan", 0.0, False),
        (1, 1.0, True),
        (None, 0, False),
        ([1.0, "a"], [1.00001, "a"], True),
        (100_000, 100_001, False),  # integers are counts and ids
    ],
)
def test_same_values(a: Any, b: Any, same: bool) -> None:
    assert same_value(a, b) is same
