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
    """Student code raised; `report` is what its process says, `generators` where it left those of the call."""

    def __init__(self, report: ErrorReport, generators: tuple[bytes, ...] = ()) -> None:
        super().__init__(f"{report.kinds[0]}: {report.text}")
        self.report = report
        self.generators = generators


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


class AsView:
    """A tensor that crosses with its strides: transposed, sliced or expanded as it is here. Others cross contiguous.

    For positional arguments; two of them share no memory on the other side.
    """

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


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

    def each(self, argument_lists: Sequence[Sequence[Any]], **keywords: Any) -> list[Any]:
        """Call it once with each of these positional arguments, and with the keywords; returns the results.

        As so many calls in a row, but in one round trip: where a check makes hundreds of small calls. A generator that
        several calls take moves on from one to the next. The first call that raises ends them all.
        """
        sent = _Sent()
        several = [sent.call(args, keywords) for args in argument_lists]
        value = self._asked(calls.CALLS, {"target": list(self._path), "calls": several}, sent.generators)
        if type(value) is not list or len(value) != len(several):
            raise StudentLied("its answer has not one result for each call")
        return value

    def _call(self, args: tuple[Any, ...], keywords: dict[str, Any], inspect: bool) -> Any:
        sent = _Sent()
        arguments = {"target": list(self._path), **sent.call(args, keywords), "inspect": inspect}
        return self._asked(calls.CALL, arguments, sent.generators)

    def _asked(self, operation: str, arguments: dict[str, Any], generators: Sequence[Any]) -> Any:
        """The value of a call, after the judge's generators were moved to where it left the student's copies."""
        try:
            reply = self._ask(operation, arguments)
        except StudentRaised as raised:
            _move_all(generators, raised.generators, self._salt)
            raise
        _move_all(generators, reply.generators, self._salt)
        return self._received(reply.value)

    def fetch(self) -> Any:
        """The value of the name or attribute itself, or a handle to it."""
        return self._received(self._ask(calls.FETCH, {"target": list(self._path)}).value)

    def vjp(self, *args: Any, cotangent: Any = None, wrt: Sequence[int] = (0,), **keywords: Any) -> Gradients:
        """Gradients of `(output * cotangent).sum()`, or of a scalar output, by inputs (`wrt`) and by parameters."""
        called = _Sent().call(args, keywords)
        arguments = {"target": list(self._path), **called, "wrt": list(wrt), "cotangent": cotangent}
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
        self._to = ask
        self._times_asked = 0
        self._known = known
        self._salt = salt
        self._shared = {} if shared is None else shared

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("__"):
            raise AttributeError(name)
        self._known(name)
        return Remote(self._ask, (None, name), name, self._salt)

    def _ask(self, operation: str, arguments: dict[str, Any]) -> Reply:
        self._times_asked += 1
        return self._to(operation, arguments)


class _Sent:
    """Arguments in the form in which they are sent, and the generators among them, each once."""

    def __init__(self) -> None:
        self.generators: list[Any] = []

    def call(self, args: Sequence[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """The arguments of one call."""
        views = {}
        for index, value in enumerate(args):
            if isinstance(value, AsView):
                views[index] = (tuple(value.tensor.shape), value.tensor.stride(), value.tensor.storage_offset())
        return {
            "args": tuple(self._value(value) for value in args),
            "kwargs": {name: self._value(value) for name, value in keywords.items()},
            "views": views,
        }

    def _value(self, value: Any) -> Any:
        import torch

        if isinstance(value, Remote):
            (handle,) = value._path
            return handle
        if isinstance(value, AsView):
            elements = value.tensor.untyped_storage().nbytes() // value.tensor.element_size()
            return value.tensor.detach().as_strided((elements,), (1,), 0)
        if isinstance(value, torch.Generator):
            number = next((n for n, known in enumerate(self.generators) if known is value), len(self.generators))
            self.generators[number:] = self.generators[number:] or [value]
            return Generator(value.get_state().numpy().tobytes(), number)
        return value


def _move_all(generators: Sequence[Any], states: Sequence[bytes], salt: str) -> None:
    for generator, state in zip(generators, states, strict=False):
        _move(generator, state, salt)


def _move(generator: Any, state: bytes, salt: str) -> None:
    """Move the judge's generator to where the student's copy of it was left."""
    try:
        generators.move(generator, generator.get_state().numpy().tobytes(), state, salt)
    except ValueError as error:
        raise StudentLied(str(error)) from None
