"""What a live session has run -> the notebook that stands for it.

Pure functions, in the kernel of a student's own notebook; nothing is run. A session's history holds every run of every
cell, also those of before the last twenty changes, and of cells that were deleted since. All of them in their order
give what the session has; but then a training loop that was run ten times would be run ten times more. So a run is left
out once later runs have bound again every name that it bound and nothing that counts has used them in between; the
same text that binds nothing counts once. That needs to know which names a run binds and reads, which its compiled code
tells. Who reads names in other ways, by `eval` or a string, is not seen.
"""

from __future__ import annotations

import ast
import dis
import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from grader.intake import magics

_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})
_STORES = frozenset({"STORE_NAME", "STORE_GLOBAL"})
_AT_THE_END = "\0end"
"""Who reads every name that is there in the end: the checks."""


_Readers = dict[str, set[str]]
"""By name, the texts that read it."""


@dataclass(frozen=True)
class Run:
    """One execution of a cell: the number in its brackets, its text as it was typed, and whether it raised."""

    number: int
    text: str
    raised: bool = False


@dataclass(frozen=True)
class _Effect:
    """Names that a run binds and those that it reads from before; `unknown` if it may bind others.

    `surely` are those that it binds however it goes: not below an `if` or a `try`.
    """

    binds: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    unknown: bool = False
    surely: frozenset[str] = frozenset()


def counting_runs(runs: Sequence[Run]) -> list[Run]:
    """The runs that make up what the session has defined, in their order. What is no Python is left out."""
    budget = _Budget()
    effects = [_effect(run.text, budget) for run in runs]
    readers: _Readers = {}
    since: dict[str, _Readers] = {}  # who reads what after the last run of a text: the next run of it binds the same
    kept: list[Run] = []
    for run, effect in zip(reversed(runs), reversed(effects), strict=True):
        if effect is None or not _counts(run, effect, since.get(run.text, readers), run.text in since):
            continue
        kept.append(run)
        if not run.raised:  # else it may have bound some of them only
            readers.update({name: set() for name in effect.surely})
            since[run.text] = {**since.get(run.text, {}), **{name: set() for name in effect.binds}}
        for name in effect.reads:
            for each in (readers, *since.values()):
                if name in each or each is readers:
                    each.setdefault(name, {_AT_THE_END}).add(run.text)
    return kept[::-1]


def _counts(run: Run, effect: _Effect, readers: _Readers, again: bool) -> bool:
    """Whether somebody reads what a run binds; `again`: its text is run later once more."""
    if effect.unknown:
        return True
    if not effect.binds:
        return not again and not run.raised
    return any(readers.get(name, {_AT_THE_END}) - {run.text} for name in effect.binds)


def session_notebook(runs: Sequence[Run]) -> bytes:
    """A notebook of these runs in which each cell's number is the one in its brackets: what is missing is empty."""
    texts = {run.number: run.text for run in runs}
    cells: list[dict[str, Any]] = [
        {"cell_type": "code" if number in texts else "markdown", "source": texts.get(number, ""), "metadata": {}}
        for number in range(1, max(texts, default=0) + 1)
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}).encode("ascii")


@dataclass
class _Budget:
    """Characters that special lines may still cost, as in a notebook that is handed in."""

    left: int = field(default=magics.WORK)

    def allows(self, text: str) -> bool:
        self.left -= magics.cost(text)
        return self.left >= 0


def _effect(text: str, budget: _Budget) -> _Effect | None:
    """What a run binds and reads; None if it is no Python, which then did nothing in the session either."""
    plain = magics.plain_cell(text, special=budget.allows(text))
    if plain.file is not None:
        written = frozenset({f"%%writefile {plain.file}"})
        return _Effect(binds=written, unknown=plain.appends, surely=written)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the session has shown them
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            tree = compile(plain.text, "<cell>", "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
            code = compile(tree, "<cell>", "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    stars = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.names[0].name == "*")
    return _names(code, any(stars), frozenset(_surely_bound(tree)))


def _surely_bound(tree: ast.AST) -> Iterator[str]:
    """Names that the statements of a module bind themselves; a loop is taken to run at least once."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            yield from _stored(node.targets if isinstance(node, ast.Assign) else [node.target])
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            yield from _stored([node.target])
            yield from _surely_bound(ast.Module(node.body, []))
        elif isinstance(node, (ast.While, ast.With, ast.AsyncWith)):
            yield from _surely_bound(ast.Module(node.body, []))


def _stored(targets: Sequence[ast.expr]) -> Iterator[str]:
    found = (inner for target in targets for inner in ast.walk(target))
    return (inner.id for inner in found if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store))


def _names(code: CodeType, unknown: bool, surely: frozenset[str]) -> _Effect:
    binds: set[str] = set()
    reads: set[str] = set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in _STORES:
            binds.add(instruction.argval)
        elif instruction.opname in _LOADS and instruction.argval not in binds:
            reads.add(instruction.argval)
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    for part in inner:  # a function reads its names when it is called, mostly below
        binds |= {name for each in _nested(part) for name in _named(each, {"STORE_GLOBAL"})}
    for part in inner:
        reads |= {name for each in _nested(part) for name in _named(each, _LOADS)} - binds
    return _Effect(frozenset(binds), frozenset(reads), unknown, surely)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _nested(part)


def _named(code: CodeType, operations: frozenset[str] | set[str]) -> Iterator[str]:
    return (found.argval for found in dis.get_instructions(code) if found.opname in operations)
