"""The top level of a submission, statement by statement: what stops is left out, what follows is loaded all the same.

Runs in the student process, inside its import. A text is one unit, or a notebook's cells are one each. Up to the first
statement that raises, leaves or runs too long everything runs, as in any import; from there to the end of the unit only
what defines something does: imports, definitions and plain assignments, each for a short time of its own. The next cell
of a notebook starts afresh, as it does for whoever runs it by hand. Nothing here is a boundary: the judge watches the
clock as well.
"""

from __future__ import annotations
import __future__

import ast
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Literal

from grader.sandbox.clock import Clock, OutOfTime

_SHORT_SECONDS = 1.0
_IMPORT_SECONDS = 3.0
_SHARE = 0.25
"""Of the time of the import that one statement of a notebook may take, if it defines nothing."""
_MOST_STOPS, _MOST_SKIPPED = 20, 500
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)

_KEPT: tuple[type[ast.stmt], ...] = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
    ast.Pass,
)
_KEPT += (ast.TypeAlias,) if hasattr(ast, "TypeAlias") else ()  # Python 3.12

How = Literal["raised", "late", "left", "unread"]


def after_seconds(seconds: float) -> float:
    """How long what follows may take once the `seconds` of an import are up, all of it together."""
    return max(1.0, min(seconds, 5.0))


class Left(BaseException):
    """Raised in place of os._exit while a file is imported."""


@dataclass(frozen=True)
class Unit:
    """Text that is run as one: a file, or a cell whose first line is `first` of the whole."""

    text: str
    first: int = 1


@dataclass(frozen=True)
class Stop:
    """A statement that did not come to its end, from its first to its last line; `unread`: a unit that is no Python.

    `error` is a description: an exception itself would keep alive whatever its frames hold.
    """

    how: How
    error: dict[str, Any]
    first: int
    last: int


@dataclass
class Pace:
    """The time there is: `seconds` for all that runs, a little more for what follows; `by_cell` for notebooks."""

    seconds: float
    by_cell: bool = False
    started: float = field(default_factory=time.monotonic)

    def allowed(self, node: ast.stmt, failed: bool) -> float:
        """Seconds for the next statement; none are left if it is not above zero."""
        spent = time.monotonic() - self.started
        left = self.seconds - spent
        if failed or left <= 0:
            short = _IMPORT_SECONDS if isinstance(node, (ast.Import, ast.ImportFrom)) else _SHORT_SECONDS
            return min(short, self.seconds + after_seconds(self.seconds) - spent)
        return left if defines(node) or not self.by_cell else min(left, self.seconds * _SHARE)

    def is_over(self) -> bool:
        """Whether only what defines something is still to be run."""
        return time.monotonic() - self.started >= self.seconds


@dataclass
class Statements:
    """Runs units in one namespace, and keeps what stopped and what was skipped.

    `skip` are first lines of statements that an earlier process had to leave out. `useful` says whether anything is
    defined that a check could ask for: a program that leaves before that is over.
    """

    name: str
    namespace: dict[str, Any]
    clock: Clock
    pace: Pace
    useful: Callable[[], bool]
    describe: Callable[[BaseException], dict[str, Any]]
    only_definitions: bool = False
    skip: Collection[int] = ()
    stops: list[Stop] = field(default_factory=list)
    skipped: list[tuple[int, int]] = field(default_factory=list)
    trees: list[ast.Module] = field(default_factory=list)
    codes: list[CodeType] = field(default_factory=list)
    _flags: int = 0

    def run(self, units: Sequence[Unit]) -> None:
        """Run all of them. Never raises for what they do."""
        for unit in units:
            try:
                compiled = list(self._compiled(unit))
            except Exception as error:  # a SyntaxError, ValueError, MemoryError or RecursionError of the parser
                self._stop("unread", error, unit.first, unit.first + unit.text.count("\n"))
                continue
            if not self._run(compiled):
                return

    def _compiled(self, unit: Unit) -> Iterator[tuple[ast.stmt, CodeType]]:
        """The statements of a unit, compiled before any is run: a text with an error in it is none."""
        try:
            tree = ast.parse(unit.text, self.name)
        except SyntaxError as error:
            if error.lineno is not None and error.filename == self.name:
                error.lineno += unit.first - 1
            raise
        ast.increment_lineno(tree, unit.first - 1)
        self.trees.append(tree)
        for index, node in enumerate(tree.body):
            if index and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # else each string on a line of its own became the docstring
            code = compile(ast.Module([node], []), self.name, "exec", flags=self._flags, dont_inherit=True)
            self._flags |= code.co_flags & _FUTURE
            self.codes.append(code)
            yield node, code

    def _run(self, compiled: Sequence[tuple[ast.stmt, CodeType]]) -> bool:
        """One unit. Returns whether there is any use in going on."""
        failed = self.only_definitions
        for node, code in compiled:
            first, last = _lines(node)
            failed = failed or first in self.skip
            allowed = self.pace.allowed(node, failed)
            if first in self.skip or allowed <= 0 or ((failed or self.pace.is_over()) and not defines(node)):
                if len(self.skipped) < _MOST_SKIPPED:
                    self.skipped.append((first, last))
                continue
            how = self._stopped(node, code, allowed)
            failed = failed or how is not None
            if how == "left" and not self.useful():
                return False
        return True

    def _stopped(self, node: ast.stmt, code: CodeType, seconds: float) -> How | None:
        """Run one statement; how it was stopped, if it was."""
        how: How = "raised"
        problem: BaseException
        try:
            with self.clock.within(seconds):
                exec(code, self.namespace)
            return None
        except OutOfTime as error:
            how, problem = "late", error
        except Left as error:
            how, problem = "left", error
        except SystemExit as error:  # which ends a program, but in a notebook no more than its cell
            how, problem = "raised" if self.pace.by_cell else "left", error
        except BaseException as error:  # a student's file may raise anything
            problem = error
        self._stop(how, problem, *_lines(node))
        return how

    def _stop(self, how: How, error: BaseException, first: int, last: int) -> None:
        if len(self.stops) == _MOST_STOPS:
            return
        told = self.describe(error)
        if how == "late":  # where it was at that moment is chance; this is not
            told |= {"file": self.name, "line": first, "function": "<module>", "source": ""}
        self.stops.append(Stop(how, told, first, last))


def defines(node: ast.stmt) -> bool:
    """Whether a statement only imports, defines or assigns, in every branch that it has."""
    if isinstance(node, ast.If):
        return all(map(defines, [*node.body, *node.orelse]))
    if isinstance(node, ast.Try):
        handled = [inner for handler in node.handlers for inner in handler.body]
        return all(map(defines, [*node.body, *handled, *node.orelse, *node.finalbody]))
    return isinstance(node, _KEPT)


def _lines(node: ast.stmt) -> tuple[int, int]:
    decorators = node.decorator_list if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else []
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first, node.end_lineno or node.lineno
