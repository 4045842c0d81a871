"""Patience with an LMS: how long to wait before the next try, and when to give up.

Runs in the command. Waits double from try to try and are shaken, so that several graders do not come back together; a
wait that the LMS asks for (`Retry-After`, RFC 9110) is kept, up to a bound. Nothing waits without end.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONG = 5.0
"""Seconds from which on a wait is told."""


def _silent(_: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Patience:
    """At most `tries` tries; waits begin at `first` seconds, none is longer than `most`. `tell` hears of long ones."""

    tries: int = 6
    first: float = 1.0
    most: float = 60.0
    tell: Callable[[str], None] = _silent
    sleep: Callable[[float], None] = time.sleep
    shake: Callable[[], float] = random.random

    def wait(self, tried: int, why: str, asked: float | None = None) -> None:
        """Wait before the next try; `tried` is how many there were, `asked` the seconds that the LMS wants."""
        doubled = self.first * 2 ** (tried - 1) * (0.5 + self.shake() / 2)
        seconds = min(self.most, doubled if asked is None else max(0.0, asked))
        if seconds >= LONG:
            self.tell(f"{why}; waiting {seconds:.0f} s.")
        self.sleep(seconds)


def seconds_asked(header: str | None, now: datetime | None = None) -> float | None:
    """The seconds that a `Retry-After` header asks for, as a number or a date; None if there is no such thing."""
    if not header:
        return None
    try:
        return max(0.0, float(int(header.strip())))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(header.strip())
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
