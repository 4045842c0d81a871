"""What the judge makes of a student process's word: places of errors, names of switches, ends of processes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.judge.conversation import BudgetSpent, Conversation
from grader.judge.places import Work
from grader.judge.student import StudentRaised
from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Sandbox, StudentGone, StudentTimeout
from grader.wire import calls

SOURCE = """import linecache
import os
import torch

def raises_elsewhere():
    linecache.cache["SECRET 0.27"] = (1, None, [], "x")
    raise SyntaxError("x", ("SECRET 0.27", 3, 1, "x"))

def raises_at_a_secret_line():
    raise SyntaxError("x", ("attention.py", 271828, 1, "x"))

def raises_here():
    raise ValueError("x")

def leaves():
    os._exit(3)

def loops():
    while True:
        pass

def switches():
    torch.set_default_dtype(torch.float64)
    os.chdir("/")

def default():
    return str(torch.get_default_dtype())

def one():
    return 1
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A plain sandbox with torch: the conversation is the same in every mode."""
    opened = PlainBackend().open(Limits(), SandboxNeeds(["torch"]), slot=5)
    yield opened
    opened.close()


@pytest.fixture
def conversation(sandbox: Sandbox) -> Iterator[Conversation]:
    """A submission, imported."""
    limits = Limits(check_seconds=1, import_seconds=5, total_seconds=4)
    started = Conversation(sandbox, Work({"attention.py": SOURCE}, "attention.py"), ("one",), limits, seed=1)
    started.load()
    yield started
    started.end()


def call(conversation: Conversation, name: str) -> object:
    """The value that a function of the submission returns."""
    arguments = {"target": [None, name], "args": (), "kwargs": {}, "views": {}, "inspect": False}
    return conversation.ask(calls.CALL, arguments).value


@pytest.mark.parametrize("name", ["raises_elsewhere", "raises_at_a_secret_line"])
def test_a_place_outside_the_submission_is_no_place(conversation: Conversation, name: str) -> None:
    conversation.begin_check("a", fresh=False)
    with pytest.raises(StudentRaised) as raised:
        call(conversation, name)
    report = raised.value.report
    assert (report.file, report.line, report.function, report.source) == (None, None, None, None)


def test_a_place_in_the_submission_is_kept_with_its_own_text(conversation: Conversation) -> None:
    conversation.begin_check("a", fresh=False)
    with pytest.raises(StudentRaised) as raised:
        call(conversation, "raises_here")
    report = raised.value.report
    assert (report.file, report.line, report.function) == ("attention.py", 13, "raises_here")
    assert report.source == 'raise ValueError("x")'


def test_a_dead_process_costs_its_check_alone(conversation: Conversation) -> None:
    conversation.begin_check("a", fresh=False)
    with pytest.raises(StudentGone) as gone:
        call(conversation, "leaves")
    assert gone.value.facts.status == 3
    conversation.begin_check("b", fresh=False)
    assert call(conversation, "one") == 1


def test_waiting_is_bounded_for_a_check_and_for_all(conversation: Conversation) -> None:
    for _ in range(6):
        try:
            conversation.begin_check("a", fresh=False)
        except BudgetSpent:
            return
        with pytest.raises((StudentTimeout, BudgetSpent)):
            call(conversation, "loops")
    pytest.fail("six endless loops of a second each fit into four seconds")


def test_switches_are_put_back_and_named(conversation: Conversation) -> None:
    conversation.begin_check("a", fresh=False)
    call(conversation, "switches")
    conversation.begin_check("b", fresh=False)
    assert conversation.take_switched() == []  # nothing has been asked yet
    call(conversation, "one")
    assert conversation.take_switched() == ["torch.set_default_dtype", "os.chdir"]
    conversation.begin_check("c", fresh=False)
    call(conversation, "one")
    assert conversation.take_switched() == []


def test_switches_are_put_back_before_the_first_call_of_a_check(conversation: Conversation) -> None:
    conversation.begin_check("a", fresh=False)
    call(conversation, "switches")
    conversation.begin_check("b", fresh=False)
    assert call(conversation, "default") == "torch.float32"
    call(conversation, "switches")
    assert call(conversation, "default") != "torch.float32"  # within a check they stay
