"""The worker's own clock: it interrupts student code whose time is over, so that the time-out has a place.

It runs in the student process, beside code that may stop, catch or rewrite it. The judge's clock and the kernel's
limits are the boundary; all that this promises is that a loop in Python ends with a traceback, and that code which
cannot be interrupted, such as a loop in C, leaves the interpreter's own account of where it is on standard error, as a
crash does. Where the system has no timers, or outside the main thread, it does nothing.
"""

from __future__ import annotations

import contextlib
import faulthandler
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any, NoReturn

from grader.wire.calls import OUT_OF_PROCESSOR_TIME, OUT_OF_TIME

_STDERR = 2


class OutOfTime(BaseException):
    """Raised inside student code; no `except Exception` of a student's catches it. `kind` is its name on the wire."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Clock:
    """Interrupts what runs between `start` and `stop`. One per process, made before student code is read."""

    def __init__(self) -> None:
        self.running = False
        self._works = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self._works:
            self._handle(signal.SIGALRM, OUT_OF_TIME)
            if _warn_before_processor_limit():
                self._handle(signal.SIGXCPU, OUT_OF_PROCESSOR_TIME)

    def start(self, seconds: float) -> None:
        """From here on student code runs; it is interrupted after so many seconds of wall-clock time, 0 for never."""
        self.running = True
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def stop(self) -> None:
        """From here on code of ours runs."""
        self.running = False
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, 0)

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A shorter time inside the one that `start` set; what is then left of that one goes on."""
        if not self._works:
            yield
            return
        started = time.monotonic()
        outer, _ = signal.getitimer(signal.ITIMER_REAL)
        signal.setitimer(signal.ITIMER_REAL, min(seconds, outer) if outer else seconds)
        try:
            yield
        finally:
            left = max(0.001, outer - (time.monotonic() - started)) if outer else 0.0
            signal.setitimer(signal.ITIMER_REAL, left)

    def _handle(self, number: signal.Signals, kind: str) -> None:
        def interrupt(_number: int, _frame: Any) -> None:
            if self.running:  # else it came too late, in code of ours
                _raise(kind)

        signal.signal(number, interrupt)
        # After signal.signal, so that it stands in front and passes the signal on: code in C never lets Python's
        # handler run, but this one writes down where it is.
        faulthandler.register(number, file=_STDERR, all_threads=False, chain=True)


def _raise(kind: str) -> NoReturn:
    raise OutOfTime(kind)


def _warn_before_processor_limit() -> bool:
    """Ask for SIGXCPU a second before the kernel ends the process; whether there is such a limit."""
    try:
        import resource
    except ImportError:
        return False
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or hard <= 1:
        return False
    resource.setrlimit(resource.RLIMIT_CPU, (hard - 1, hard))
    return True


def write_place() -> None:
    """Write to standard error where this thread is, in the form that a crash has."""
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        faulthandler.dump_traceback(file=_STDERR, all_threads=False)
