"""Hostile replies: whatever bytes a student process sends, the judge has a value, an error report or a FrameError."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import torch

from grader.wire.calls import parse_reply
from grader.wire.decoding import decode
from grader.wire.frames import FrameError, pack_frame, read_frame
from grader.wire.values import MAX_ELEMENTS, Encoder, Generator, Handle

ROUNDS = 40_000

FORMLESS: list[Any] = [
    {},
    {"f": "nan", "b": [0, 1]},
    {"z": 1},
    {"": 1},
    {"F": "nan"},
    {"x": {"x": [0]}},
    {"f": "NaN"},
    {"f": 1.0},
    {"f": "infinity"},
    {"f": None},
    {"t": {"a": 1}},
    {"t": "abc"},
    {"t": [{"q": 1}]},
    {"d": {"a": 1}},
    {"d": [["a"]]},
    {"d": [["a", 1, 2]]},
    {"d": [[1.5, 1]]},
    {"d": [[True, 1]]},
    {"d": [[None, 1]]},
    {"d": [[[1], 1]]},
    {"d": [["a", 1], ["a", 2]]},
    {"d": ["ab"]},
    {"h": 1},
    {"h": [1]},
    {"h": ["1", "Model"]},
    {"h": [True, "Model"]},
    {"h": [1, 2]},
    {"h": [1.0, "Model"]},
    {"u": 1},
    {"u": ["sparse"]},
    {"b": [0, 9]},
    {"b": [8, 1]},
    {"b": [-1, 2]},
    {"b": [0, -1]},
    {"b": [0.0, 1]},
    {"b": [True, 1]},
    {"b": [0, 10**39]},
    {"b": "ab"},
    {"b": [0]},
    {"g": [0, 9, 0]},
    {"g": [0, 0]},
    {"g": None},
]
TENSORS: list[Any] = [
    *(None, [], "float32", ["float32", [2]], ["float32", [2], 0, 0], {"dtype": "float32"}),
    *([name, [2], 0] for name in ("complex64", "float8_e4m3fn", "float", "Float32", "", None, 1, "__class__", "nn")),
    *(["uint8", shape, 0] for shape in ("8", 8, None, [-1], [-1, -8], [2.0], [True], ["2"], [[2]], [9], [1] * 17)),
    *(["uint8", shape, 0] for shape in ([MAX_ELEMENTS + 1], [4096, 4097], [1 << 24, 1 << 24, 0], [10**39], [2, -1, 0])),
    *(["uint8", [2], offset] for offset in (-1, 7, 8, 10**39, True, None, 0.0, "0", [0])),
    ["float64", [2], 0],
    ["float32", [2], 1],
    ["bool", [8], 0],
    ["float32", [0, 1 << 24, 1 << 24, 1 << 24], 0],
    ["float32", [0, *[1 << 24] * 15], 0],
    ["int8", [1 << 20, 0, 1 << 24, 1 << 24], 0],
]
PAYLOAD = b"\2\0\1\xff\0\0\0"  # 7 bytes


@pytest.mark.parametrize(
    "tree", [*FORMLESS, *({"x": body} for body in TENSORS)], ids=lambda tree: json.dumps(tree)[:60]
)
def test_malformed_trees(tree: Any) -> None:
    with pytest.raises(FrameError):
        decode(tree, PAYLOAD)
    with pytest.raises(FrameError):
        decode([1, {"t": [{"d": [["k", tree]]}]}], PAYLOAD)


def test_the_same_payload_has_good_readers() -> None:
    """So that the trees above are refused for what they are, not for the bytes."""
    assert decode({"b": [0, 7]}, PAYLOAD) == PAYLOAD
    assert decode({"x": ["uint8", [7, 1], 0]}, PAYLOAD).tolist() == [[2], [0], [1], [255], [0], [0], [0]]
    assert decode({"x": ["bool", [2], 1]}, PAYLOAD).tolist() == [False, True]
    assert decode({"x": ["float64", [0], 7]}, PAYLOAD).shape == (0,)


@pytest.mark.parametrize("value", [2, 3, 127, 128, 255])
def test_booleans_are_zero_or_one(value: int) -> None:
    for place in range(3):
        raw = bytearray(b"\0\1\0")
        raw[place] = value
        with pytest.raises(FrameError, match="boolean"):
            decode({"x": ["bool", [3], 0]}, bytes(raw))


def honest_replies() -> list[tuple[dict[str, Any], bytes]]:
    """Replies with something of everything: (tree, payload)."""
    values = [
        None,
        [1, -2, 0.5, "text", True],
        {"a": (torch.arange(6.0).reshape(2, 3), b"bytes"), 3: float("nan")},
        [torch.tensor([True, False]), torch.zeros(0, 4), torch.tensor(7), torch.zeros(2, dtype=torch.bfloat16)],
        (Handle(4, "TinySelfAttn"), 2**200, {"deep": [[[("x",)]]]}),
    ]
    replies = []
    for value in values:
        encoder = Encoder()
        tree = {"n": "ab", "ok": encoder.tree(value), "gen": [encoder.tree(Generator(b"state"))]}
        replies.append((tree, encoder.payload))
    error = {"kinds": ["ValueError", "Exception"], "text": "no", "file": "a.py", "line": 3}
    replies.append(({"n": "ab", "err": error}, b""))
    return replies


JUNK: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**64,
        -(10**39),
        1e308,
        -0.5,
        "",
        "nan",
        "float32",
        "bool",
        "\ud800",
        "x" * 300,
    ),
    *([], {}, [0], [0, 0], {"x": []}, {"t": []}, {"d": [[1, 2]]}, [1 << 24, 0], {"f": "inf"}, [[]], {"u": "x"}),
]


def mutated_tree(tree: Any, chance: random.Random) -> Any:
    """A copy of `tree` with junk in some places, or with keys and items moved."""
    if chance.random() < 0.08:
        return chance.choice(JUNK)
    if isinstance(tree, list):
        items = [mutated_tree(item, chance) for item in tree]
        if items and chance.random() < 0.1:
            items.insert(chance.randrange(len(items) + 1), chance.choice([*items, *JUNK]))
        if items and chance.random() < 0.1:
            items.pop(chance.randrange(len(items)))
        return items
    if isinstance(tree, dict):
        return {
            (chance.choice([*"tdxbghuf", "n", "ok", "err"]) if chance.random() < 0.05 else key): mutated_tree(
                item, chance
            )
            for key, item in tree.items()
        }
    return tree


def mutated_bytes(frame: bytes, chance: random.Random) -> bytes:
    """A copy of `frame` with bytes changed, cut out, doubled or cut off."""
    content = bytearray(frame)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(content) + 1)
        what = chance.randrange(5)
        if what == 0:
            content[place : place + 1] = bytes([chance.randrange(256)])
        elif what == 1:
            content[place:place] = content[chance.randrange(len(content) + 1) :][: chance.randrange(20)]
        elif what == 2:
            del content[place : place + chance.randrange(8)]
        elif what == 3:
            content[place : place + 1] = bytes([chance.choice(b'{}[]",:0123456789-.eE\\')])
        else:
            content = content[: max(1, place)]
    return bytes(content)


def outcome(frame: bytes) -> str:
    """`value`, `refused` or `short`; any other exception is the bug that is looked for."""
    rest = memoryview(frame)

    def read(length: int) -> bytes:
        nonlocal rest
        if length > len(rest):
            raise EOFError
        taken, rest = bytes(rest[:length]), rest[length:]
        return taken

    try:
        parse_reply(*read_frame(read), "ab")
    except EOFError:
        return "short"
    except FrameError:
        return "refused"
    return "value"


def test_mutated_replies() -> None:
    chance = random.Random(20_240)
    honest = honest_replies()
    seen = dict.fromkeys(("value", "refused", "short"), 0)
    for number in range(ROUNDS):
        tree, payload = honest[number % len(honest)]
        if number % 3:
            changed = {**mutated_parts(tree, chance)}
            frame = pack_frame(json.dumps(changed).encode(), payload[: chance.randrange(len(payload) + 1)] + b"\1")
        else:
            frame = mutated_bytes(pack_frame(json.dumps(tree).encode(), payload), chance)
        try:
            seen[outcome(frame)] += 1
        except Exception as error:
            pytest.fail(f"round {number}: {type(error).__name__}: {error}: {frame[:300]!r}")
    assert min(seen.values()) > ROUNDS // 50, seen


def mutated_parts(tree: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A reply whose nonce mostly survives, so that what lies behind it is met."""
    parts = {key: mutated_tree(value, chance) for key, value in tree.items()}
    return parts if chance.random() < 0.02 else parts | {"n": "ab"}
