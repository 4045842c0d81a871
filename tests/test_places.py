"""Who gets the next submission, what a bundle holds, and how work is fed to judges that come and go."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import msgspec
import pytest

from grader.batch.bundle import Bundle, pack, unpack
from grader.batch.feeding import Feed
from grader.batch.places import OUT_PER_SLOT, Place, Places, Stopped
from grader.content import load_assignment
from grader.errors import MachineProblem
from grader.model.submission import Submission

PATIENCE = 20


def submission(name: str = "s") -> Submission:
    """A submission that nobody judges."""
    return Submission(name, name, (), None, {})


def in_a_thread(places: Places, alone: bool, got: list[str], leave: threading.Event) -> threading.Thread:
    """Take a place in a thread of its own, note where, and stay until told to leave."""

    def take() -> None:
        with places.take(alone=alone) as place:
            got.append(place.address)
            leave.wait(PATIENCE)

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    return thread


def test_the_least_busy_worker_is_next_and_none_is_given_too_much() -> None:
    places = Places()
    places.add("one", 1)
    places.add("two", 2)
    assert places.count == 3 * OUT_PER_SLOT
    leave, got = threading.Event(), list[str]()
    threads = [in_a_thread(places, False, got, leave) for _ in range(3 * OUT_PER_SLOT)]
    while len(got) < len(threads):
        leave.wait(0.01)
    late: list[str] = []
    waiting = in_a_thread(places, False, late, leave)
    waiting.join(0.2)
    assert (got.count("one"), got.count("two"), late) == (OUT_PER_SLOT, 2 * OUT_PER_SLOT, [])
    leave.set()
    for thread in [*threads, waiting]:
        thread.join(PATIENCE)
    assert len(late) == 1


def test_a_lost_worker_wakes_those_who_wait_for_it() -> None:
    places = Places()
    places.add("one", 1)
    with places.take() as place:
        assert not place.woken.is_set()
        assert places.lose("one")
        assert place.woken.is_set()
        assert place.lost
    assert not places.lose("one")
    assert places.count == 0


def test_alone_means_with_nothing_beside() -> None:
    places = Places()
    places.add("one", 4)
    leave_others, leave_alone = threading.Event(), threading.Event()
    others, alone, later = list[str](), list[str](), list[str]()
    first = in_a_thread(places, False, others, leave_others)
    while not others:
        leave_others.wait(0.01)
    second = in_a_thread(places, True, alone, leave_alone)
    second.join(0.2)
    third = in_a_thread(places, False, later, leave_others)
    third.join(0.2)
    assert (others, alone, later) == (["one"], [], [])
    leave_others.set()
    first.join(PATIENCE)
    while not alone:
        leave_alone.wait(0.01)
    third.join(0.2)
    assert later == []
    leave_alone.set()
    second.join(PATIENCE)
    third.join(PATIENCE)
    assert later == ["one"]


def test_who_waits_to_be_alone_on_a_worker_that_is_lost_gets_another() -> None:
    places = Places()
    places.add("one", 1)
    leave, got, alone = threading.Event(), list[str](), list[str]()
    first = in_a_thread(places, False, got, leave)
    while not got:
        leave.wait(0.01)
    second = in_a_thread(places, True, alone, leave)
    second.join(0.2)
    places.lose("one")
    places.add("two", 1)
    while not alone:
        leave.wait(0.01)
    assert alone == ["two"]
    leave.set()
    first.join(PATIENCE)
    second.join(PATIENCE)


def test_after_the_end_nothing_is_given_out() -> None:
    places = Places()
    places.add("one", 1)
    places.stop()
    with pytest.raises(Stopped), places.take():
        pytest.fail("got a place")
    with pytest.raises(Stopped), places.take(alone=True):
        pytest.fail("got a place")
    assert not Place("one").lost


def test_a_bundle_is_the_assignment_without_its_variants(tiny_course: Path, tmp_path: Path) -> None:
    assignment = load_assignment(tiny_course, "tiny")
    bundle = pack(tiny_course, assignment)
    assert bundle == pack(tiny_course, assignment)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    unpack(bundle, folder)
    assert load_assignment(folder, "tiny").fingerprint == assignment.fingerprint
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert "reference/tiny.py" in names
    assert "assignments/tiny/hidden/test_tiny.py" in names
    assert not [name for name in names if "variants" in name]


def test_a_bundle_with_other_bytes_or_paths_outside_is_refused(tiny_course: Path, tmp_path: Path) -> None:
    bundle = pack(tiny_course, load_assignment(tiny_course, "tiny"))
    with pytest.raises(MachineProblem, match="other bytes"):
        unpack(Bundle(bundle.content + b"\0", bundle.sha256), tmp_path)
    folder = tmp_path / "inner"
    folder.mkdir()

    for name in ("../out.py", "/out.py"):
        content = msgspec.msgpack.encode({name: b""})
        with pytest.raises(MachineProblem, match="outside"):
            unpack(Bundle(content, hashlib.sha256(content).hexdigest()), folder)
    assert not (tmp_path / "out.py").exists()


def test_a_judge_that_joins_late_takes_part() -> None:
    together = threading.Barrier(2, timeout=PATIENCE)

    def grade(given: Submission, judge: str) -> tuple[str, str]:
        together.wait()  # nothing goes on unless two are at it
        return given.id, judge

    work = [lambda name=f"s{number}": submission(name) for number in range(4)]
    feed: Feed[str, tuple[str, str]] = Feed(work, grade, ahead=2)
    feed.start("first")
    feed.start("second")
    found = list(feed.results())
    assert sorted(name for name, _ in found) == ["s0", "s1", "s2", "s3"]
    assert {judge for _, judge in found} == {"first", "second"}


def test_a_feed_that_is_stopped_gives_what_is_ready_and_then_the_problem() -> None:
    go_on = threading.Event()

    def grade(given: Submission, _: str) -> str:
        if given.id != "s0":
            go_on.wait(PATIENCE)
        return given.id

    work = [lambda name=f"s{number}": submission(name) for number in range(3)]
    feed: Feed[str, str] = Feed(work, grade, ahead=4)
    feed.start("judge")
    results = feed.results()
    assert next(results) == "s0"
    feed.stop(MachineProblem("All is lost."))
    go_on.set()
    with pytest.raises(MachineProblem, match="All is lost"):
        next(results)
