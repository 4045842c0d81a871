"""Importing a submission from bytes, inside the student process.

The main file runs once, in a fresh module, statement by statement (see `statements`), so that what stops is left out
and the rest is kept; a notebook runs cell by cell. Its siblings are importable by name and relatively, through a finder
that stands behind all others, so that a student's `random.py` or `torch.py` hides nothing. Packages that only draw have
stand-ins where they are missing. Nothing here is a boundary: the judge watches the clock as well, and what is reported
is the student's word.
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
from grader.sandbox.standins import REPLACED, StandIns, forget_real_ones, offer_live_names
from grader.sandbox.statements import Left, Pace, Statements, Stop, Unit
from grader.sandbox.unbound import unbound_names

PACKAGE = "submission"
"""The package that a student's files form, for relative imports among them."""
_NOT_TOLD = ("IPython",)
"""A stand-in that nobody needs to hear of: without a notebook around, the real one does nothing of use either."""


@dataclass(frozen=True)
class Wanted:
    """What is to be imported: `main` of `files` (name -> source text), for at most `seconds`.

    `cells` are (first line, last line) of the cells if it is a notebook. `only_definitions`: no other statement runs.
    `skip` are first lines of statements that an earlier process had to leave out.
    """

    files: dict[str, str]
    main: str
    required: tuple[str, ...]
    seconds: float
    only_definitions: bool = False
    cells: tuple[tuple[int, int], ...] = ()
    skip: frozenset[int] = frozenset()

    @property
    def units(self) -> list[Unit]:
        """What is run as one."""
        text = self.files[self.main]
        if not self.cells:
            return [Unit(text)]
        lines = text.split("\n")
        return [Unit("\n".join(lines[first - 1 : last]), first) for first, last in self.cells]


@dataclass(frozen=True)
class Loaded:
    """A module as far as it ran: what stopped, what was skipped, which stand-ins it got, which names are unbound."""

    module: types.ModuleType
    stops: tuple[Stop, ...]
    skipped: tuple[tuple[int, int], ...] = ()
    standins: tuple[str, ...] = ()
    unbound: tuple[tuple[str, int], ...] = ()

    def report(self, required: Sequence[str]) -> dict[str, Any]:
        """All of it as the wire takes it; `error` is the first that stopped."""
        names = vars(self.module)
        first = self.stops[0] if self.stops else None
        return {
            "defined": [name for name in required if names.get(name) is not None],
            "public": sorted(name for name in names if isinstance(name, str) and not name.startswith("_"))[:200],
            "error": None if first is None else first.error,
            "left": first is not None and first.how == "left",
            "late": first is not None and first.how == "late",
            "stops": [[stop.how, stop.error, stop.first, stop.last] for stop in self.stops],
            "skipped": [list(lines) for lines in self.skipped],
            "standins": list(self.standins),
            "unbound": [list(found) for found in self.unbound],
        }


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


def load_submission(wanted: Wanted, clock: Clock) -> Loaded:
    """Run a submission as a module. Never raises: what went wrong is in the result."""
    files, main = wanted.files, wanted.main
    for name, text in files.items():
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = _fresh_module(files, main)
    names = vars(module)
    statements = Statements(
        name=main,
        namespace=names,
        clock=clock,
        pace=Pace(wanted.seconds, by_cell=bool(wanted.cells)),
        useful=lambda: any(names.get(name) is not None for name in wanted.required),
        describe=error_report,
        only_definitions=wanted.only_definitions,
        skip=wanted.skip,
    )

    def trees(file: str) -> list[ast.Module]:
        return statements.trees if file == main else [ast.parse(files[file])] if file in files else []

    siblings = _Siblings(files)
    standins = StandIns([name for name in REPLACED if siblings.find_spec(name) is None], trees)
    forget_real_ones()
    sys.meta_path.insert(0, standins)  # first: what is installed here may not be where others are graded
    sys.meta_path.append(siblings)
    offer_live_names(notebook=bool(wanted.cells))
    with _exit_raises(clock):
        statements.run(wanted.units)
    failed = {stop.first for stop in statements.stops if stop.how == "unread"}
    unread = [unit.text for unit in wanted.units if unit.first in failed]
    unbound = unbound_names(statements.codes, statements.trees, names, unread) if wanted.cells else []
    used = [name for name in standins.used if name not in _NOT_TOLD]
    return Loaded(module, tuple(statements.stops), tuple(statements.skipped), tuple(used), tuple(unbound))


def _fresh_module(files: dict[str, str], main: str) -> types.ModuleType:
    """The module that the main file becomes, known under its own name and within the package of the submission."""
    package = types.ModuleType(PACKAGE)
    package.__path__ = []
    sys.modules[PACKAGE] = package
    stem = main.rsplit("/", 1)[-1].removesuffix(".py").removesuffix(".ipynb")
    if not main.endswith(".py") and f"{stem}.py" in files:
        stem += "_notebook"  # beside a notebook `import attention` means attention.py
    module = types.ModuleType(stem)
    module.__file__ = main
    module.__package__ = PACKAGE
    sys.modules.setdefault(stem, module)
    sys.modules[f"{PACKAGE}.{stem}"] = module
    return module


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
                raise Left(status)
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
