"""The worker's clock: what it interrupts, when, and what it leaves alone."""

from __future__ import annotations

import faulthandler
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from grader.sandbox.clock import Clock, OutOfTime
from grader.wire.calls import OUT_OF_TIME


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A clock of this process, which is no student's and has no limit of processor time."""
    before = signal.getsignal(signal.SIGALRM)
    made = Clock()
    yield made
    made.stop()
    faulthandler.unregister(signal.SIGALRM)
    signal.signal(signal.SIGALRM, before)


def busy(seconds: float) -> None:
    """Work in Python."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_it_interrupts_and_says_why(clock: Clock) -> None:
    clock.start(0.05)
    with pytest.raises(OutOfTime) as caught:
        busy(5)
    assert caught.value.kind == OUT_OF_TIME
    assert not isinstance(caught.value, Exception)


def test_it_writes_down_where_on_standard_error(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
    clock.start(0.05)
    with pytest.raises(OutOfTime):
        busy(5)
    told = capfd.readouterr().err
    assert told.startswith("Stack (most recent call first):\n")
    assert f'File "{__file__}"' in told
    assert " in busy\n" in told


def test_it_interrupts_a_sleep(clock: Clock) -> None:
    clock.start(0.05)
    with pytest.raises(OutOfTime):
        time.sleep(5)


def test_stopped_it_interrupts_nothing(clock: Clock) -> None:
    clock.start(0.05)
    clock.stop()
    busy(0.15)
    assert not clock.running


def test_without_seconds_it_runs_and_never_strikes(clock: Clock) -> None:
    clock.start(0)
    assert clock.running
    busy(0.1)


def test_what_comes_too_late_is_ignored(clock: Clock) -> None:
    clock.start(0.05)
    clock.running = False
    busy(0.15)


def test_a_shorter_time_inside(clock: Clock) -> None:
    clock.start(5)
    with pytest.raises(OutOfTime), clock.within(0.05):
        busy(3)
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 3 < left < 5


def test_the_outer_time_goes_on_afterwards(clock: Clock) -> None:
    clock.start(0.2)
    with clock.within(0.1):
        busy(0.02)
    with pytest.raises(OutOfTime):
        busy(3)


def test_an_inner_time_is_never_longer(clock: Clock) -> None:
    def run() -> None:
        try:
            with clock.within(50):
                busy(3)
        finally:  # the outer time is over too, and would strike again a moment later, in pytest
            clock.stop()

    clock.start(0.1)
    with pytest.raises(OutOfTime):
        run()


def test_an_inner_time_without_an_outer_one(clock: Clock) -> None:
    clock.start(0)
    with pytest.raises(OutOfTime), clock.within(0.05):
        busy(3)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_outside_the_main_thread_it_does_nothing() -> None:
    before = signal.getsignal(signal.SIGALRM)
    done: list[bool] = []

    def other() -> None:
        clock = Clock()
        clock.start(0.01)
        with clock.within(0.01):
            time.sleep(0.05)
        clock.stop()
        done.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert done == [True]
    assert signal.getsignal(signal.SIGALRM) is before


def test_where_there_are_no_timers_it_does_nothing() -> None:
    code = (
        "import signal, faulthandler, time\n"
        "del signal.setitimer, signal.SIGALRM, faulthandler.register\n"
        "from grader.sandbox.clock import Clock\n"
        "clock = Clock()\nclock.start(0.01)\n"
        "with clock.within(0.01):\n    time.sleep(0.05)\n"
        "clock.stop()\nprint('fine')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "fine\n"


@pytest.mark.parametrize(("limit", "soft"), [(5, 4), (1, 1)])
def test_processor_time_warns_a_second_before(limit: int, soft: int) -> None:
    code = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_CPU, ({limit}, {limit}))\n"
        "from grader.sandbox.clock import Clock\nClock()\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == f"({soft}, {limit})\n"
