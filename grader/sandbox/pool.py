"""A fresh zygote for each submission, for machines where a zygote cannot give each child namespaces of its own.

Runs in the judge. The namespaces are those of the zygote itself, so it serves one submission and ends with everything
in it. The next zygote warms up meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.sandbox.process import ConnectedProcess
from grader.sandbox.zygote import ZygoteSandbox


class OneShotSandbox:
    """One warm zygote in use and one on the way; `start` starts another."""

    def __init__(self, start: Callable[[], ZygoteSandbox]) -> None:
        self._start = start
        self._current = start()
        self._next = start()
        self.mode = self._current.mode

    def wait_ready(self) -> None:
        """See `Sandbox.wait_ready`."""
        self._current.wait_ready()

    def expect_many(self) -> None:
        """See `Sandbox.expect_many`: nothing, since each zygote serves one submission."""

    def spawn(self, cpu_seconds: int) -> ConnectedProcess:
        """See `Sandbox.spawn`."""
        return self._current.spawn(cpu_seconds)

    def sweep(self) -> None:
        """See `Sandbox.sweep`: the zygote of the last submission ends, the next takes its place."""
        self._current.close()
        self._current = self._next
        self._next = self._start()
        self._current.wait_ready()

    def close(self) -> None:
        """See `Sandbox.close`."""
        self._current.close()
        self._next.close()
