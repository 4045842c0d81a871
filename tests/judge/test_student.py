"""What a check holds of a student's code: each use is one call, and what comes back is checked."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.judge.student import MissingName, Remote, Student, StudentRaised
from grader.sandbox.base import StudentLied
from grader.wire import calls
from grader.wire.calls import ErrorReport, Reply
from grader.wire.values import Generator, Handle


class Wire:
    """Stands for the conversation: keeps the calls, gives the replies that it was told."""

    def __init__(self, *replies: Any, generators: tuple[bytes, ...] = ()) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._replies = list(replies)
        self._generators = generators

    def ask(self, operation: str, arguments: dict[str, Any]) -> Reply:
        """The next reply."""
        self.asked.append((operation, arguments))
        value = self._replies.pop(0) if self._replies else None
        if isinstance(value, Exception):
            raise value
        return Reply(value, None, self._generators)

    @property
    def student(self) -> Student:
        """A student behind this wire who defines every name."""
        return Student(self.ask, lambda _: None)


def test_a_call() -> None:
    wire = Wire(7)
    assert wire.student.attend(1, "a", heads=2) == 7
    assert wire.asked == [
        (
            calls.CALL,
            {"target": [None, "attend"], "args": (1, "a"), "kwargs": {"heads": 2}, "views": {}, "inspect": False},
        )
    ]


def test_naming_asks_nothing_calling_does() -> None:
    wire = Wire()
    named = wire.student.Model.block.attend
    assert wire.asked == []
    named()
    assert wire.asked[0][1]["target"] == [None, "Model", "block", "attend"]
    assert repr(named) == "Model.block.attend"


def test_objects_stay_where_they_are() -> None:
    wire = Wire(Handle(3, "Model"), None, Handle(4, "Layer"))
    model = wire.student.Model(8)
    assert isinstance(model, Remote)
    assert repr(model) == "an object of type Model"
    model.block.forward(model)
    target, args = wire.asked[1][1]["target"], wire.asked[1][1]["args"]
    assert (target[0].number, target[1:], args[0].number) == (3, ["block", "forward"], 3)
    assert isinstance(model.block.fetch(), Remote)
    assert wire.asked[2][0] == calls.FETCH


def test_what_comes_back_is_plain() -> None:
    wire = Wire([1, (Handle(3, "A"), {"k": Handle(4, "B")})])
    one, (first, rest) = wire.student.f()
    assert one == 1
    assert [repr(first), repr(rest["k"])] == ["an object of type A", "an object of type B"]


def test_inspecting_arguments() -> None:
    wire = Wire((5, (torch.ones(2), "a")))
    result, after = wire.student.f.inspect(torch.zeros(2), "a")
    assert (result, after[0].tolist(), after[1]) == (5, [1.0, 1.0], "a")
    assert wire.asked[0][1]["inspect"] is True


@pytest.mark.parametrize("value", [None, 5, "ab", [], (1, 2, 3), (1, 2), {"a": 1, "b": 2}, torch.zeros(2), [1, 2]])
def test_an_inspection_of_another_form_is_a_lie(value: Any) -> None:
    with pytest.raises(StudentLied):
        Wire(value).student.f.inspect(torch.zeros(2))


def test_a_generator_goes_and_comes_back() -> None:
    mine, theirs = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
    torch.rand(5, generator=theirs)
    state = theirs.get_state().numpy().tobytes()
    wire = Wire(None, generators=(state,))
    before = mine.get_state().numpy().tobytes()
    wire.student.corrupt(1, generator=mine)
    sent = wire.asked[0][1]["kwargs"]["generator"]
    assert isinstance(sent, Generator)
    assert sent.state == before
    assert torch.equal(torch.rand(4, generator=mine), torch.rand(4, generator=theirs))


@pytest.mark.parametrize("state", [b"", b"x", b"\0" * 5056, b"\xff" * 5056, b"x" * 100_000])
def test_a_state_that_is_none_is_a_lie_or_harmless(state: bytes) -> None:
    generator = torch.Generator().manual_seed(1)
    try:
        Wire(None, generators=(state,)).student.f(generator)
    except StudentLied:
        return
    assert torch.rand(3, generator=generator).isfinite().all()


def test_more_or_fewer_states_than_generators() -> None:
    generator = torch.Generator().manual_seed(1)
    before = generator.get_state()
    Wire(None, generators=()).student.f(generator)
    Wire(None, generators=(b"x",)).student.f(1)
    assert torch.equal(generator.get_state(), before)


def gradients(**fields: Any) -> dict[str, Any]:
    """An honest answer to a gradient call."""
    return {"output": 1, "requires_grad": True, "inputs": [torch.ones(2)], "parameters": {"w": None}} | fields


def test_gradients() -> None:
    wire = Wire(gradients())
    found = wire.student.f.vjp(torch.zeros(2), cotangent=torch.ones(2), scale=2)
    assert (found.output, found.requires_grad, found.parameters) == (1, True, {"w": None})
    assert found.inputs[0].tolist() == [1, 1]
    arguments = wire.asked[0][1]
    assert (wire.asked[0][0], arguments["wrt"], arguments["kwargs"]) == (calls.VJP, [0], {"scale": 2})


@pytest.mark.parametrize("value", [None, 1, [], {}, {"output": 1}, gradients(more=1), (1, 2, 3, 4)])
def test_gradients_of_another_form_are_a_lie(value: Any) -> None:
    with pytest.raises(StudentLied):
        Wire(value).student.f.vjp(torch.zeros(2))


@pytest.mark.parametrize("inputs", [None, [], [1, 2, 3], (1, 2), "ab", {}])
def test_gradients_that_are_missing_are_none(inputs: Any) -> None:
    found = Wire(gradients(inputs=inputs, parameters=[1], requires_grad=1)).student.f.vjp(1, 2, wrt=(0, 1))
    assert (found.inputs, found.parameters, found.requires_grad) == ((None, None), {}, False)


def test_modules() -> None:
    state = {"w": torch.ones(2)}
    wire = Wire(Handle(1, "M"), state, state, None, None, None)
    model = wire.student.M()
    assert model.state_dict() == state
    assert model.parameters() == state
    model.load_state_dict(state)
    model.train()
    model.eval()
    operations = [operation for operation, _ in wire.asked[1:]]
    assert operations == [calls.STATE, calls.PARAMETERS, calls.LOAD_STATE, calls.CALL, calls.CALL]
    assert [arguments["target"][1:] for _, arguments in wire.asked[4:]] == [["train"], ["eval"]]


@pytest.mark.parametrize("value", [None, [], "w", 3, torch.zeros(1)])
def test_parameters_of_another_form_are_a_lie(value: Any) -> None:
    for method in ("state_dict", "parameters"):
        with pytest.raises(StudentLied, match="names no parameters"):
            getattr(Wire(value).student.M, method)()


def test_what_student_code_raises_is_raised() -> None:
    report = ErrorReport(("ValueError",), "no")
    with pytest.raises(StudentRaised, match="ValueError: no") as raised:
        Wire(StudentRaised(report)).student.f()
    assert raised.value.report is report


def test_names_are_looked_up_before_anything_is_asked() -> None:
    def known(name: str) -> None:
        raise MissingName(name)

    wire = Wire()
    student = Student(wire.ask, known)
    with pytest.raises(MissingName, match="atend"):
        student.atend(1)
    assert wire.asked == []


@pytest.mark.parametrize("name", ["__len__", "__iter__", "__array__", "__torch_function__", "__deepcopy__"])
def test_protocols_are_not_forwarded(name: str) -> None:
    wire = Wire()
    for remote in (wire.student, wire.student.f):
        assert not hasattr(remote, name)
    assert wire.asked == []
