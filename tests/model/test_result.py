"""Results as JSON: both ways without loss, and as the published schema says."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.jsonform import result_from_json, result_schema, result_to_json
from grader.model.observation import Observation, is_tensor_json, number_to_json, tensor_to_json
from grader.model.result import CheckResult, GradeResult, StudentError
from grader.model.submission import Submission, SubmittedFile

NAMES = ["reference", "stub", "broken"]


@pytest.mark.parametrize("name", NAMES)
def test_real_results_come_back(real_results: dict[str, GradeResult], name: str) -> None:
    result = real_results[name]
    assert result_from_json(result_to_json(result)) == result


@pytest.mark.parametrize("name", NAMES)
def test_real_results_are_as_the_schema_says(real_results: dict[str, GradeResult], name: str) -> None:
    found = json.loads(result_to_json(real_results[name]))
    jsonschema.Draft202012Validator.check_schema(result_schema())
    jsonschema.validate(found, result_schema(), jsonschema.Draft202012Validator)


def test_real_results_say_what_they_should(real_results: dict[str, GradeResult]) -> None:
    assert {name: (r.status, r.score) for name, r in real_results.items()} == {
        "reference": ("graded", 100.0),
        "stub": ("graded", 0.0),
        "broken": ("invalid", 0.0),
    }
    assert real_results["broken"].checks == []
    assert "line 1" in (real_results["broken"].reason or "")
    for name in ("reference", "stub"):
        checks = real_results[name].checks
        assert sum(check.max_points for check in checks) == real_results[name].max_score == 100
        assert {check.fault for check in checks} == {None if name == "reference" else "student"}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda r: r.pop("status"),
        lambda r: r.pop("submission"),
        lambda r: r.update(status="fine"),
        lambda r: r.update(score="100"),
        lambda r: r.update(schema_version="1"),
        lambda r: r["checks"][0].update(fault="nobody"),
        lambda r: r["checks"][0].update(visibility="secret"),
        lambda r: r["checks"][0].pop("max_points"),
        lambda r: r["submission"]["files"][0].pop("sha256"),
    ],
)
def test_spoilt_results_are_refused(real_results: dict[str, GradeResult], spoil: Callable[[Any], object]) -> None:
    found = json.loads(result_to_json(real_results["stub"]))
    spoil(found)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, result_schema())
    with pytest.raises(msgspec.DecodeError):
        result_from_json(json.dumps(found).encode())


def test_readers_ignore_what_they_do_not_know(real_results: dict[str, GradeResult]) -> None:
    found = json.loads(result_to_json(real_results["stub"]))
    found["later"] = {"key": 1}
    found["checks"][0]["later"] = [1]
    assert result_from_json(json.dumps(found).encode()) == real_results["stub"]
    jsonschema.validate(found, result_schema())


@given(st.binary(max_size=60) | st.text('[{"}],:0e1nul', max_size=60).map(str.encode))
def test_other_bytes_are_no_result(content: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        result_from_json(content)


def test_a_cut_result_is_none(real_results: dict[str, GradeResult]) -> None:
    whole = result_to_json(real_results["broken"])
    for length in range(0, len(whole) - 3, 7):
        with pytest.raises(msgspec.DecodeError):
            result_from_json(whole[:length])


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats().map(number_to_json)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES, st.text(max_size=40))
def test_observations_hold_any_json(expected: Any, actual: Any, text: str) -> None:
    seen = Observation("rows", "close", expected, actual, text)
    coded = msgspec.json.encode(seen)
    assert msgspec.json.decode(coded, type=Observation) == seen
    assert seen.held is (text == "")


@given(st.floats())
def test_numbers_that_json_does_not_have_are_words(value: float) -> None:
    found = number_to_json(value)
    assert isinstance(found, float) is math.isfinite(value)
    assert found == value if math.isfinite(value) else float(found) == value or found == "nan"


def test_tensors() -> None:
    found = tensor_to_json("float32", (2, 2), [1.0, math.nan, math.inf, -math.inf])
    assert found == {"dtype": "float32", "shape": [2, 2], "data": [1.0, "nan", "inf", "-inf"]}
    assert tensor_to_json("int64", (1,), [2**60])["data"] == [2**60]
    assert is_tensor_json(found)
    assert not any(map(is_tensor_json, (None, [1], "x", {}, {"dtype": "float32"}, {"shape": [1], "data": [1]})))


def test_optional_parts(make_check: Callable[..., CheckResult], make_result: Callable[..., GradeResult]) -> None:
    check = make_check("a", status="error", error=StudentError("ValueError", None, None))
    result = make_result("x", [check], score=None, status="ungraded", reason="no", stdout="\0\x1b[1m\u2028😀")
    assert result_from_json(result_to_json(result)) == result
    jsonschema.validate(json.loads(result_to_json(result)), result_schema())


def test_a_submissions_hash_knows_names_and_contents_apart() -> None:
    def digest(*files: tuple[str, bytes]) -> str:
        return Submission("a", "A", tuple(SubmittedFile(*file) for file in files), None, {}).sha256

    hashes = [
        digest(),
        digest(("a", b"bc")),
        digest(("ab", b"c")),
        digest(("a", b"b"), ("c", b"")),
        digest(("a", b""), ("b", b"c")),
        digest(("\udcff", b"bc")),
    ]
    assert len(set(hashes)) == len(hashes)
    assert digest(("a", b"1"), ("b", b"2")) == digest(("b", b"2"), ("a", b"1"))
