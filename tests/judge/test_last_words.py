"""What an interpreter writes of itself as it dies: taken out of what was printed, and of use only where it is true."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.last_words import last_words, place_in

SOURCES = {"attention.py": "import torch\n\n\ndef f(x):\n    return x / 0\n", "sub/übung.py": "x = 1\n"}

STACK = b"Stack (most recent call first):\n"
FRAMES = b"""\
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "attention.py", line 5 in f
  File "/opt/worker/grader/sandbox/worker.py", line 64 in _answer
  File "<string>", line 1 in <module>
"""
MODULES = b"\nExtension modules: numpy._core._multiarray_umath, torch._C (total: 2)\n"
THREAD = b"Current thread 0x00007f3d6ce1b740"
OTHER_THREAD = b"""\
Thread 0x00007f3d6c000640 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 324 in wait

"""
NATIVE_STACK = b"""
Current thread's C stack trace (most recent call first):
  Binary file "/usr/lib/libpython3.14.so.1.0", at _Py_DumpStack+0x31 [0x7f3d6d0a1b20]
  Binary file "/usr/lib/libc.so.6", at +0x3c050 [0x7f3d6cc3c050]
  <truncated rest of calls>
"""


def fatal(what: bytes) -> bytes:
    """The line with which an account of a crash begins."""
    return b"Fatal Python error: " + what + b"\n\n"


FORMS = {
    "one thread": fatal(b"Segmentation fault") + STACK + FRAMES + MODULES,
    "all threads": fatal(b"Segmentation fault")
    + OTHER_THREAD
    + THREAD
    + b" (most recent call first):\n  Garbage-collecting\n"
    + FRAMES
    + MODULES,
    "3.14": fatal(b"Segmentation fault")
    + THREAD
    + b" [python] (most recent call first):\n"
    + FRAMES
    + NATIVE_STACK
    + MODULES,
    "of the interpreter": fatal(b"none_dealloc: deallocating None\nPython runtime state: initialized")
    + THREAD
    + b" (most recent call first):\n"
    + FRAMES
    + MODULES,
    "out of time": STACK + FRAMES,
    "deep": STACK + FRAMES * 25 + b"  ...\n",
    "no frame": STACK + FRAMES + fatal(b"Aborted") + STACK + b"  <no Python frame>\n" + MODULES,
    "no thread": STACK + FRAMES + fatal(b"Bus error") + MODULES,
    "Windows": (b"Windows fatal exception: access violation\n\n" + STACK + FRAMES).replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("before", [b"", b"loss 0.3\n", b"loss 0.3"])
@pytest.mark.parametrize("after", [b"", b"epoch 2\n\n  tail", b"\nx\n"])
def test_known_forms(form: str, before: bytes, after: bytes) -> None:
    found = last_words(before + FORMS[form] + after, SOURCES)
    assert found.rest == before + after
    place = found.stack[0]
    assert (place.file, place.line, place.function, place.source) == ("attention.py", 5, "f", "return x / 0")


def test_abort_is_known_whatever_the_process_then_dies_of() -> None:
    both = fatal(b"Aborted") + STACK + FRAMES + fatal(b"Segmentation fault") + STACK + FRAMES
    assert last_words(b"x" + both, SOURCES).aborted
    assert last_words(b"x" + both, SOURCES).rest == b"x"
    assert not last_words(FORMS["one thread"], SOURCES).aborted
    assert not last_words(b"", SOURCES).aborted


def test_the_last_account_counts() -> None:
    first = b'Stack (most recent call first):\n  File "attention.py", line 1 in <module>\n'
    found = last_words(first + b"tick\n" + FORMS["out of time"], SOURCES)
    assert found.rest == b"tick\n"
    assert [place.line for place in found.stack] == [5]


def test_names_are_written_as_escapes() -> None:
    found = last_words(b'Stack (most recent call first):\n  File "sub/\\xfcbung.py", line 1 in <module>\n', SOURCES)
    assert [place.file for place in found.stack] == ["sub/übung.py"]


@pytest.mark.parametrize(
    "frame",
    [
        b'File "SECRET 0.27", line 5 in f',
        b'File "attention.py", line 271828 in f',
        b'File "attention.py", line 0 in f',
        b'File "attention.py", line ??? in f',
        b'File "attention.py", line 99999999999 in f',
        b'File "../attention.py", line 5 in f',
        b'File "attention.py", line -5 in f',
        b"File ???, line 5 in f",
    ],
)
def test_a_place_that_does_not_exist_is_none(frame: bytes) -> None:
    found = last_words(b"Stack (most recent call first):\n  " + frame + b"\n", SOURCES)
    assert found.stack == ()
    assert found.rest == b""


@pytest.mark.parametrize(
    "printed",
    [
        b"",
        b"\n\n",
        b'Traceback (most recent call last):\n  File "attention.py", line 5, in f\nZeroDivisionError\n',
        b'  File "attention.py", line 5 in f\n',
        b"Extension modules: mine\n",
        b"Stack (most recent call first): but not quite\n",
        b"Current thread 0xnothing (most recent call first):\n",
        b"\xff\xfe\x00 not text",
    ],
)
def test_other_output_is_left_alone(printed: bytes) -> None:
    found = last_words(printed, SOURCES)
    assert (found.rest, found.stack, found.aborted) == (printed, (), False)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_what_stands_around_it_is_kept(before: bytes, after: bytes) -> None:
    assert last_words(before, SOURCES).rest == before
    following = b"END" + after
    assert last_words(before + b"\n" + FORMS["one thread"] + following, SOURCES).rest == before + b"\n" + following


@pytest.mark.parametrize(
    "hostile",
    [
        b"Thread 0x1 [" * 6000,
        b"Fatal Python error: " * 3500,
        b"Stack (most recent call first):\n" * 2200,
        b"Stack (most recent call first):\n" + b'  File "' * 9000,
        b"Stack (most recent call first):\n" + b"\n" * 70_000,
        b'Stack (most recent call first):\n  File "' + b'", line 1 in ' * 5000,
    ],
)
def test_hostile_output_costs_little(hostile: bytes) -> None:
    started = time.process_time()
    last_words(hostile, SOURCES)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("file", "line"), [(None, 1), ("attention.py", None), ("other.py", 1), ("attention.py", 0), ("attention.py", 7)]
)
def test_places_must_exist(file: str | None, line: int | None) -> None:
    assert place_in(SOURCES, file, line, "f") is None


def test_a_place_has_the_text_of_its_line() -> None:
    place = place_in(SOURCES, "attention.py", 5, None)
    assert place is not None
    assert (place.line, place.source, place.function) == (5, "return x / 0", None)
