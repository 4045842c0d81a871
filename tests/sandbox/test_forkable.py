"""Memory made ready for forks: the contents stay, forks have their own, and new objects do not go into old gaps."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grader.sandbox import forkable

HUGE = """
import hashlib, os
from grader.sandbox.forkable import use_huge_pages
block = bytearray(os.urandom(9 << 20))
before = hashlib.sha256(block).digest()
moved = use_huge_pages()
assert moved >= 0 and moved % (2 << 20) == 0, moved
assert hashlib.sha256(block).digest() == before
pid = os.fork()
if pid == 0:
    same = hashlib.sha256(block).digest() == before
    block[:] = bytes(len(block))
    os._exit(0 if same else 1)
assert os.waitpid(pid, 0)[1] == 0
assert hashlib.sha256(block).digest() == before
"""
GAPS = """
import ctypes
from grader.sandbox.forkable import fill_gaps
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.sbrk.restype = ctypes.c_void_p
libc.malloc.argtypes, libc.sbrk.argtypes = (ctypes.c_size_t,), (ctypes.c_ssize_t,)
libc.free.argtypes = (ctypes.c_void_p,)
places = [libc.malloc(3000) for _ in range(2000)]
for place in places[::2]:
    libc.free(place)
end = libc.sbrk(0)
filled = fill_gaps()
assert filled >= 1000 * 2048, filled
assert min(libc.malloc(3000) for _ in range(20)) > max(places), "a gap was left"
"""


def run(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing happens")
def test_contents_stay_in_huge_pages_and_forks_have_their_own() -> None:
    run(HUGE)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing happens")
def test_new_memory_lies_behind_the_old() -> None:
    run(GAPS)


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert forkable.use_huge_pages() == 0
    assert forkable.fill_gaps() == 0
