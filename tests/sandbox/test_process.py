"""The judge's end of a student process, against peers that answer late, early, in pieces, too much or not at all."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.sandbox.base import StudentGone, StudentLied, StudentTimeout
from grader.sandbox.facts import ExitFacts
from grader.sandbox.process import ConnectedProcess, Printed
from grader.wire.frames import MAGIC, MAX_HEADER, MAX_PAYLOAD, PREFIX, pack_frame, read_frame

LONG = 30.0
CAP = 1000
FACTS = ExitFacts(-9, 1.5, 4096)


@given(st.integers(0, 40), st.lists(st.binary(max_size=50), max_size=12))
def test_printed_keeps_head_and_tail(cap: int, chunks: list[bytes]) -> None:
    whole, half = b"".join(chunks), cap // 2
    printed = Printed(cap)
    for chunk in chunks:
        printed.feed(chunk)
    kept = printed.take()
    if len(whole) <= 2 * half:
        assert kept == whole
    else:
        note = f"\n[... {len(whole) - 2 * half} bytes left out ...]\n".encode()
        assert kept == whole[:half] + note + whole[len(whole) - half :]
    assert printed.take() == b""


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_printed_starts_anew(first: bytes, second: bytes) -> None:
    used, new = Printed(20), Printed(20)
    used.feed(first)
    used.take()
    for printed in (used, new):
        printed.feed(second)
    assert used.take() == new.take()


@dataclass
class Peer:
    """The other end: what a student process holds, played by the test. `play` runs a part in a thread."""

    process: ConnectedProcess
    connection: socket.socket
    output: int
    errors: int
    ended: list[str] = field(default_factory=list)
    parts: list[threading.Thread] = field(default_factory=list)

    def play(self, part: Callable[[], object]) -> None:
        """Run `part` beside the test; what it may meet is a hung-up judge."""

        def run() -> None:
            with contextlib.suppress(OSError, EOFError):
                part()

        self.parts.append(threading.Thread(target=run, daemon=True))
        self.parts[-1].start()

    def request(self) -> tuple[bytes, bytes]:
        """The next request."""

        def read(length: int) -> bytes:
            content = b""
            while len(content) < length:
                chunk = self.connection.recv(length - len(content))
                if not chunk:
                    raise EOFError
                content += chunk
            return content

        return read_frame(read)

    def echo(self) -> None:
        """Answer one request with itself."""
        self.connection.sendall(pack_frame(*self.request()))


@pytest.fixture
def peer() -> Iterator[Peer]:
    """A connected process and the peer at its other end."""
    ours, theirs = socket.socketpair()
    output, errors = os.pipe(), os.pipe()
    ended: list[str] = []

    def end() -> ExitFacts:
        ended.append("ended")
        return FACTS

    process = ConnectedProcess(ours, [output[0], errors[0]], CAP, end)
    made = Peer(process, theirs, output[1], errors[1], ended)
    yield made
    process.end()
    with contextlib.suppress(OSError):
        theirs.shutdown(socket.SHUT_RDWR)
    for part in made.parts:
        part.join(LONG)
        assert not part.is_alive()
    theirs.close()
    for descriptor in (made.output, made.errors):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def test_one_answer_for_each_question(peer: Peer) -> None:
    for number in range(5):
        peer.play(peer.echo)
        header, payload = b"h%d" % number, b"p" * number
        assert peer.process.ask(pack_frame(header, payload), LONG) == (header, payload)
    assert peer.ended == []


def test_an_answer_in_pieces(peer: Peer) -> None:
    def dribble() -> None:
        for byte in pack_frame(*peer.request()):
            peer.connection.sendall(bytes([byte]))
            time.sleep(0.001)

    peer.play(dribble)
    assert peer.process.ask(pack_frame(b"header", b"payload"), LONG) == (b"header", b"payload")


def test_large_frames_both_ways(peer: Peer) -> None:
    peer.play(peer.echo)
    payload = os.urandom(1 << 20) * 9
    assert peer.process.ask(pack_frame(b"x" * MAX_HEADER, payload), LONG) == (b"x" * MAX_HEADER, payload)


def test_no_answer(peer: Peer) -> None:
    peer.play(peer.request)
    with pytest.raises(StudentTimeout):
        peer.process.ask(pack_frame(b"q"), 0.05)


def test_half_an_answer(peer: Peer) -> None:
    peer.play(lambda: peer.connection.sendall(pack_frame(*peer.request())[:-1]))
    with pytest.raises(StudentTimeout):
        peer.process.ask(pack_frame(b"question"), 0.2)


def test_a_peer_that_does_not_read(peer: Peer) -> None:
    with pytest.raises(StudentTimeout):
        peer.process.ask(pack_frame(b"q", b"x" * (4 << 20)), 0.1)


def test_a_dribble_does_not_stretch_the_deadline(peer: Peer) -> None:
    def dribble() -> None:
        peer.request()
        peer.connection.sendall(PREFIX.pack(MAGIC, 100_000, 0))
        while True:
            peer.connection.sendall(b"x")
            time.sleep(0.01)

    peer.play(dribble)
    with pytest.raises(StudentTimeout):
        peer.process.ask(pack_frame(b"q"), 0.3)


def test_an_answer_before_the_question(peer: Peer) -> None:
    peer.connection.sendall(pack_frame(b"early"))
    with pytest.raises(StudentLied, match="before it was asked"):
        peer.process.ask(pack_frame(b"q"), LONG)


def test_two_answers(peer: Peer) -> None:
    def twice() -> None:
        frame = pack_frame(*peer.request())
        peer.connection.sendall(frame + frame)

    peer.play(twice)
    assert peer.process.ask(pack_frame(b"q"), LONG) == (b"q", b"")
    with pytest.raises(StudentLied, match="before it was asked"):
        peer.process.ask(pack_frame(b"q"), LONG)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (PREFIX.pack(MAGIC, MAX_HEADER + 1, 0), "more than the wire takes"),
        (PREFIX.pack(MAGIC, 1, MAX_PAYLOAD + 1), "more than the wire takes"),
        (PREFIX.pack(MAGIC, 2**32 - 1, 2**32 - 1), "more than the wire takes"),
        (b"HTTP/1.1 200 OK\r\n", "does not begin like a frame"),
        (b"\0" * 12, "does not begin like a frame"),
    ],
)
def test_answers_that_are_none(peer: Peer, answer: bytes, words: str) -> None:
    def lie() -> None:
        peer.request()
        peer.connection.sendall(answer)

    peer.play(lie)
    with pytest.raises(StudentLied, match=words):
        peer.process.ask(pack_frame(b"q"), LONG)


@pytest.mark.parametrize("sent", [b"", b"G", pack_frame(b"header", b"payload")[:-3]])
def test_a_peer_that_dies_while_it_answers(peer: Peer, sent: bytes) -> None:
    def die() -> None:
        peer.request()
        peer.connection.sendall(sent)
        os.write(peer.errors, b"last words")
        peer.connection.shutdown(socket.SHUT_RDWR)

    peer.play(die)
    with pytest.raises(StudentGone) as gone:
        peer.process.ask(pack_frame(b"q"), LONG)
    assert gone.value.facts == FACTS
    assert peer.ended == ["ended"]
    assert peer.process.printed() == (b"", b"last words")


def test_a_peer_that_is_dead_already(peer: Peer) -> None:
    peer.connection.close()
    with pytest.raises(StudentGone) as gone:
        peer.process.ask(pack_frame(b"q", b"x" * 100), LONG)
    assert gone.value.facts == FACTS


def test_ending_twice_is_ending_once(peer: Peer) -> None:
    assert peer.process.end() == FACTS
    assert peer.process.end() == FACTS
    assert peer.ended == ["ended"]
    assert peer.connection.recv(1) == b""


@pytest.mark.parametrize("closes", [False, True])
def test_floods_block_nobody(peer: Peer, closes: bool) -> None:
    flood = 3 << 20

    def shout() -> None:
        request = peer.request()
        for descriptor, letter in ((peer.output, b"o"), (peer.errors, b"e")):
            left = flood
            while left:
                left -= os.write(descriptor, letter * min(left, 1 << 16))
        if closes:
            os.close(peer.output)
            os.close(peer.errors)
        peer.connection.sendall(pack_frame(*request))

    peer.play(shout)
    assert peer.process.ask(pack_frame(b"q"), LONG) == (b"q", b"")
    for printed, letter in zip(peer.process.printed(), (b"o", b"e"), strict=True):
        note = f"\n[... {flood - CAP} bytes left out ...]\n".encode()
        assert printed == letter * (CAP // 2) + note + letter * (CAP // 2)


def test_a_flood_while_the_question_is_on_its_way(peer: Peer) -> None:
    def shout() -> None:
        for _ in range(32):
            os.write(peer.output, b"x" * (1 << 16))
        peer.echo()

    peer.play(shout)
    payload = b"p" * (4 << 20)
    assert peer.process.ask(pack_frame(b"q", payload), LONG) == (b"q", payload)
    assert len(peer.process.printed()[0]) < CAP + 60


def test_printed_is_what_came_since_the_last_time(peer: Peer) -> None:
    os.write(peer.output, b"one")
    assert peer.process.printed() == (b"one", b"")
    os.write(peer.errors, b"two")
    assert peer.process.printed() == (b"", b"two")
    os.write(peer.output, b"three")
    peer.process.end()
    assert peer.process.printed() == (b"three", b"")
