"""Mechanical mutants of a reference: the same file with one small mistake in it.

Pure functions, used in the command: source in, `Mutant`s out; `grader.batch.mutation_operators` has the mistakes. A
mutant that passes every check shows a hole in the checks, or is equivalent: no caller can tell it from the original.
Docstrings, annotations and imports stay as they are. (Maintained tools for this, mutmut and cosmic-ray, drive a
test-suite of their own; they know neither axes nor our slots.)

A mutant is named by its function, its operator and its statement before and after, never by its line: a reason that
was given for it holds until the statement itself is edited.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from grader.batch.mutation_operators import Place, changes

_KEPT_FIELDS = {"annotation", "returns", "decorator_list", "bases", "type_params", "ctx", "format_spec"}
_KEPT_NODES = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)


@dataclass(frozen=True)
class Mutant:
    """One mistake: in which function (`Class.method`, or `module`), and the whole file with it.

    `before` and `after` are the statement, of a compound one its first line.
    """

    function: str
    line: int
    operator: str
    before: str
    after: str
    source: str

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What tells it from the others, whatever else in the file changes."""
        return self.function, self.operator, self.before, self.after


@dataclass(frozen=True)
class _Site:
    """A node that may be replaced: where it is, the statement it belongs to, and the function around."""

    node: ast.AST
    place: Place
    statement: ast.stmt
    function: str

    def put(self, node: ast.AST) -> None:
        """Let `node` stand here."""
        if self.place.index is None:
            setattr(self.place.parent, self.place.field, node)
        else:
            getattr(self.place.parent, self.place.field)[self.place.index] = node


def mutants_of(source: str) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines, no two with the same text.

    Raises:
        SyntaxError: it is no Python.
    """
    tree = ast.parse(source)
    pieces = [ast.unparse(top) for top in tree.body]
    known = {_joined(pieces)}
    found = []
    for number in range(len(tree.body)):
        for site in list(_sites(tree, number)):
            before = _first_line(site.statement)
            for operator, node in list(changes(site.node, site.place)):
                site.put(node)
                after = _first_line(node if site.node is site.statement else site.statement)
                piece = ast.unparse(tree.body[number])
                site.put(site.node)
                text = _joined([*pieces[:number], piece, *pieces[number + 1 :]])
                if text not in known and _is_python(piece):
                    known.add(text)
                    line = getattr(site.node, "lineno", site.statement.lineno)
                    found.append(Mutant(site.function, line, operator, before, after, text))
    return sorted(found, key=lambda mutant: mutant.line)


def _joined(pieces: list[str]) -> str:
    return "\n\n\n".join(pieces) + "\n"


def _is_python(piece: str) -> bool:
    try:
        ast.parse(piece)
    except SyntaxError:
        return False
    return True


def _first_line(node: ast.AST) -> str:
    """A statement as text, of a compound one the line with the colon."""
    if not hasattr(node, "body"):
        return ast.unparse(node)
    head = copy.copy(node)
    for field, value in (("body", [ast.Pass()]), ("orelse", []), ("decorator_list", [])):
        if hasattr(head, field):
            setattr(head, field, value)
    return ast.unparse(head).splitlines()[0]


def _sites(tree: ast.Module, number: int) -> Iterator[_Site]:
    """The places in one statement of the module, outer ones first."""
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    top = tree.body[number]
    place = Place(tree, "body", number, frozenset({*imported, "self", "cls"}), frozenset())
    if not isinstance(top, _KEPT_NODES) and not _is_docstring(top, place):
        yield from _inside(_Site(top, place, top, ""), None)


def _inside(site: _Site, function: ast.FunctionDef | None) -> Iterator[_Site]:
    node = site.node
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        site = _Site(node, site.place, site.statement, f"{site.function}.{node.name}".lstrip("."))
        function = node if isinstance(node, ast.FunctionDef) else None
    if function is not None or not isinstance(node, ast.stmt):
        yield _Site(node, site.place, site.statement, site.function or "module")
    for field, value in ast.iter_fields(node):
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            place = Place(node, field, index, site.place.namespaces, site.place.bound)
            if not isinstance(child, ast.AST) or field in _KEPT_FIELDS or _is_kept(child, place):
                continue
            statement = child if isinstance(child, ast.stmt) else site.statement
            if child is statement and function is not None:
                place = Place(node, field, index, site.place.namespaces, _bound_before(function, child.lineno))
            yield from _inside(_Site(child, place, statement, site.function), function)


def _is_kept(node: ast.AST, place: Place) -> bool:
    """What no operator may touch: imports, docstrings, the words of a text with values in it."""
    words = isinstance(place.parent, ast.JoinedStr) and isinstance(node, ast.Constant)
    return words or isinstance(node, _KEPT_NODES) or _is_docstring(node, place)


def _is_docstring(node: ast.AST, place: Place) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and place.field == "body"
        and place.index == 0
    )


def _bound_before(function: ast.FunctionDef, line: int) -> frozenset[str]:
    """The function's parameters, and the names that it sets above a line."""
    named = (node for node in ast.walk(function.args) if isinstance(node, ast.arg))
    stored = (node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return frozenset({arg.arg for arg in named} | {name.id for name in stored if name.lineno < line})
