"""The ordinary way to grade, for comparison: student code imported into pytest's own process. No protection at all.

A pytest plugin for the benchmarks. It offers the fixtures of the checks (`student`, `expect`, `reference`, `rng`) with
the submission as an ordinary module, so that the very same check files run under plain pytest.
`python -m pytest -p inprocess FILES` takes the submission from $SUBMISSION and the reference from $REFERENCE.
"""

from __future__ import annotations

import copy
import importlib.util
import os
from typing import Any

import pytest
import torch

from grader.judge import marks
from grader.judge.expect import Expect
from grader.judge.student import Gradients, StudentRaised
from grader.sandbox.loading import error_report
from grader.wire.calls import error_from_value


class Local:
    """An object of the submission with the methods that checks use on a handle."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return Local(getattr(self._target, name))

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self._run(copy.deepcopy(args), keywords)

    def _run(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        plain = [value._target if isinstance(value, Local) else value for value in args]
        try:
            result = self._target(*plain, **keywords)
        except Exception as error:
            raise StudentRaised(error_from_value(error_report(error))) from None
        if isinstance(result, torch.Tensor):
            return result.detach().clone()
        return Local(result) if isinstance(result, torch.nn.Module) else result

    def inspect(self, *args: Any, **keywords: Any) -> tuple[Any, tuple[Any, ...]]:
        copies = copy.deepcopy(args)
        return self._run(copies, keywords), copies

    def vjp(self, *args: Any, cotangent: Any = None, wrt: Any = (0,), **keywords: Any) -> Gradients:
        copies = list(copy.deepcopy(args))
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
        return {name: tensor.detach() for name, tensor in self._target.named_parameters()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        own = dict(self._target.named_parameters())
        with torch.no_grad():
            for name, parameter in own.items():
                parameter.copy_(state[name])

    def train(self) -> None:
        self._target.train()

    def eval(self) -> None:
        self._target.eval()


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
