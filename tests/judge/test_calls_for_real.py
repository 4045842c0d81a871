"""What checks ask of a real student process: many calls at once, strides, generators, the global generators' states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from grader.judge.conversation import Conversation
from grader.judge.places import Work
from grader.judge.probes import global_generators
from grader.judge.student import AsView, Student, StudentRaised
from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Sandbox

SOURCE = """import random
import numpy
import torch

def draw(count, generator):
    return torch.rand(count, generator=generator)

def draw_two(first, second):
    return torch.rand(1, generator=first), torch.rand(1, generator=second)

def draw_and_raise(generator):
    torch.rand(3, generator=generator)
    raise ValueError("x")

def strides(x, scale=1):
    return list(x.stride()), (x * scale).sum(), x.is_contiguous()

def fill(x):
    x.fill_(7.0)

def move_python():
    random.random()

def move_numpy():
    numpy.random.rand()

def move_torch():
    torch.rand(1)
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A plain sandbox with torch: calls are the same in every mode."""
    opened = PlainBackend().open(Limits(), SandboxNeeds(["torch", "numpy"]), slot=6)
    yield opened
    opened.close()


@pytest.fixture
def student(sandbox: Sandbox) -> Iterator[Student]:
    """The submission in the midst of a check."""
    started = Conversation(sandbox, Work({"a.py": SOURCE}, "a.py"), ("draw",), Limits(), seed=1)
    started.load()
    started.begin_check("a", fresh=False)
    yield Student(started.ask, started.known)
    started.end()


def test_many_calls_at_once_are_as_many_calls_in_a_row(student: Student) -> None:
    one, other = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    together = student.draw.each([(2, one), (5, one), (0, one), (1, one)])
    in_a_row = [student.draw(count, other) for count in (2, 5, 0, 1)]
    assert [found.tolist() for found in together] == [found.tolist() for found in in_a_row]
    assert together[0].tolist() == torch.rand(2, generator=torch.Generator().manual_seed(3)).tolist()
    assert torch.equal(one.get_state(), other.get_state())
    assert student.strides.each([(torch.ones(2),), (torch.ones(3),)], scale=4)[1][1].item() == 12.0
    assert student.draw.each([]) == []


def test_the_first_of_many_that_raises_ends_them(student: Student) -> None:
    with pytest.raises(StudentRaised, match="RuntimeError"):
        student.draw.each([(2, None), (-5, None)])


def test_one_generator_twice_is_one_and_two_in_one_state_are_two(student: Student) -> None:
    one, twin = torch.Generator().manual_seed(9), torch.Generator().manual_seed(9)
    first, second = student.draw_two(one, one)
    assert first.item() != second.item()
    expected = torch.Generator().manual_seed(9)
    torch.rand(1, generator=expected)
    torch.rand(1, generator=expected)
    assert torch.equal(one.get_state(), expected.get_state())
    one.manual_seed(9)
    first, second = student.draw_two(one, twin)
    assert first.item() == second.item()
    assert torch.equal(one.get_state(), twin.get_state())


def test_a_generator_has_moved_although_the_call_raised(student: Student) -> None:
    generator, expected = torch.Generator().manual_seed(4), torch.Generator().manual_seed(4)
    with pytest.raises(StudentRaised):
        student.draw_and_raise(generator)
    torch.rand(3, generator=expected)
    assert torch.equal(generator.get_state(), expected.get_state())


def test_strides_cross_where_a_check_wants_them(student: Student) -> None:
    x = torch.arange(12.0).reshape(3, 4)
    assert student.strides(x.T)[0] == [3, 1]
    for view in (x.T, x[:, 1::2], x[1:, 2:], torch.ones(1, 3).expand(5, 3), x.flip(0)[::2].T):
        strides, total, contiguous = student.strides(AsView(view))
        assert strides == list(view.stride())
        assert total.item() == view.sum().item()
        assert contiguous is view.is_contiguous()
    gradients = student.strides.vjp(AsView(x.T))
    assert gradients.output[0] == [1, 4]


def test_what_a_call_writes_into_a_view_is_seen(student: Student) -> None:
    _, (after,) = student.fill.inspect(AsView(torch.zeros(3, 4).T))
    assert after.tolist() == [[7.0] * 3] * 4


def test_global_generators(student: Student) -> None:
    seeded = global_generators(student, seed=5)
    assert global_generators(student) == seeded == global_generators(student, seed=5)
    assert global_generators(student, seed=6) != seeded
    for name, move in (("Python", student.move_python), ("numpy", student.move_numpy), ("torch", student.move_torch)):
        before = global_generators(student, seed=5)
        move()
        after = global_generators(student)
        assert {library for library in after if after[library] != before[library]} == {name}
