"""The ordinary way to grade, for comparison: student code imported into pytest's own process. No protection at all.

A pytest plugin for the benchmarks. It offers the fixtures of the checks (`student`, `expect`, `reference`, `rng`,
`once`) with
the submission as an ordinary module, so that the very same check files run under plain pytest.
`python -m pytest -p inprocess FILES` takes the submission from $SUBMISSION and the reference from $REFERENCE.
"""

from __future__ import annotations

import copy
import importlib.util
import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from grader.judge import marks
from grader.judge.expect import Expect
from grader.judge.student import AsView, Gradients, StudentRaised
from grader.sandbox import worker
from grader.sandbox.loading import error_report
from grader.wire import calls
from grader.wire.calls import Reply, error_from_value


class Local:
    """An object of the submission with the methods that checks use on a handle."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return Local(getattr(self._target, name))

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self._run(copied(args), keywords)

    def each(self, argument_lists: Sequence[Sequence[Any]], **keywords: Any) -> list[Any]:
        return [self._run(copied(args), keywords) for args in argument_lists]

    def fetch(self) -> Any:
        return self._target

    def _run(self, args: list[Any], keywords: dict[str, Any]) -> Any:
        try:
            result = self._target(*args, **keywords)
        except Exception as error:
            raise StudentRaised(error_from_value(error_report(error))) from None
        return received(result)

    def _ask(self, operation: str, arguments: dict[str, Any]) -> Reply:
        assert operation == calls.GLOBALS, operation
        if arguments["seed"] is not None:
            worker.seed_everything(arguments["seed"])
        return Reply(worker.global_states())

    def inspect(self, *args: Any, **keywords: Any) -> tuple[Any, tuple[Any, ...]]:
        copies = copied(args)
        return self._run(copies, keywords), tuple(map(received, copies))

    def vjp(self, *args: Any, cotangent: Any = None, wrt: Any = (0,), **keywords: Any) -> Gradients:
        copies = copied(args)
        for index in wrt:
            copies[index].requires_grad_(True)
        named = dict(self._target.named_parameters()) if isinstance(self._target, torch.nn.Module) else {}
        try:
            output = self._target(*copies, **keywords)
        except Exception as error:
            raise StudentRaised(error_from_value(error_report(error))) from None
        wanted = [copies[index] for index in wrt] + list(named.values())
        found: list[Any] = [None] * len(wanted)
        if output.requires_grad:
            scalar = output if cotangent is None else (output * cotangent).sum()
            found = list(torch.autograd.grad(scalar, wanted, allow_unused=True))
        count = len(wrt)
        return Gradients(
            output.detach(), output.requires_grad, tuple(found[:count]), dict(zip(named, found[count:], strict=True))
        )

    def parameters(self) -> dict[str, Any]:
        return {name: tensor.detach().clone() for name, tensor in self._target.named_parameters()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        own = dict(self._target.named_parameters())
        with torch.no_grad():
            for name, parameter in own.items():
                parameter.copy_(state[name])

    def train(self, mode: bool = True) -> None:
        self._target.train(mode)

    def eval(self) -> None:
        self._target.eval()


def copied(args: Sequence[Any]) -> list[Any]:
    """Arguments that a call may change; generators and objects of the submission themselves."""
    plain = [value._target if isinstance(value, Local) else value for value in args]
    plain = [value.tensor if isinstance(value, AsView) else value for value in plain]
    return [value if isinstance(value, (torch.Generator, torch.nn.Module)) else copy.deepcopy(value) for value in plain]


def received(value: Any) -> Any:
    """A result in the form in which checks take it."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if type(value) in (list, tuple):
        return type(value)(map(received, value))
    return Local(value) if isinstance(value, torch.nn.Module) else value


def load(path: str, name: str) -> Any:
    """A file as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks of the checks."""
    for name in marks.NAMES:
        config.addinivalue_line("markers", name)


@pytest.fixture(scope="session")
def student() -> Any:
    """The submission."""
    return Local(load(os.environ["SUBMISSION"], "submission"))


@pytest.fixture(scope="session")
def reference() -> Any:
    """The reference."""
    return load(os.environ["REFERENCE"], "reference")


@pytest.fixture
def expect() -> Expect:
    """Comparisons."""
    return Expect()


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Any:
    """A seeded generator."""
    return torch.Generator().manual_seed(len(request.node.name))


@pytest.fixture(scope="session")
def shared() -> dict[str, Any]:
    """What the checks made together."""
    return {}


@pytest.fixture
def once(shared: dict[str, Any]) -> Callable[[str, Callable[[Any], Any]], Any]:
    """`once(name, make)`: what `make(generator)` returned in the first check that asked."""

    def made(name: str, make: Callable[[Any], Any]) -> Any:
        if name not in shared:
            shared[name] = make(torch.Generator().manual_seed(len(name)))
        return shared[name]

    return made
