"""Time-outs and crashes of real processes: which limit, at which line, and what is left of their output."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from grader.judge.conversation import Conversation
from grader.judge.places import Work
from grader.judge.student import StudentRaised
from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Sandbox, StudentGone, StudentTimeout, StudentTrouble
from grader.sandbox.modes import backend_for
from grader.wire import calls

CONFINED = "B" if os.geteuid() == 0 else "A1"
MAIN = "attention.py"
LIMITS = Limits(check_seconds=0.6, import_seconds=0.6, cpu_seconds=60, total_seconds=60)
SOURCE = """import ctypes, faulthandler, os, signal, sys, threading, time

def one():
    return 1

def loops():
    x = 0
    while True:
        x += 1

def loops_in_a_library():
    import json
    while True: json.dumps(list(range(100)))

def sums():
    print("before", file=sys.stderr, flush=True)
    return sum(range(10**13))

def sleeps():
    time.sleep(100)

def catches_and_loops():
    x = 0
    while True:
        try:
            while True:
                x += 1
                x -= 1
        except BaseException:
            x = 0

def catches_and_returns():
    x = 0
    try:
        while True:
            x += 1
            x -= 1
    except BaseException:
        return 5

def catches_and_raises():
    x = 0
    try:
        while True:
            x += 1
            x -= 1
    except BaseException:
        raise ValueError("late") from None

class Endless:
    def __str__(self):
        while True:
            time.sleep(0.01)

def endless_text():
    return str(Endless())

def recurses(depth=0):
    if depth == 25:
        return 1
    return recurses(depth + 1) + recurses(depth + 1)

def comprehends():
    return [
        one() for x in range(10**9)
    ]

def segfaults():
    print("hello", end="", file=sys.stderr, flush=True)
    ctypes.string_at(0)

def recurses_in_c():
    nested = ()
    for _ in range(300_000):
        nested = (nested,)
    return hash(nested)

def aborts():
    os.abort()

def leaves():
    os._exit(3)

def leaves_by_a_thread():
    thread = threading.Thread(target=os._exit, args=(4,))
    thread.start()
    thread.join()

def forges_outside():
    os.write(2, b'Stack (most recent call first):\\n  File "SECRET", line 27 in f\\n')
    os._exit(0)

def forges_a_line():
    os.write(2, b'Stack (most recent call first):\\n  File "attention.py", line 271828 in f\\n')
    os.kill(os.getpid(), signal.SIGSEGV)
    ctypes.CDLL(None)._exit(5)

def forges_a_time_out():
    import grader.sandbox.clock
    raise grader.sandbox.clock.OutOfTime("out of time")

def forges_a_kind():
    raise type("out of time", (BaseException,), {})

def has_an_alarm_of_its_own():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(0.2)
    signal.signal(signal.SIGALRM, before)
    return len(seen)

def has_threads():
    threading.Thread(target=lambda: time.sleep(100), daemon=True).start()
    while True:
        time.sleep(0.01)

def prints_a_stack():
    faulthandler.dump_traceback()
    return 1

def forks():
    pid = os.fork()
    if pid == 0:
        time.sleep(1)
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""
LINES = SOURCE.split("\n")


def line_of(text: str, after: str) -> int:
    """Number of the first line that holds `text`, from the definition of `after` on."""
    start = next(number for number, line in enumerate(LINES) if line.startswith(f"def {after}("))
    return next(number for number in range(start, len(LINES)) if text in LINES[number]) + 1


@pytest.fixture(scope="module", params=["plain", CONFINED])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox without torch."""
    opened = backend_for(request.param).open(LIMITS, SandboxNeeds(), slot=5)
    opened.wait_ready()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def plain() -> Iterator[Sandbox]:
    """A plain sandbox, where processes may be started."""
    opened = PlainBackend().open(LIMITS, SandboxNeeds(), slot=5)
    yield opened
    opened.close()


def talk(sandbox: Sandbox, source: str = SOURCE, limits: Limits = LIMITS) -> Conversation:
    """A conversation that is not yet begun."""
    return Conversation(sandbox, Work({MAIN: source}, MAIN), ("one",), limits, seed=1)


@pytest.fixture
def conversation(sandbox: Sandbox) -> Iterator[Conversation]:
    """The submission, imported."""
    started = talk(sandbox)
    started.load()
    yield started
    started.end()


def call(conversation: Conversation, name: str) -> Any:
    """The value that a function of the submission returns, in a check of its own."""
    conversation.begin_check(name, fresh=False)
    arguments = {"target": [None, name], "args": (), "kwargs": {}, "views": {}, "inspect": False}
    return conversation.ask(calls.CALL, arguments).value


def trouble_of(conversation: Conversation, name: str) -> StudentTrouble:
    """The trouble that a call comes to; the next one works again."""
    with pytest.raises(StudentTrouble) as caught:
        call(conversation, name)
    assert call(conversation, "one") == 1
    return caught.value


@pytest.mark.parametrize(
    ("name", "text", "function"),
    [
        ("loops", "while True:", "loops"),
        ("loops_in_a_library", "json.dumps", "loops_in_a_library"),
        ("sums", "sum(range", "sums"),
        ("sleeps", "time.sleep(100)", "sleeps"),
        ("has_threads", "while True:", "has_threads"),
        ("recurses", "return recurses", "recurses"),
        ("comprehends", "return [", "comprehends"),
    ],
)
def test_time_outs_have_a_line(conversation: Conversation, name: str, text: str, function: str) -> None:
    trouble = trouble_of(conversation, name)
    assert isinstance(trouble, StudentTimeout)
    assert trouble.limit == "check"
    assert trouble.place is not None
    assert (trouble.place.file, trouble.place.line) == (MAIN, line_of(text, name))
    assert trouble.place.function == function
    assert text in trouble.place.source
    assert trouble.facts is not None


def test_a_loop_in_python_is_ended_when_its_time_is_over_and_not_later(conversation: Conversation) -> None:
    conversation.begin_check("a", fresh=False)
    started = time.monotonic()
    trouble = trouble_of(conversation, "loops")
    assert time.monotonic() - started < 0.6 + 0.4
    assert trouble.place is not None
    assert trouble.place.function == "loops"


def test_an_inner_method_has_its_own_line(conversation: Conversation) -> None:
    place = trouble_of(conversation, "endless_text").place
    assert place is not None
    assert (place.function, place.source) == ("__str__", "while True:")


def test_the_judges_clock_ends_what_catches_everything(conversation: Conversation) -> None:
    trouble = trouble_of(conversation, "catches_and_loops")
    assert isinstance(trouble, StudentTimeout)
    assert trouble.place is not None
    assert trouble.place.function == "catches_and_loops"


def test_what_comes_in_the_last_moment_counts(conversation: Conversation) -> None:
    assert call(conversation, "catches_and_returns") == 5
    assert conversation.printed() == (b"", b"")
    with pytest.raises(StudentRaised, match="late"):
        call(conversation, "catches_and_raises")
    assert conversation.printed() == (b"", b"")


@pytest.mark.parametrize(
    ("name", "status", "text"),
    [
        ("segfaults", -11, "ctypes.string_at"),
        ("recurses_in_c", -11, "hash(nested)"),
        ("leaves", 3, "os._exit"),
    ],
)
def test_crashes_have_a_line(conversation: Conversation, name: str, status: int, text: str) -> None:
    trouble = trouble_of(conversation, name)
    assert isinstance(trouble, StudentGone)
    assert trouble.facts.status == status
    assert trouble.place is not None
    assert (trouble.place.line, trouble.place.function) == (line_of(text, name), name)


def test_an_abort_is_known_in_a_namespace_too(conversation: Conversation) -> None:
    trouble = trouble_of(conversation, "aborts")
    assert isinstance(trouble, StudentGone)
    assert trouble.facts.signal_name in ("SIGABRT", "SIGSEGV")
    assert trouble.aborted
    assert trouble.place is not None
    assert trouble.place.line == line_of("os.abort", "aborts")


def test_output_is_kept_without_the_stack(conversation: Conversation) -> None:
    trouble_of(conversation, "segfaults")
    trouble_of(conversation, "sums")
    trouble_of(conversation, "leaves")
    assert conversation.printed() == (b"", b"hellobefore\n")


@pytest.mark.parametrize("name", ["forges_outside", "forges_a_line"])
def test_a_forged_place_is_none(conversation: Conversation, name: str) -> None:
    trouble = trouble_of(conversation, name)
    assert trouble.place is None or trouble.place.function == name
    assert b"SECRET" not in conversation.printed()[1]


@pytest.mark.parametrize("name", ["forges_a_time_out", "forges_a_kind"])
def test_a_forged_time_out_is_a_time_out(conversation: Conversation, name: str) -> None:
    assert isinstance(trouble_of(conversation, name), StudentTimeout)


def test_leaving_by_a_thread(conversation: Conversation) -> None:
    trouble = trouble_of(conversation, "leaves_by_a_thread")
    assert isinstance(trouble, StudentGone)
    assert trouble.facts.status == 4


def test_alarms_of_student_code_work(conversation: Conversation) -> None:
    assert call(conversation, "has_an_alarm_of_its_own") == 1


def test_a_stack_that_student_code_prints_is_left_alone(conversation: Conversation) -> None:
    assert call(conversation, "prints_a_stack") == 1
    assert b"(most recent call first)" in conversation.printed()[1]


def test_a_process_that_student_code_started_has_no_clock_and_may_leave(plain: Sandbox) -> None:
    limits = Limits(check_seconds=3, import_seconds=3)
    conversation = talk(plain, limits=limits)
    conversation.load()
    try:
        assert call(conversation, "forks") == 7
        assert conversation.printed() == (b"", b"")
    finally:
        conversation.end()


def test_where_there_is_no_fork() -> None:
    limits = Limits(check_seconds=0.6, import_seconds=3)
    sandbox = PlainBackend(fork=False).open(limits, SandboxNeeds(), slot=5)
    conversation = talk(sandbox, limits=limits)
    try:
        conversation.load()
        trouble = trouble_of(conversation, "loops")
        assert isinstance(trouble, StudentTimeout)
        assert trouble.place is not None
        assert trouble.place.line == line_of("while True:", "loops")
        assert isinstance(trouble_of(conversation, "segfaults"), StudentGone)
    finally:
        conversation.end()
        sandbox.close()


def test_the_clock_of_the_import_leaves_that_of_calls_alone(sandbox: Sandbox) -> None:
    conversation = talk(sandbox, "import time\ntime.sleep(0.3)\ndef one():\n    time.sleep(0.5)\n    return 1\n")
    try:
        assert conversation.load().error is None
        assert call(conversation, "one") == 1
    finally:
        conversation.end()


@pytest.mark.parametrize(
    ("ending", "kind"), [("x = sum(range(10**13))", StudentTimeout), ("x = ctypes.string_at(0)", StudentGone)]
)
def test_imports_that_end_badly_have_a_line(sandbox: Sandbox, ending: str, kind: type[StudentTrouble]) -> None:
    conversation = talk(sandbox, f"import ctypes\ndef one():\n    return 1\n{ending}\n")
    try:
        with pytest.raises(kind) as caught:
            conversation.load()
    finally:
        conversation.end()
    assert caught.value.place is not None
    assert caught.value.place.line == 4
    assert conversation.printed() == (b"", b"")


def test_an_import_that_is_late_keeps_its_output_without_the_stack(sandbox: Sandbox) -> None:
    conversation = talk(sandbox, "def one():\n    return 1\nprint('x')\nwhile True:\n    one()\n")
    try:
        report = conversation.load()
        assert report.late
        assert report.error is not None
        assert report.error.line == 4
        assert conversation.printed() == (b"x\n", b"")
    finally:
        conversation.end()


def test_why_only_definitions_were_run_is_kept(sandbox: Sandbox) -> None:
    conversation = talk(sandbox, "import ctypes\ndef one():\n    return 1\nctypes.string_at(0)\n")
    try:
        report = conversation.load()
    finally:
        conversation.end()
    assert report.definitions_only
    assert isinstance(report.trouble, StudentGone)
    assert report.trouble.place is not None
    assert report.trouble.place.line == 4


def test_processor_time_has_a_line_too(sandbox: Sandbox) -> None:
    limits = Limits(check_seconds=20, import_seconds=20, cpu_seconds=3)
    conversation = talk(sandbox, limits=limits)
    conversation.load()
    try:
        with pytest.raises(StudentTimeout) as caught:
            call(conversation, "loops")
        assert caught.value.limit == "processor"
        assert caught.value.place is not None
        assert caught.value.place.function == "loops"
    finally:
        conversation.end()


def test_all_the_time_of_a_submission(sandbox: Sandbox) -> None:
    conversation = talk(sandbox, limits=Limits(check_seconds=20, import_seconds=20, total_seconds=0.6))
    conversation.load()
    try:
        with pytest.raises(StudentTimeout) as caught:
            call(conversation, "sleeps")
        assert caught.value.limit == "total"
    finally:
        conversation.end()


def test_a_check_that_goes_on_after_trouble_meets_it_again(conversation: Conversation) -> None:
    with pytest.raises(StudentTimeout):
        call(conversation, "loops")
    with pytest.raises(StudentTimeout):
        conversation.ask(calls.FETCH, {"target": [None, "one"]})
