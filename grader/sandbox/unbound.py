"""Names that a notebook uses and none of its cells defines: they were there in the session that it was written in.

Runs in the student process, after the import, on code that was compiled and need not have run. What it finds is a hint
for the student and decides nothing.
"""

from __future__ import annotations

import ast
import builtins
import dis
import re
from collections.abc import Collection, Iterator, Sequence
from types import CodeType

_MOST = 5


def unbound_names(
    codes: Sequence[CodeType], trees: Sequence[ast.Module], known: Collection[str], unread: Sequence[str]
) -> list[tuple[str, int]]:
    """(name, line of its first use) of global names that no top-level code binds, at most five.

    `known` are names that there are after all; what stands in an `unread` text may be defined there. After
    `from … import *` nothing can be told.
    """
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    if any(alias.name == "*" for node in nodes for alias in node.names):
        return []
    bound = {name for code in codes for name in _stored(code)}
    found: dict[str, int] = {}
    for code in codes:
        for name, line in _loaded(code, frozenset()):
            if name in bound or name in known or hasattr(builtins, name) or name.startswith("__"):
                continue
            if not any(re.search(rf"\b{re.escape(name)}\b", text) for text in unread):
                found.setdefault(name, line)
    return list(found.items())[:_MOST]


def _stored(code: CodeType, inner: bool = False) -> Iterator[str]:
    """Global names that a piece of code binds."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "STORE_GLOBAL" or (instruction.opname == "STORE_NAME" and not inner):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _stored(constant, inner=True)


def _loaded(code: CodeType, own: frozenset[str]) -> Iterator[tuple[str, int]]:
    """(name, line) of the global names that a piece of code reads; `own` are those of the class that it is."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME") and instruction.argval not in own:
            position = instruction.positions
            yield instruction.argval, (position.lineno if position is not None else None) or code.co_firstlineno
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _loaded(constant, frozenset(constant.co_names) & frozenset(_assigned(constant)))


def _assigned(code: CodeType) -> Iterator[str]:
    return (found.argval for found in dis.get_instructions(code) if found.opname == "STORE_NAME")
