"""A sign of life while something takes long: a line on the terminal that counts seconds, and goes when it is over.

Runs in the command's main thread, by a timer of the operating system: a thread would stand in the way of forks. Where
there is no terminal or no such timer, nothing is shown.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_FIRST_SECONDS, _NEXT_SECONDS = 3.0, 1.0
_ERASE = "\r\x1b[K"


@contextmanager
def sign_of_life(what: str) -> Iterator[None]:
    """Show `what` and the seconds that it has taken, from the third on."""
    main = threading.current_thread() is threading.main_thread()
    if not (main and sys.stderr.isatty() and hasattr(signal, "setitimer")):
        yield
        return
    started = time.monotonic()
    shown = False

    def tell(*_: object) -> None:
        nonlocal shown
        shown = True
        sys.stderr.write(f"{_ERASE}{what}: {time.monotonic() - started:.0f} s …")
        sys.stderr.flush()

    before = signal.signal(signal.SIGALRM, tell)
    signal.setitimer(signal.ITIMER_REAL, _FIRST_SECONDS, _NEXT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if shown:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()
