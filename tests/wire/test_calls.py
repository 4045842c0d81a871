"""Calls: a reply is taken only if it answers its call, in a form that the judge knows."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.wire import calls
from grader.wire.calls import MAX_ERROR_TEXT, ErrorReport, error_from_value, pack_request, parse_reply, parse_request
from grader.wire.frames import FrameError, read_frame
from grader.wire.values import Encoder, Generator

NONCE = "00ff"
ERROR = {"kinds": ["ValueError", "Exception"], "text": "no", "file": "a.py", "line": 3, "function": "f", "source": "x"}


def reply(**fields: Any) -> bytes:
    """The header of a reply to NONCE with these fields."""
    return json.dumps({"n": NONCE, **fields}).encode()


def unframed(frame: bytes) -> tuple[bytes, bytes]:
    """Header and payload of one whole frame."""
    position = 0

    def read(length: int) -> bytes:
        nonlocal position
        position += length
        return frame[position - length : position]

    return read_frame(read)


@given(
    st.text("0123456789abcdef", min_size=1, max_size=16),
    st.sampled_from([calls.LOAD, calls.CALL, calls.FETCH]),
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.binary(max_size=9), max_size=4),
)
def test_requests_come_back(nonce: str, operation: str, arguments: dict[str, Any]) -> None:
    arguments = {key: value for key, value in arguments.items() if not isinstance(value, int) or abs(value) < 2**127}
    for seconds, reset in ((0.0, None), (9.998, 0), (9.998, 2**32 - 1)):
        request = parse_request(*unframed(pack_request(nonce, operation, arguments, seconds, reset).frame))
        assert request == (nonce, operation, arguments, seconds, reset)


def test_a_request_refuses_what_cannot_cross() -> None:
    with pytest.raises(TypeError, match="object"):
        pack_request(NONCE, calls.CALL, {"args": (object(),)})


def test_a_value_and_what_became_of_generators() -> None:
    encoder = Encoder()
    tree = encoder.tree({"a": (1, torch.arange(3))})
    states = [encoder.tree(Generator(b"state")), encoder.tree(Generator(b""))]
    found = parse_reply(reply(ok=tree, gen=states), encoder.payload, NONCE, generators_sent=2)
    for sent in (0, 1, 3):
        with pytest.raises(FrameError, match="another number of generators"):
            parse_reply(reply(ok=tree, gen=states), encoder.payload, NONCE, generators_sent=sent)
    assert found.error is None
    assert found.generators == (b"state", b"")
    assert found.value["a"][0] == 1
    assert torch.equal(found.value["a"][1], torch.tensor([0, 1, 2]))


def test_the_same_bytes_are_not_handed_out_twice() -> None:
    states = [{"g": [0, 8, 0]}, {"g": [0, 8, 1]}]
    with pytest.raises(FrameError, match="more than once"):
        parse_reply(reply(ok=None, gen=states), b"x" * 8, NONCE, generators_sent=2)


def test_what_was_switched_back() -> None:
    assert parse_reply(reply(ok=1, sw=["a", "b"]), b"", NONCE, reset=True).switched == ("a", "b")
    assert parse_reply(reply(err=ERROR, sw=[]), b"", NONCE, reset=True).switched == ()
    for told, reset in (([], False), (None, True), ("a", True), ([1], True), ([["a"]], True), ({"x": []}, True)):
        fields = {} if told is None else {"sw": told}
        with pytest.raises(FrameError, match="tells of global switches"):
            parse_reply(reply(ok=1, **fields), b"", NONCE, reset=reset)


def test_an_error() -> None:
    found = parse_reply(reply(err=ERROR), b"", NONCE)
    assert found.error == ErrorReport(("ValueError", "Exception"), "no", "a.py", 3, "f", "x")
    assert found.value is None


@pytest.mark.parametrize("nonce", ["00fe", "", None, 255, ["00ff"], {"s": "00ff"}, True, "00FF", "00ff "])
def test_another_nonce_answers_another_call(nonce: Any) -> None:
    with pytest.raises(FrameError, match="does not answer this call"):
        parse_reply(json.dumps({"n": nonce, "ok": 1}).encode(), b"", NONCE)


@pytest.mark.parametrize("header", [b"[]", b"null", b'"00ff"', b"1", b'["n", "00ff"]', b'{"ok": 1}', b"{}"])
def test_what_is_no_reply(header: bytes) -> None:
    with pytest.raises(FrameError, match="does not answer this call"):
        parse_reply(header, b"", NONCE)


@pytest.mark.parametrize(
    "fields", [{}, {"ok": 1, "err": ERROR}, {"ok": 1, "more": 2}, {"gen": []}, {"err": ERROR, "a": 1}]
)
def test_neither_a_value_nor_an_error(fields: dict[str, Any]) -> None:
    with pytest.raises(FrameError, match="neither a value nor an error"):
        parse_reply(reply(**fields), b"", NONCE)


@pytest.mark.parametrize(
    "states", [1, {}, None, "x", [1], [{"b": [0, 1]}], [{"g": [0, 9, 0]}], [{"g": [0, 1]}], [[{"g": [0, 1, 0]}]]]
)
def test_malformed_generators(states: Any) -> None:
    with pytest.raises(FrameError):
        parse_reply(reply(ok=1, gen=states), b"x", NONCE)


def without(key: str) -> dict[str, Any]:
    """ERROR with one field missing."""
    return {name: value for name, value in ERROR.items() if name != key}


@pytest.mark.parametrize(
    "body",
    [
        *(None, 1, "ValueError", [], {}, without("kinds"), without("text")),
        *(ERROR | {"kinds": kinds} for kinds in ([], "ValueError", [1], ["a", None], {"0": "a"})),
        *(ERROR | {"text": text} for text in (None, 1, ["no"])),
        *(ERROR | {"line": line} for line in ("3", 3.0, True, [3])),
        *(ERROR | {name: 1} for name in ("file", "function", "source")),
        ERROR | {"more": 1},
    ],
)
def test_malformed_errors(body: Any) -> None:
    with pytest.raises(FrameError, match="malformed error"):
        parse_reply(reply(err=body), b"", NONCE)


def test_an_error_needs_no_place() -> None:
    assert error_from_value({"kinds": ["E"], "text": ""}) == ErrorReport(("E",), "")


def test_errors_are_cut() -> None:
    long = "x" * 10_000
    found = error_from_value({"kinds": [long] * 50, "text": long, "file": long, "function": long, "source": long})
    assert found.kinds == ("x" * 80,) * 20
    assert found.text == "x" * MAX_ERROR_TEXT
    assert (found.file, found.function, found.source) == ("x" * 200,) * 3


@pytest.mark.parametrize("line", [10**30, -1, -(2**70)])
def test_a_line_is_one_that_a_result_can_hold(line: int) -> None:
    try:
        found = error_from_value(ERROR | {"line": line})
    except FrameError:
        return
    assert found.line is None or 0 <= found.line < 2**31
