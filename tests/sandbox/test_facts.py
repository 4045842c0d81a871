"""Facts about the end of a process: what they are called and what they mean."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.sandbox.facts import ExitFacts, explain_end, struck_cpu_limit


@pytest.mark.parametrize("number", sorted(signal.Signals))
def test_signals_have_their_names(number: signal.Signals) -> None:
    facts = ExitFacts(-number, 0.0, 0)
    assert facts.signal_name == number.name
    assert number.name in explain_end(facts)


@pytest.mark.parametrize("status", [0, 1, 120, 255])
def test_an_exit_has_no_signal(status: int) -> None:
    facts = ExitFacts(status, 0.0, 0)
    assert facts.signal_name is None
    assert explain_end(facts) == f"it exited with status {status}"


def test_a_signal_without_a_name() -> None:
    assert ExitFacts(-50, 0.0, 0).signal_name == "signal 50"
    assert explain_end(ExitFacts(-50, 0.0, 0)) == "it was ended by signal 50"


def test_an_end_for_want_of_memory() -> None:
    assert "too much memory" in explain_end(ExitFacts(-9, 0.0, 0, over_memory=True))


@given(st.integers(-200, 255), st.floats(0, 1000), st.integers(0, 2**40))
def test_every_end_has_a_clause(status: int, cpu_seconds: float, peak_kb: int) -> None:
    assert explain_end(ExitFacts(status, cpu_seconds, peak_kb)).startswith("it ")


@pytest.mark.parametrize(
    ("status", "used", "struck"),
    [
        (-signal.SIGKILL, 2.0, True),
        (-signal.SIGXCPU, 2.3, True),
        (-signal.SIGKILL, 1.6, True),
        (-signal.SIGKILL, 1.4, False),
        (-signal.SIGXCPU, 0.0, False),
        (-signal.SIGSEGV, 2.0, False),
        (0, 2.0, False),
        (9, 2.0, False),
    ],
)
def test_who_used_up_the_processor_time(status: int, used: float, struck: bool) -> None:
    assert struck_cpu_limit(ExitFacts(status, used, 0), 2) is struck
