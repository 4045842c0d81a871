"""Huge pages: the contents stay, for the process and for its forks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from grader.sandbox.pages import use_huge_pages

PROGRAM = """
import hashlib, os
from grader.sandbox.pages import use_huge_pages
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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing happens")
def test_contents_stay_and_forks_have_their_own() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, env={**os.environ}, timeout=60)


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert use_huge_pages() == 0
