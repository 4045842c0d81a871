"""Frames: what is packed is read again, and nothing is read that the caps forbid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.wire.frames import MAGIC, MAX_HEADER, MAX_PAYLOAD, PREFIX, FrameError, pack_frame, read_frame


class Source:
    """Bytes to read from; keeps how many were asked for."""

    def __init__(self, content: bytes, most: int | None = None) -> None:
        self._rest = content
        self._most = most
        self.asked: list[int] = []

    def read(self, length: int) -> bytes:
        """Exactly so many bytes; fails the test if that is more than `most`."""
        assert self._most is None or length <= self._most, f"{length} bytes were asked for"
        self.asked.append(length)
        if length > len(self._rest):
            raise EOFError
        taken, self._rest = self._rest[:length], self._rest[length:]
        return taken


@given(st.lists(st.tuples(st.binary(max_size=200), st.binary(max_size=400)), max_size=4))
def test_frames_come_back_one_after_the_other(frames: list[tuple[bytes, bytes]]) -> None:
    source = Source(b"".join(pack_frame(header, payload) for header, payload in frames))
    assert [read_frame(source.read) for _ in frames] == frames
    assert source.read(0) == b""
    with pytest.raises(EOFError):
        source.read(1)


@given(st.binary(max_size=50), st.binary(max_size=50), st.data())
def test_a_cut_frame_is_the_readers_end(header: bytes, payload: bytes, data: st.DataObject) -> None:
    whole = pack_frame(header, payload)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(EOFError):
        read_frame(Source(cut).read)


@pytest.mark.parametrize(
    ("header", "payload"),
    [(MAX_HEADER + 1, 0), (0, MAX_PAYLOAD + 1), (2**32 - 1, 2**32 - 1), (1, 2**31), (2**31, 1)],
)
def test_caps_hold_before_anything_is_read(header: int, payload: int) -> None:
    source = Source(PREFIX.pack(MAGIC, header, payload) + b"x" * 100, most=PREFIX.size)
    with pytest.raises(FrameError, match="more than the wire takes"):
        read_frame(source.read)
    assert source.asked == [PREFIX.size]


@given(st.binary(min_size=4, max_size=4).filter(lambda start: start != MAGIC))
def test_other_beginnings_are_refused(start: bytes) -> None:
    source = Source(start + b"\0" * 100, most=PREFIX.size)
    with pytest.raises(FrameError, match="does not begin like a frame"):
        read_frame(source.read)


def test_frames_at_the_caps_pass() -> None:
    packed = pack_frame(b"h" * MAX_HEADER, b"p")
    assert read_frame(Source(packed).read) == (b"h" * MAX_HEADER, b"p")
    prefix = PREFIX.pack(MAGIC, 0, MAX_PAYLOAD)
    source = Source(prefix)
    with pytest.raises(EOFError):
        read_frame(source.read)
    assert source.asked == [PREFIX.size, MAX_PAYLOAD]


@pytest.mark.parametrize(("header", "payload"), [(MAX_HEADER + 1, 0), (0, MAX_PAYLOAD + 1)])
def test_we_send_nothing_above_the_caps(header: int, payload: int) -> None:
    with pytest.raises(FrameError, match="larger than the wire takes"):
        pack_frame(b"h" * header, b"p" * payload)
