"""What a check holds of the student's code: names to call and handles to objects, all of them in another process.

Runs in the judge. `Student` is the fixture; every call becomes one frame to the student process and one frame back.
Values come back as plain Python objects and plain tensors, objects of other types as `Remote` handles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.judge import generators
from grader.sandbox.base import StudentLied
from grader.wire import calls
from grader.wire.calls import ErrorReport, Reply
from grader.wire.values import Generator, Handle

Ask = Callable[[str, dict[str, Any]], Reply]


class StudentRaised(Exception):
    """Student code raised; `report` is what its process says about it."""

    def __init__(self, report: ErrorReport) -> None:
        super().__init__(f"{report.kinds[0]}: {report.text}")
        self.report = report


class MissingName(Exception):
    """The submission does not define a name that a check asks for."""


@dataclass(frozen=True)
class Gradients:
    """Result of a vector-Jacobian product.

    `inputs` has one gradient for each entry of `wrt`, None where none arrived; `parameters` maps names to gradients or
    None; `requires_grad` says whether the output was attached to anything at all.
    """

    output: Any
    requires_grad: bool
    inputs: tuple[Any, ...]
    parameters: dict[str, Any]


class Remote:
    """Something that lives in the student process: a name of the submission, or an object that was kept there."""

    def __init__(self, ask: Ask, path: tuple[Any, ...], what: str, salt: str = "") -> None:
        self._ask = ask
        self._path = path
        self._what = what
        self._salt = salt

    def __repr__(self) -> str:
        return self._what

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("__"):
            raise AttributeError(name)
        return Remote(self._ask, (*self._path, name), f"{self._what}.{name}", self._salt)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Call it with values that can cross; returns its result."""
        return self._call(args, keywords, inspect=False)

    def inspect(self, *args: Any, **keywords: Any) -> tuple[Any, tuple[Any, ...]]:
        """Call it; returns its result and the positional arguments as they are afterwards."""
        value = self._call(args, keywords, inspect=True)
        if type(value) is not tuple or len(value) != 2 or type(value[1]) is not tuple or len(value[1]) != len(args):
            raise StudentLied("its answer does not hold the arguments")
        return value

    def _call(self, args: tuple[Any, ...], keywords: dict[str, Any], inspect: bool) -> Any:
        moved = [value for value in (*args, *keywords.values()) if _is_generator(value)]
        arguments = {
            "target": list(self._path),
            "args": tuple(_sent(value) for value in args),
            "kwargs": {name: _sent(value) for name, value in keywords.items()},
            "inspect": inspect,
        }
        reply = self._ask(calls.CALL, arguments)
        for generator, state in zip(moved, reply.generators, strict=False):
            _move(generator, state, self._salt)
        return self._received(reply.value)

    def fetch(self) -> Any:
        """The value of the name or attribute itself, or a handle to it."""
        return self._received(self._ask(calls.FETCH, {"target": list(self._path)}).value)

    def vjp(self, *args: Any, cotangent: Any = None, wrt: Sequence[int] = (0,), **keywords: Any) -> Gradients:
        """Gradients of `(output * cotangent).sum()`, or of a scalar output, by inputs (`wrt`) and by parameters."""
        arguments = {
            "target": list(self._path),
            "args": tuple(_sent(value) for value in args),
            "kwargs": {name: _sent(value) for name, value in keywords.items()},
            "wrt": list(wrt),
            "cotangent": cotangent,
        }
        found = self._ask(calls.VJP, arguments).value
        if not isinstance(found, dict) or found.keys() != {"output", "requires_grad", "inputs", "parameters"}:
            raise StudentLied("its answer to a gradient call has no known form")
        inputs, parameters = found["inputs"], found["parameters"]
        padded = tuple(inputs) if isinstance(inputs, list) and len(inputs) == len(wrt) else (None,) * len(wrt)
        named = parameters if isinstance(parameters, dict) else {}
        return Gradients(self._received(found["output"]), found["requires_grad"] is True, padded, named)

    def state_dict(self) -> dict[str, Any]:
        """Parameters and buffers of a module, by name."""
        return self._named(calls.STATE)

    def parameters(self) -> dict[str, Any]:
        """Parameters of a module, by name."""
        return self._named(calls.PARAMETERS)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Copy values into the module's parameters; names and shapes must be exactly the module's own."""
        self._ask(calls.LOAD_STATE, {"target": list(self._path), "state": dict(state)})

    def train(self, mode: bool = True) -> None:
        """Put a module into training mode, or out of it."""
        self.__getattr__("train" if mode else "eval")()

    def eval(self) -> None:
        """Put a module into evaluation mode."""
        self.train(False)

    def _named(self, operation: str) -> dict[str, Any]:
        value = self._ask(operation, {"target": list(self._path)}).value
        if not isinstance(value, dict):
            raise StudentLied("its answer names no parameters")
        return value

    def _received(self, value: Any) -> Any:
        if isinstance(value, Handle):
            return Remote(self._ask, (value,), f"an object of type {value.type_name}", self._salt)
        if type(value) in (list, tuple):
            return type(value)(self._received(item) for item in value)
        if type(value) is dict:
            return {key: self._received(item) for key, item in value.items()}
        return value


class Student:
    """The submission, as checks see it: each name that it defines is an attribute.

    `shared` keeps what its checks made together, for the fixture `once`. `salt` is private, for generators that student
    code leaves in a state that cannot be reached by drawing.
    """

    def __init__(
        self, ask: Ask, known: Callable[[str], None], shared: dict[str, Any] | None = None, salt: str = ""
    ) -> None:
        self._ask = ask
        self._known = known
        self._salt = salt
        self._shared = {} if shared is None else shared

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("__"):
            raise AttributeError(name)
        self._known(name)
        return Remote(self._ask, (None, name), name, self._salt)


def _is_generator(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Generator)


def _sent(value: Any) -> Any:
    if isinstance(value, Remote):
        (handle,) = value._path
        return handle
    if _is_generator(value):
        return Generator(value.get_state().numpy().tobytes())
    return value


def _move(generator: Any, state: bytes, salt: str) -> None:
    """Move the judge's generator to where the student's copy of it was left."""
    try:
        generators.move(generator, generator.get_state().numpy().tobytes(), state, salt)
    except ValueError as error:
        raise StudentLied(str(error)) from None
