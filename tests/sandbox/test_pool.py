"""One zygote for each submission: the next is warm when the last one ends, and nothing is carried over."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from grader.model.assignment import SandboxNeeds
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import SandboxBroken
from grader.sandbox.contract import LIMITS
from grader.sandbox.pool import OneShotSandbox
from grader.sandbox.running import run_code
from grader.sandbox.zygote import ZygoteSandbox, launch_command

PARENT = "import os\nanswer = os.getppid()"


def start() -> ZygoteSandbox:
    """A zygote without confinement, which is not what is looked at here."""
    sandbox = PlainBackend().open(LIMITS, SandboxNeeds(), slot=2)
    assert isinstance(sandbox, ZygoteSandbox)
    return sandbox


@pytest.fixture
def pool() -> Iterator[OneShotSandbox]:
    """A pool, closed afterwards."""
    pool = OneShotSandbox(start)
    pool.wait_ready()
    yield pool
    pool.close()


def test_one_submission_one_zygote(pool: OneShotSandbox) -> None:
    first = {run_code(pool, PARENT) for _ in range(3)}
    pool.sweep()
    second = {run_code(pool, PARENT) for _ in range(3)}
    assert len(first) == len(second) == 1
    assert first != second
    assert not os.path.exists(f"/proc/{first.pop()}")


def test_closing_ends_the_one_in_use_and_the_one_on_its_way(pool: OneShotSandbox) -> None:
    pids = [pool._current._process.pid, pool._next._process.pid]
    pool.close()
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
    with pytest.raises(SandboxBroken):
        pool.spawn(5)


def broken() -> ZygoteSandbox:
    """A zygote that does not start."""
    return ZygoteSandbox("plain", launch_command(lambda fd: ["/bin/false", str(fd)], {}), 1000)


@pytest.mark.parametrize("fails", [2, 3])
def test_one_that_does_not_start_is_the_machines_fault(fails: int) -> None:
    made = iter([broken if number == fails else start for number in range(1, 6)])

    def make() -> ZygoteSandbox:
        return next(made)()

    pool = OneShotSandbox(make)
    try:
        pool.wait_ready()
        if fails == 3:
            pool.sweep()
        with pytest.raises(SandboxBroken):
            pool.sweep()
    finally:
        pool.close()
