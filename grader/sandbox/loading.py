"""Importing a submission from bytes, inside the student process.

The main file runs once, in a fresh module. Its siblings are importable by name and relatively, through a finder that
stands behind all others, so that a student's `random.py` or `torch.py` hides nothing. What the file defined before it
raised, left or ran out of time is kept. Nothing here is a boundary: the judge watches the clock as well.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import linecache
import os
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from grader.sandbox.clock import Clock, OutOfTime, write_place

PACKAGE = "submission"
"""The package that a student's files form, for relative imports among them."""


class _LeftError(BaseException):
    """Raised in place of os._exit while the file is imported."""


@dataclass(frozen=True)
class Loaded:
    """A module as far as it ran: `error` stopped it; `left`: it called exit; `late`: it ran too long."""

    module: types.ModuleType
    error: dict[str, Any] | None
    left: bool
    late: bool


class _Siblings(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the files that were handed in beside the main one, from memory."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = {name.removesuffix(".py").replace("/", "."): name for name in files if name.endswith(".py")}
        self._packages = {
            stem.removesuffix(".__init__"): name for stem, name in self._files.items() if stem.endswith(".__init__")
        }
        self._sources = files

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        stem = fullname.removeprefix(PACKAGE + ".")
        if stem in self._files:
            return importlib.machinery.ModuleSpec(fullname, self, origin=self._files[stem])
        if any(name.startswith(stem + ".") for name in self._files):
            spec = importlib.machinery.ModuleSpec(fullname, self, origin=self._packages.get(stem), is_package=True)
            spec.submodule_search_locations = []
            return spec
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.origin is not None:
            exec(compile(self._sources[spec.origin], spec.origin, "exec", dont_inherit=True), vars(module))


def load_submission(
    files: dict[str, str], main: str, clock: Clock, seconds: float, definitions_only: bool = False
) -> Loaded:
    """Run `main` of `files` (name -> source text) as a module, for at most `seconds` on `clock`.

    With `definitions_only`, only imports, definitions and assignments at the top level run. Never raises: what went
    wrong is in the result.
    """
    for name, text in files.items():
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    sys.meta_path.append(_Siblings(files))
    package = types.ModuleType(PACKAGE)
    package.__path__ = []
    sys.modules[PACKAGE] = package
    stem = main.removesuffix(".py").rsplit("/", 1)[-1]
    module = types.ModuleType(stem)
    module.__file__ = main
    module.__package__ = PACKAGE
    sys.modules.setdefault(stem, module)
    sys.modules[f"{PACKAGE}.{stem}"] = module
    error, left, late = None, False, False
    try:
        tree = ast.parse(files[main], main)
        code = compile(_definitions(tree) if definitions_only else tree, main, "exec", dont_inherit=True)
        with clock.within(seconds), _exit_raises(clock):
            exec(code, vars(module))
    except OutOfTime as problem:
        late, error = True, error_report(problem)
    except (_LeftError, SystemExit) as problem:
        left, error = True, error_report(problem)
    except BaseException as problem:  # a student's file may raise anything
        error = error_report(problem)
    return Loaded(module, error, left, late)


def _definitions(tree: ast.Module) -> ast.Module:
    kept: tuple[type[ast.stmt], ...]
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    kept += (ast.TypeAlias,) if hasattr(ast, "TypeAlias") else ()  # Python 3.12
    tree.body = [node for node in tree.body if isinstance(node, kept)]
    return tree


@contextmanager
def _exit_raises(clock: Clock) -> Iterator[None]:
    """Let os._exit raise while the file is imported, so that what it defined so far can be graded.

    After that it ends the process, as it should, and says before where it was called.
    """
    real, own = os._exit, os.getpid()
    loading = True

    def leave(status: int) -> NoReturn:
        if os.getpid() == own:  # a process that student code started may leave
            if loading:
                raise _LeftError(status)
            if clock.running:
                write_place()
        real(status)

    os._exit = leave
    try:
        yield
    finally:
        loading = False


def error_report(error: BaseException) -> dict[str, Any]:
    """An exception as the wire takes it, with the innermost line that lies in a file of the student's."""
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind is not object]
    if isinstance(error, OutOfTime):
        kinds = [error.kind]
    try:
        # A syntax error's text repeats its place, which is reported on its own.
        text = str(error.msg) if isinstance(error, SyntaxError) else str(error)
    except BaseException:  # a student's __str__ may raise
        text = "(its text could not be read)"
    report: dict[str, Any] = {"kinds": [str(kind)[:80] for kind in kinds[:20]], "text": _sendable(text, 4000)}
    if isinstance(error, SyntaxError) and error.filename in linecache.cache:
        report.update(file=error.filename, line=error.lineno, source=_sendable(error.text or "", 200))
        return report
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if _is_submitted(code.co_filename):
            source = linecache.getline(code.co_filename, trace.tb_lineno).strip()
            report.update(file=code.co_filename[:200], line=trace.tb_lineno, function=code.co_name[:200])
            report["source"] = _sendable(source, 200)
        trace = trace.tb_next
    return report


def _is_submitted(filename: str) -> bool:
    """Whether `load_submission` put this file where tracebacks look: with its lines, but no time of change."""
    entry = linecache.cache.get(filename)
    return entry is not None and len(entry) == 4 and entry[1] is None


def _sendable(text: str, length: int) -> str:
    return text[:length].encode("utf-8", "replace").decode("utf-8")
