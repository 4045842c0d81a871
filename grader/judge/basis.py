"""What the observations of a check rest on, and what it allows, each as a digest of its text.

Pure functions over the source of check files, in the judge. A stored observation may be judged again as long as the
check still asks the same of student code and compares the same with the same. So the text of a check file is cut in
two: numbers that say how much a comparison allows, and everything else. Titles, points, groups, hints, prerequisites,
visibility and comments belong to neither, since results follow from them without a run.

What counts as allowing is narrow on purpose, for what is not seen here would be judged by yesterday's values: the
arguments `rtol`, `atol`, `risk` and `bound` of calls `expect.…(…)`, and the same keywords of functions of the file that
do nothing with them but hand them on; each as a number, or as a constant of the file that serves for nothing else. Any
other change of the text is a change of what is asked.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

_ALLOWANCES = frozenset({"rtol", "atol", "risk", "bound", "bar"})
_PLACES = {
    "close": (3, 4),
    "curve": (3, 4, 5),
    "rows_sum_to_one": (2,),
    "below": (1,),
    "above": (1,),
    "proportion": (4,),
    "proportions": (2,),
}
"""Which arguments of the methods of `expect` say what is allowed, where they are not named."""
_MARKS = frozenset({"points", "group", "hint", "needs", "visibility"})
"""Decorators that results follow without a run; `fresh` changes one."""
_DIGITS = 16


@dataclass(frozen=True)
class Part:
    """A piece of a check file without its allowances, and these."""

    asked: str = ""
    allowed: str = ""
    computed: bool = False
    """Whether it computes how much it allows, perhaps from a student's values."""


@dataclass(frozen=True)
class CheckFile:
    """A check file cut up: its checks by function name, and what they share."""

    shared: Part
    checks: dict[str, Part]


@dataclass(frozen=True)
class CheckPlace:
    """Where a check stands: the path of its file, its function's name, and the fixtures that it uses."""

    file: str
    function: str
    fixtures: frozenset[str]


def digests(
    places: Mapping[str, CheckPlace], files: Mapping[str, str], reference: str, common: Sequence[str]
) -> dict[str, Part]:
    """By check, digests of what it asks and of what it allows.

    `files` has the source of the check files by path. The text of the `reference` counts for checks that use it, the
    `common` texts for all. What is drawn `once` serves several checks, whose text then counts for each of them.
    """
    cut = {path: read_check_file(text) for path, text in files.items()}
    own = {name: cut[place.file].checks.get(place.function, Part()) for name, place in places.items()}
    together = [own[name].asked for name, place in places.items() if "once" in place.fixtures]
    reference = without_comments(reference) if reference else ""
    found = {}
    for name, place in places.items():
        shared = cut[place.file].shared
        asked = [name, shared.asked, own[name].asked, *common]
        asked += [reference] if "reference" in place.fixtures else []
        asked += together if "once" in place.fixtures else []
        # The amounts of the reference's run are not those of a student's then: no change of an amount can be followed.
        asked += [shared.allowed, own[name].allowed] if shared.computed or own[name].computed else []
        found[name] = Part(digest(asked), digest([shared.allowed, own[name].allowed]))
    return found


def digest(parts: Iterable[str]) -> str:
    """A short SHA-256 over several texts."""
    whole = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "replace")
        whole.update(len(content).to_bytes(8, "big") + content)
    return whole.hexdigest()[:_DIGITS]


def without_comments(text: str) -> str:
    """Python source as its syntax tree has it. Raises SyntaxError."""
    return ast.unparse(ast.parse(text))


def read_check_file(text: str) -> CheckFile:
    """Cut a check file up. Raises SyntaxError."""
    tree = ast.parse(text)
    slots = _Slots(tree)
    shared, checks = [], {}
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name.startswith("test_"):
            checks[statement.name] = _part([statement], slots)
        elif not (isinstance(statement, ast.ImportFrom) and statement.module == "grader.judge.marks"):
            shared.append(statement)
    return CheckFile(_part(shared, slots), checks)


def _part(statements: list[ast.stmt], slots: _Slots) -> Part:
    cutter = _Cutter(slots)
    computed = any(slots.computes(statement) for statement in statements)
    kept = (cutter.visit(statement) for statement in statements)
    asked = [ast.unparse(statement) for statement in kept if statement is not None]
    return Part("\n".join(asked), "\n".join(cutter.allowed), computed)


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is made of numbers alone."""
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


class _Slots:
    """Where a file says how much its comparisons allow."""

    def __init__(self, tree: ast.Module) -> None:
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        self._spread = _only_spread(tree)
        self._handing_on = {function.name: self._taken(function) for function in functions}
        self._clean = self._only_allowing(tree)
        if not self._clean >= {name for name in _names_read(tree) if name in _ALLOWANCES}:
            self._handing_on = dict.fromkeys(
                self._handing_on, frozenset[str]()
            )  # some function does more with what it is told
            self._clean = self._only_allowing(tree)
        numbers = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_number(node.value)
            for target in node.targets
            if isinstance(target, ast.Name) and _assignments(tree, target.id) == 1
        }
        imported = {
            name.asname or name.name for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names
        }
        handed = {name for name in self._clean & _ALLOWANCES if _assignments(tree, name) == 0}
        self.constants = numbers & self._clean | numbers - set(_names_read(tree))
        self._steady = numbers | imported | handed | self._spread

    def _taken(self, function: ast.FunctionDef) -> frozenset[str]:
        """Keywords that a function hands on; those that it gathers it must not look at."""
        if function.args.kwarg is not None:
            return _ALLOWANCES if function.args.kwarg.arg in self._spread else frozenset()
        return frozenset(arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)) & _ALLOWANCES

    def keywords(self, call: ast.Call) -> list[ast.keyword]:
        """The keywords of a call that say what it allows."""
        names: frozenset[str] = frozenset()
        if isinstance(call.func, ast.Name):
            names = self._handing_on.get(call.func.id, names)
        if _method(call) is not None:
            names = _ALLOWANCES
        return [keyword for keyword in call.keywords if keyword.arg in names]

    def places(self, call: ast.Call) -> list[int]:
        """Which arguments of a call say what it allows by their place; none where the places are not known."""
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return []
        return [place for place in _PLACES.get(_method(call) or "", ()) if place < len(call.args)]

    def says_only(self, node: ast.expr) -> bool:
        """Whether an expression does nothing but say how much is allowed."""
        return _is_number(node) or (isinstance(node, ast.Name) and node.id in self.constants)

    def computes(self, part: ast.stmt) -> bool:
        """Whether a statement holds a call, of whatever, that allows an amount which is not the same for everybody."""
        for call in ast.walk(part):
            if not isinstance(call, ast.Call):
                continue
            compares = isinstance(call.func, ast.Attribute) and call.func.attr in _PLACES
            places = _PLACES[call.func.attr] if compares and isinstance(call.func, ast.Attribute) else ()
            if compares and any(isinstance(argument, ast.Starred) for argument in call.args):
                return True
            values = [call.args[place] for place in places if place < len(call.args)]
            values += [word.value for word in call.keywords if word.arg in _ALLOWANCES or (compares and not word.arg)]
            if not all(
                _is_number(value) or (isinstance(value, ast.Name) and value.id in self._steady) for value in values
            ):
                return True
        return False

    def hands_on(self, function: str, argument: str) -> bool:
        """Whether an argument of a function of the file is an allowance."""
        return argument in self._handing_on.get(function, ())

    def _only_allowing(self, tree: ast.Module) -> set[str]:
        """Names that are read, and nowhere but as an allowance."""
        everywhere = _names_read(tree)
        here = []
        for call in ast.walk(tree):
            if isinstance(call, ast.Call):
                values = [keyword.value for keyword in self.keywords(call)]
                values += [call.args[place] for place in self.places(call)]
                here += [value.id for value in values if isinstance(value, ast.Name)]
        return {name for name in here if everywhere.count(name) == here.count(name)}


def _method(call: ast.Call) -> str | None:
    """`close` for `expect.close(…)`."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "expect":
        return function.attr
    return None


def _only_spread(tree: ast.Module) -> set[str]:
    """Names that are read, and nowhere but as `expect.…(**name)`."""
    spread = [
        keyword.value.id
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _method(call) is not None
        for keyword in call.keywords
        if keyword.arg is None and isinstance(keyword.value, ast.Name)
    ]
    everywhere = _names_read(tree)
    stored = {name for name in spread if _assignments(tree, name)}
    return {name for name in spread if everywhere.count(name) == spread.count(name)} - stored


def _names_read(tree: ast.Module) -> list[str]:
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]


def _assignments(tree: ast.Module, name: str) -> int:
    stored = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return sum(node.id == name for node in stored)


@dataclass
class _Cutter(ast.NodeTransformer):
    """Takes out of statements what they allow, into `allowed`, and what results follow without a run."""

    slots: _Slots
    allowed: list[str] = field(default_factory=list)
    _calls: int = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Take out what a call allows, each with the number of the call, so that none passes for another's."""
        self._calls += 1
        number = self._calls
        cut = [keyword for keyword in self.slots.keywords(node) if self.slots.says_only(keyword.value)]
        self.allowed += [f"{number} {keyword.arg} {ast.unparse(keyword.value)}" for keyword in cut]
        node.keywords = [keyword for keyword in node.keywords if keyword not in cut]
        for place in self.slots.places(node):
            if self.slots.says_only(node.args[place]):
                self.allowed.append(f"{number} {place} {ast.unparse(node.args[place])}")
                node.args[place] = ast.Constant("allowed")
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """Take out a constant that says what is allowed, or that nobody reads."""
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id in self.slots.constants:
            self.allowed.append(ast.unparse(node))
            return None
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Take out the docstring, marks, and what is allowed where a caller does not say."""
        node.decorator_list = [mark for mark in node.decorator_list if _mark(mark) not in _MARKS]
        if ast.get_docstring(node) is not None:
            node.body = [*node.body[1:]] or [ast.Pass()]
        places = node.args.args[len(node.args.args) - len(node.args.defaults) :]
        for argument, values, index in (
            *((argument, node.args.defaults, index) for index, argument in enumerate(places)),
            *((argument, node.args.kw_defaults, index) for index, argument in enumerate(node.args.kwonlyargs)),
        ):
            value = values[index]  # type: ignore[index]
            if value is not None and self.slots.hands_on(node.name, argument.arg) and self.slots.says_only(value):
                self.allowed.append(f"{node.name} {argument.arg} {ast.unparse(value)}")
                values[index] = ast.Constant("allowed")  # type: ignore[index]
        return self.generic_visit(node)


def _mark(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.id if isinstance(called, ast.Name) else ""
