"""Strict JSON: what honest JSON holds comes back, and everything else is a FrameError."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.wire.frames import FrameError
from grader.wire.strictjson import MAX_DEPTH, MAX_INTEGER_DIGITS, strict_loads

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**39), 10**39)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN, st.booleans())
def test_honest_json_comes_back(value: Any, ascii_only: bool) -> None:
    content = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")
    found = strict_loads(content)
    assert found == value
    assert repr(found) == repr(value)  # 1, 1.0 and True are not the same here


@given(st.binary(max_size=200))
def test_any_bytes_are_json_or_a_frame_error(content: bytes) -> None:
    try:
        found = strict_loads(content)
    except FrameError:
        return
    assert json.loads(content) == found


@given(st.lists(st.sampled_from(list('[]{}":,0\\1eE.-naNtrufls ')), max_size=60).map("".join))
def test_shreds_of_json_are_json_or_a_frame_error(text: str) -> None:
    try:
        found = strict_loads(text.encode())
    except FrameError:
        return
    assert json.loads(text) == found


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth(opening: str, closing: str) -> None:
    deepest = opening * MAX_DEPTH + "1" + closing * MAX_DEPTH
    assert strict_loads(deepest.encode()) == json.loads(deepest)
    deeper = opening * (MAX_DEPTH + 1) + "1" + closing * (MAX_DEPTH + 1)
    with pytest.raises(FrameError, match="nested deeper than 48"):
        strict_loads(deeper.encode())


@pytest.mark.parametrize("content", ["[" * 500_000, '{"a":' * 100_000, '["\\"' + "[" * 1000, "[" * 60 + "]" * 60])
def test_nesting_costs_no_recursion(content: str) -> None:
    with pytest.raises(FrameError):
        strict_loads(content.encode())


@pytest.mark.parametrize("text", ["[" * 100, "{[" * 50, '\\"[[' * 50, "\\" + "[" * 99, '"' + "{" * 99])
def test_brackets_in_texts_are_no_nesting(text: str) -> None:
    assert strict_loads(json.dumps([text, text]).encode()) == [text, text]


def test_many_values_side_by_side_are_no_nesting() -> None:
    value = [[number] for number in range(1000)]
    assert strict_loads(json.dumps(value).encode()) == value


@pytest.mark.parametrize("digits", ["9" * MAX_INTEGER_DIGITS, "-" + "9" * MAX_INTEGER_DIGITS])
def test_integers_of_forty_digits(digits: str) -> None:
    assert strict_loads(digits.encode()) == int(digits)
    with pytest.raises(FrameError, match="digits"):
        strict_loads(digits.encode() + b"9")


@pytest.mark.parametrize("digits", ["1" * 100_000, "0." + "1" * 100_000, "1e" + "1" * 100_000, "-" + "9" * 10_000])
def test_long_numbers(digits: str) -> None:
    with pytest.raises(FrameError):
        strict_loads(digits.encode())


@pytest.mark.parametrize("content", ['{"a": 1, "a": 1}', '[{"n": 0, "b": 1, "n": 2}]', r'{"a": 1, "\u0061": 2}'])
def test_a_key_given_twice(content: str) -> None:
    with pytest.raises(FrameError, match="key twice"):
        strict_loads(content.encode())


@pytest.mark.parametrize("content", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_literals_that_json_does_not_have(content: str) -> None:
    with pytest.raises(FrameError, match="literal"):
        strict_loads(content.encode())


@pytest.mark.parametrize(
    "content", [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b"\xff\xfe[\x00]\x00", "[]".encode("utf-16")]
)
def test_other_encodings(content: bytes) -> None:
    with pytest.raises(FrameError, match="not the JSON"):
        strict_loads(content)


@pytest.mark.parametrize("content", [b"", b" ", b"[1", b"[1]]", b"[1] x", b"'a'", b"[1,]", b"01", b'"a\nb"', b"nul"])
def test_what_is_no_json(content: bytes) -> None:
    with pytest.raises(FrameError, match="not the JSON"):
        strict_loads(content)


def test_an_escaped_pair_is_one_character() -> None:
    assert strict_loads(rb'"\ud83d\ude00"') == "😀"


@pytest.mark.parametrize("content", [rb'"\ud800"', rb'["\udfff x"]', rb'{"\ude00\ud83d": 1}', rb'"\uD83D"'])
def test_no_text_comes_out_that_cannot_be_written(content: bytes) -> None:
    try:
        found = strict_loads(content)
    except FrameError:
        return
    json.dumps(found, ensure_ascii=False).encode("utf-8")
