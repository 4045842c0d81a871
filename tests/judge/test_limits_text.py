"""Which limit is named for which exception or end, and that every sentence can be read."""

from __future__ import annotations

import errno
import importlib.util
import os
import signal
from pathlib import Path

import pytest

from grader.judge import limits_text
from grader.model import causes
from grader.model.assignment import Limits
from grader.sandbox.base import StudentGone, TimeLimit
from grader.sandbox.facts import ExitFacts
from grader.wire.calls import ErrorReport

LIMITS = Limits(
    check_seconds=7, import_seconds=11, cpu_seconds=13, total_seconds=17, memory_mb=19, scratch_mb=23, scratch_files=29
)


def report(error: BaseException) -> ErrorReport:
    """An exception as the worker reports it."""
    kinds = tuple(kind.__name__ for kind in type(error).__mro__ if kind is not object)
    return ErrorReport(kinds, str(error))


def refused(number: int) -> OSError:
    """An exception of the system's."""
    return OSError(number, os.strerror(number), "x")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RecursionError("maximum recursion depth exceeded"), "1000 calls inside one another"),
        (SystemExit(1), "must return"),
        (refused(errno.ENOSPC), "23 MB in 29 files"),
        (refused(errno.EFBIG), "23 MB in 29 files"),
        (RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 704 vs 598"), "23 MB in 29 files"),
        (refused(errno.EMFILE), "64 open files"),
        (RuntimeError("Too many open files. Communication with the workers is no longer possible."), "64 open files"),
        (RuntimeError("can't start new thread"), "few dozen threads"),
        (refused(errno.EAGAIN), "few dozen threads"),
        (refused(errno.EPERM), "without network, without other programs or processes"),
        (refused(errno.EACCES), "DataLoader(num_workers>0)"),
        (refused(errno.EROFS), "empty working folder"),
        (refused(errno.ENOSYS), "os.system"),
        (PermissionError("of the student's own"), "without network"),
        (refused(errno.ENOENT), "only the Python files"),
        (RuntimeError("Parent directory /content does not exist."), "only the Python files"),
        (OSError(-3, "Temporary failure in name resolution"), "without network. Downloading"),
        (RuntimeError("unable to open shared memory object </torch_1_2>: Permission denied (13)"), "num_workers=0"),
        (RuntimeError("DataLoader worker (pid(s) 7) exited unexpectedly"), "num_workers=0"),
        (EOFError("EOF when reading a line"), "input()"),
        (AssertionError("Torch not compiled with CUDA enabled"), "no graphics card"),
        (RuntimeError("Found no NVIDIA driver on your system."), "no graphics card"),
    ],
)
def test_limits_behind_exceptions(error: BaseException, words: str) -> None:
    assert words in limits_text.on_error(report(error), LIMITS)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        KeyError("shape"),
        RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
        IndexError("index out of range in self"),
        OSError("of the student's own"),
        refused(errno.EINVAL),
        NotImplementedError(),
        EOFError("Ran out of input"),
    ],
)
def test_other_exceptions_have_no_limit_behind_them(error: BaseException) -> None:
    assert limits_text.on_error(report(error), LIMITS) == ""
    assert not limits_text.MEMORY.applies(report(error))


def test_exceptions_of_libraries_are_known_by_name() -> None:
    for kinds in (("gaierror", "OSError"), ("URLError", "OSError"), ("MaxRetryError", "HTTPError")):
        assert limits_text.on_error(ErrorReport(kinds, "no"), LIMITS) == causes.NETWORK


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        refused(errno.ENOMEM),
        RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: you tried"),
        RuntimeError("std::bad_alloc"),
    ],
)
def test_want_of_memory(error: BaseException) -> None:
    assert limits_text.MEMORY.applies(report(error))


def ended(number: int, aborted: bool = False) -> tuple[str, str]:
    """What is said of an end by a signal."""
    gone = StudentGone(ExitFacts(-number, 0.1, 1000))
    gone.aborted = aborted
    return limits_text.on_end(gone, LIMITS)


@pytest.mark.parametrize(
    ("number", "clause", "cause"),
    [
        (signal.SIGSEGV, "(SIGSEGV)", "ctypes"),
        (signal.SIGABRT, "(SIGABRT)", "assertion"),
        (signal.SIGKILL, "SIGKILL", "Want of memory (the limit is 19 MB)"),
        (signal.SIGFPE, "(SIGFPE)", "integer divided by zero"),
        (signal.SIGBUS, "(SIGBUS)", "mapped"),
        (signal.SIGILL, "(SIGILL)", "another processor"),
        (signal.SIGTERM, "SIGTERM", "os.kill"),
        (50, "signal 50", "os.kill"),
    ],
)
def test_ends(number: int, clause: str, cause: str) -> None:
    how, why = ended(number)
    assert clause in how
    assert cause in why


def test_an_abort_that_the_kernel_calls_a_segmentation_fault() -> None:
    assert "SIGABRT" in ended(signal.SIGSEGV, aborted=True)[0]
    assert "SIGKILL" in ended(signal.SIGKILL, aborted=True)[0]


def test_an_exit() -> None:
    how, why = limits_text.on_end(StudentGone(ExitFacts(3, 0.1, 1000)), LIMITS)
    assert how == "it exited with status 3"
    assert "os._exit" in why


@pytest.mark.parametrize(
    ("limit", "number"), [("check", "7 s"), ("import", "11 s"), ("processor", "13 s"), ("total", "17 s")]
)
def test_times(limit: TimeLimit, number: str) -> None:
    text = limits_text.on_time(limit, LIMITS, " (at attention.py, line 12)")
    assert number in text
    assert " (at attention.py, line 12)" in text
    assert "usual cause" in text


def test_every_sentence_is_short_and_whole() -> None:
    texts = [limits_text._filled(rule.sentences, LIMITS) for rule in limits_text._RULES]
    texts += [limits_text._filled(text, LIMITS) for text in limits_text._CRASHES.values()]
    texts += [
        value for name, value in vars(causes).items() if name.isupper() and isinstance(value, str) and " " in value
    ]
    texts += causes.BY_EXCEPTION.values()
    begun = {causes.RAISED, causes.NO_NAME, causes.NOT_YOURS}  # `Told.sentence` ends these
    texts = [text for text in texts if text not in begun]
    for text in texts:
        assert text.endswith(".")
        assert text[0].isupper()
        assert max(map(len, text.split(". "))) < 170, text


def test_the_number_of_open_files_is_the_sandboxs() -> None:
    spec = importlib.util.find_spec("grader.sandbox.backends.lockdown")
    assert spec is not None
    assert spec.origin is not None
    assert "resource.RLIMIT_NOFILE: 64," in Path(spec.origin).read_text("utf-8")
