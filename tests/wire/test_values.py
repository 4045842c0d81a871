"""Values: every listed type comes back as it was, and what cannot cross arrives under its name."""

from __future__ import annotations

import json
import math
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.wire.calls import parse_reply
from grader.wire.decoding import decode
from grader.wire.frames import MAX_HEADER, FrameError, pack_frame, read_frame
from grader.wire.values import DTYPE_BYTES, MAX_DIMENSIONS, MAX_TEXT, Encoder, Generator, Handle, Unsupported

DTYPES = sorted(DTYPE_BYTES)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**128) + 1, 2**128 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=10)
    | st.binary(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=4) | st.integers(-(2**63) + 1, 2**63 - 1), inner, max_size=4)
    ),
    max_leaves=15,
)


def crossed(value: Any, keep: Callable[[Any], int] | None = None) -> Any:
    """`value` after the whole way: encoded, framed, read, checked as a reply, decoded."""
    encoder = Encoder(keep)
    header = json.dumps({"n": "0", "ok": encoder.tree(value)}).encode("ascii")
    rest = memoryview(pack_frame(header, encoder.payload))

    def read(length: int) -> bytes:
        nonlocal rest
        taken, rest = bytes(rest[:length]), rest[length:]
        return taken

    return parse_reply(*read_frame(read), "0").value


def exactly(found: torch.Tensor, sent: torch.Tensor) -> bool:
    """Same dtype, shape and bytes, in a plain tensor of its own."""
    assert type(found) is torch.Tensor
    assert (found.dtype, found.shape) == (sent.dtype, sent.shape)
    assert found.is_contiguous()
    assert found.storage_offset() == 0
    assert not found.requires_grad
    return torch.equal(found.reshape(-1).view(torch.uint8), sent.detach().clone().reshape(-1).view(torch.uint8))


def some_tensor(dtype: str, *shape: int) -> torch.Tensor:
    """Different values in each place, as far as the dtype has them."""
    numbers = torch.arange(math.prod(shape)).reshape(shape)
    return (numbers % 3 == 1) if dtype == "bool" else numbers.to(getattr(torch, dtype))


@given(PLAIN)
def test_plain_values(value: Any) -> None:
    assert repr(crossed(value)) == repr(value)


def test_numbers_that_json_does_not_have() -> None:
    found = crossed([math.nan, math.inf, -math.inf, -0.0])
    assert math.isnan(found[0])
    assert found[1:3] == [math.inf, -math.inf]
    assert math.copysign(1, found[3]) == -1


def test_subclasses_arrive_as_their_plain_type() -> None:
    class Number(int):
        def __int__(self) -> int:
            return 7

    class Text(str):
        def __getitem__(self, _: Any) -> str:
            return "lie"

    found = crossed((Number(3), Text("abc"), OrderedDict(a=1), np.float64(0.5), np.int64(4), np.bool_(True)))
    assert repr(found) == repr((3, "abc", {"a": 1}, 0.5, 4, True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (2, 1, 3, 2), (0,), (3, 0, 2)])
def test_tensors_of_every_dtype(dtype: str, shape: tuple[int, ...]) -> None:
    sent = some_tensor(dtype, *shape)
    assert exactly(crossed(sent), sent)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "look",
    [
        lambda t: t.mT,
        lambda t: t.permute(2, 0, 1),
        lambda t: t[1:],
        lambda t: t[:, ::2],
        lambda t: t[1, 2],
        lambda t: t[1, 2, 3],
        lambda t: t[:, :1].expand(2, 5, 4),
        lambda t: t[1, 1, 1].expand(3, 2),
        lambda t: t.flip(0)[1].T,
        lambda t: t[..., 1].unsqueeze(1),
        lambda t: t[:, 2:2],
    ],
    ids=["mT", "permuted", "offset", "strided", "row", "element", "expanded", "scalar", "flipped", "column", "empty"],
)
def test_views(dtype: str, look: Callable[[torch.Tensor], torch.Tensor]) -> None:
    sent = look(some_tensor(dtype, 2, 3, 4))
    assert exactly(crossed(sent), sent)


@given(st.lists(st.floats(width=32), min_size=1, max_size=20), st.sampled_from(["float32", "float64", "bfloat16"]))
def test_floats_keep_every_bit(values: list[float], dtype: str) -> None:
    sent = torch.tensor(values, dtype=getattr(torch, dtype))
    assert exactly(crossed(sent), sent)


def test_tensors_with_a_history() -> None:
    weight = torch.nn.Parameter(torch.randn(2, 3))
    with torch.inference_mode():
        inferred = torch.ones(2)
    for sent in (weight, weight * 2, weight.sum(), inferred):
        assert exactly(crossed(sent), sent)


@pytest.mark.parametrize("sent", [torch.tensor([1 + 2j, 3 - 1j]).conj().imag, torch.tensor(1 + 2j).conj().imag])
def test_tensors_that_are_lazily_negative(sent: torch.Tensor) -> None:
    assert sent.is_neg()
    assert crossed(sent).tolist() == sent.tolist()


def test_what_arrives_is_a_copy() -> None:
    sent = torch.zeros(3)
    found = crossed([sent, sent])
    found[0].add_(1)
    assert found[1].tolist() == sent.tolist() == [0, 0, 0]


class Labelled(torch.Tensor):
    """A tensor subclass, as a hostile answer would be."""


def nested() -> torch.Tensor:
    """A nested tensor, without torch's word of warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])


def quantised() -> torch.Tensor:
    """A quantised tensor, without torch's word of warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantize_per_tensor(torch.zeros(2), 1.0, 0, torch.quint8)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: torch.eye(2).to_sparse(), "sparse"),
        (lambda: torch.eye(2).to_sparse_csr(), "sparse"),
        (quantised, "quantised"),
        (lambda: torch.empty(2, device="meta"), "device meta"),
        (lambda: torch.zeros(2, dtype=torch.complex64), "complex64"),
        (lambda: torch.zeros(2, dtype=torch.float8_e4m3fn), "float8_e4m3fn"),
        (lambda: torch.zeros(2, dtype=torch.uint16), "uint16"),
        (nested, "nested"),
        (lambda: torch.zeros(2).as_subclass(Labelled), "subclass (Labelled)"),
        (lambda: torch.zeros(()).expand((1 << 24) + 1), "16777217 elements"),
        (lambda: torch.zeros([1] * (MAX_DIMENSIONS + 1)), "17 dimensions"),
        (lambda: 2**128, "more than 128 bits"),
    ],
)
def test_what_cannot_cross_is_named(make: Callable[[], Any], name: str) -> None:
    found, other = crossed([make(), 1])
    assert isinstance(found, Unsupported)
    assert name in found.what
    assert name in repr(found)
    assert other == 1


def test_handles_and_generators() -> None:
    kept: list[Any] = []

    def keep(value: Any) -> int:
        kept.append(value)
        return len(kept)

    strangers = [object(), {1.5: 2}, {None: 1}, {1, 2}, np.zeros(3), 1j, len]
    found = crossed([*strangers, Handle(7, "Model"), Generator(b"\1\2")], keep)
    assert kept == strangers or all(a is b for a, b in zip(kept, strangers, strict=True))
    names = ["object", "dict", "dict", "set", "ndarray", "complex", "builtin_function_or_method"]
    assert [handle.type_name for handle in found[:7]] == names
    assert [handle.number for handle in found[:8]] == [1, 2, 3, 4, 5, 6, 7, 7]
    assert found[8].state == b"\1\2"


def test_strangers_need_someone_who_keeps_them() -> None:
    with pytest.raises(TypeError, match="a value of type object cannot be sent"):
        Encoder().tree([1, (object(),)])


def test_texts_are_cut() -> None:
    """What student code returns; what the judge sends crosses whole."""
    encoder = Encoder(keep=lambda value: 1)
    assert encoder.tree("x" * (MAX_TEXT + 1)) == "x" * MAX_TEXT
    assert crossed("x" * (MAX_TEXT + 1)) == "x" * (MAX_TEXT + 1)


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: (v,), lambda v: {"k": v}], ids=["list", "tuple", "dict"])
def test_whatever_is_encoded_can_be_read(wrap: Callable[[Any], Any]) -> None:
    value: Any = torch.zeros(2, 3)
    for depth in range(1, 99):
        value = wrap(value)
        try:
            Encoder().tree(value)
        except ValueError:
            break
        found = crossed(value)
        for _ in range(depth):
            found = found["k"] if isinstance(found, dict) else found[0]
        assert exactly(found, torch.zeros(2, 3))
    assert 5 < depth < 98


@pytest.mark.parametrize("key", [10**45, -(10**45), 10**5000], ids=["45 digits", "negative", "5000 digits"])
def test_large_keys_are_not_taken_for_a_lie(key: int) -> None:
    found = crossed([{key: 1}], keep=lambda _: 1)
    assert found is not None


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", {"\ud800": 1}])
def test_text_that_cannot_be_written_arrives_as_text_that_can(text: Any) -> None:
    json.dumps(crossed(text), ensure_ascii=False).encode("utf-8")


def test_too_much_in_one_value() -> None:
    block = torch.zeros(1 << 22, dtype=torch.float64)
    with pytest.raises(ValueError, match="more than 64 MB"):
        Encoder().tree([block, block, block])
    with pytest.raises(FrameError, match="larger than the wire takes"):
        pack_frame(b"x" * (MAX_HEADER + 1))


def test_decode_takes_no_objects() -> None:
    for tree in (Handle(1, "x"), (1, 2), b"x", torch.zeros(1), object()):
        with pytest.raises(FrameError, match="no known form"):
            decode(tree, b"")
