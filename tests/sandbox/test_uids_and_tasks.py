"""User ids that no two runs share, and what /proc tells of a user's tasks and a family's memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.sandbox.backends import tasks, uids

WHOLE = [(0, 2**32 - 1)]


def test_two_runs_hardly_ever_share_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uids, "_mapped", lambda: WHOLE)
    ranges = [uids.uids_of_this_process() for _ in range(200)]
    assert len({users.start for users in ranges}) >= 199
    assert all(users.start % 32 == uids._FIRST % 32 for users in ranges)  # else they could overlap in part
    assert all(users.start >= 1_900_000_000 and users.stop < 2**31 for users in ranges)


@example(pid=1, start=64_502, count=2000)
@given(pid=st.integers(1, 4_194_304), start=st.integers(0, 10**6), count=st.integers(2000, 65536))
def test_in_a_small_namespace_they_are_mapped(pid: int, start: int, count: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uids, "_mapped", lambda: [(start, start + count)])
        patch.setattr(uids.os, "getpid", lambda: pid)
        found = uids.uids_of_this_process()
    assert start + 1000 <= found.start < found.stop <= start + count
    assert found.stop <= 65_533 or found.start >= 65_536


def test_too_small_a_namespace_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uids, "_mapped", lambda: [(0, 1)])
    with pytest.raises(LookupError, match="too few user ids"):
        uids.uids_of_this_process()


def test_the_real_map_can_be_read() -> None:
    assert len(uids.uids_of_this_process()) == 32


def test_tasks_of_a_user_of_its_own_are_few() -> None:
    assert tasks.tasks_allowed(multi=False, shared_user=False) == 64
    assert tasks.tasks_allowed(multi=True, shared_user=False) == 32


def test_tasks_of_a_shared_user_are_counted() -> None:
    before = tasks.tasks_allowed(multi=False, shared_user=True)
    done = threading.Event()
    threads = [threading.Thread(target=done.wait) for _ in range(40)]
    for thread in threads:
        thread.start()
    try:
        now = tasks.tasks_allowed(multi=False, shared_user=True)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert 20 <= now - before <= 200  # others of this user come and go
    assert before > 512


def test_memory_of_a_family_is_that_of_its_members() -> None:
    code = "block = bytearray(80 << 20)\nblock[::4096] = b'x' * len(block[::4096])\nprint(flush=True)\ninput()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        alone = tasks.family_use(child.pid, 0).memory
        assert 80 << 20 <= alone < 160 << 20
        assert tasks.family_use(child.pid, 60 << 20).memory == alone - (60 << 20)
        assert tasks.family_use(os.getpid(), 0).memory >= alone + tasks.anonymous_memory() // 2
    finally:
        child.communicate(b"\n")
    assert tasks.family_use(child.pid, 0).memory == 0
