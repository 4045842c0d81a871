"""Small changes to Python, the kind that people make by mistake: what each operator makes of one node.

Pure functions over syntax trees, used in the command on the author's own code. `changes` yields pairs of an operator's
name and the node that takes the other's place; nodes are shared with the original, and nothing is ever changed in
place. Left out on purpose are changes that can only give a program as good as the first: the two axes of `transpose`
swapped, for one, or other words around the values in an error's text. A float is scaled by 4/5 and 5/4: what draws
random numbers is judged with an interval, and closer shares may fall into it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

Change = tuple[str, ast.AST]
_Node = TypeVar("_Node", bound=ast.AST)

_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_SYMMETRIC = {"transpose", "swapaxes", "swapdims", "maximum", "minimum", "max", "min", "logical_and", "logical_or"}
_AXIS_KEYWORDS = {"dim", "dims", "axis", "dim0", "dim1", "start_dim", "end_dim"}
_AXES_AFTER = {
    **dict.fromkeys(("transpose", "swapaxes", "permute", "movedim", "flatten", "unsqueeze", "squeeze", "size"), 0),
    **dict.fromkeys(("softmax", "log_softmax", "logsumexp", "sum", "mean", "var", "std", "argmax", "argmin"), 0),
    **dict.fromkeys(("amax", "amin", "cumsum", "sort", "any", "all", "unbind", "flip", "cat", "stack"), 0),
    **dict.fromkeys(("select", "narrow", "gather", "scatter", "index_select"), 0),
    **dict.fromkeys(("chunk", "split", "repeat_interleave"), 1),
}
"""Methods of tensors by the position of their first axis; as functions of a module they take the tensor before."""


@dataclass(frozen=True)
class Place:
    """Where a node stands: its parent, which field and, in a list, which element of the parent it is.

    `namespaces`: names that hold functions rather than values: modules and `self`. `bound`: names that have a value
    before this statement.
    """

    parent: ast.AST
    field: str
    index: int | None
    namespaces: frozenset[str]
    bound: frozenset[str]

    @property
    def is_axis(self) -> bool:
        """Whether the number that stands here tells an axis."""
        parent = self.parent
        if isinstance(parent, ast.keyword):
            return parent.arg in _AXIS_KEYWORDS
        if isinstance(parent, ast.Subscript):
            return self.field == "slice" and isinstance(parent.value, ast.Attribute) and parent.value.attr == "shape"
        if not isinstance(parent, ast.Call) or self.index is None or called(parent) not in _AXES_AFTER:
            return False
        first = _AXES_AFTER[called(parent)] + is_namespace(_owner(parent), self.namespaces)
        return self.index >= first


def changes(node: ast.AST, place: Place) -> Iterator[Change]:
    """What may stand in a node's place, each with its operator's name."""
    if isinstance(node, ast.stmt):
        yield from _of_statement(node, place)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node, place)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, place)
    elif isinstance(node, (ast.Slice, ast.Subscript)):
        yield from _of_subscript(node)
    elif isinstance(node, ast.JoinedStr):
        yield from _of_text(node)
    else:
        yield from _of_operation(node, place)
    if place.field == "iter":
        yield from _of_iterable(node)


def _of_statement(node: ast.stmt, place: Place) -> Iterator[Change]:
    if isinstance(node, (ast.If, ast.While)):
        for value in (False,) if isinstance(node, ast.While) else (True, False):
            yield "guard", _with(node, "test", ast.Constant(value))
    elif isinstance(node, ast.Return):
        if isinstance(node.value, ast.Tuple):
            yield from (("return", _with(node, "value", swapped)) for swapped in _neighbours_swapped(node.value))
        if node.value is not None:
            yield "return", ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if node.args.defaults:  # the first one: a parameter without a default cannot follow one with
            yield "default", _with(node, "args", _with(node.args, "defaults", node.args.defaults[1:]))
        for index, default in enumerate(node.args.kw_defaults):
            if default is not None:
                fewer = [*node.args.kw_defaults[:index], None, *node.args.kw_defaults[index + 1 :]]
                yield "default", _with(node, "args", _with(node.args, "kw_defaults", fewer))
    elif isinstance(node, (ast.Expr, ast.Raise, ast.Delete, ast.Assert)) or _is_droppable(node, place.bound):
        yield "statement", ast.Pass()
    if isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC:
        yield "arithmetic", _with(node, "op", _ARITHMETIC[type(node.op)]())


def _is_droppable(node: ast.stmt, bound: frozenset[str]) -> bool:
    """Whether every name that an assignment sets has a value without it too."""
    if isinstance(node, ast.AugAssign):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [inner for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]
    return bool(targets) and all(isinstance(name.ctx, ast.Load) or name.id in bound for name in names)


def _of_constant(node: ast.Constant, place: Place) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield "flag", ast.Constant(not value)
    elif isinstance(value, int):
        if isinstance(place.parent, ast.UnaryOp):
            return  # it is changed together with its sign
        kind = "axis" if place.is_axis else "number"
        yield kind, ast.Constant(value + 1)
        yield kind, _number(value - 1)
    elif isinstance(value, float):
        yield from (("number", ast.Constant(other)) for other in _scaled(value))
    elif isinstance(value, (str, bytes)) and value:
        yield "text", ast.Constant(value[:0])


def _scaled(value: float) -> tuple[float, ...]:
    return (round(value * 0.8, 12), round(value * 1.25, 12)) if value else (1.0,)


def _number(value: int) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _of_operation(node: ast.AST, place: Place) -> Iterator[Change]:
    if isinstance(node, ast.BinOp):
        if type(node.op) in _ARITHMETIC:
            yield "arithmetic", _with(node, "op", _ARITHMETIC[type(node.op)]())
        yield "operand", node.left
        yield "operand", node.right
    elif isinstance(node, ast.Compare):
        for index, op in enumerate(node.ops):
            for other in _COMPARISONS[type(op)]:
                yield "comparison", _with(node, "ops", [*node.ops[:index], other(), *node.ops[index + 1 :]])
    elif isinstance(node, ast.BoolOp):
        yield "boolean", _with(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for index in range(len(node.values)):
            left = node.values[:index] + node.values[index + 1 :]
            yield "boolean", left[0] if len(left) == 1 else _with(node, "values", left)
    elif isinstance(node, ast.UnaryOp):
        yield from _of_unary(node, place)
    elif isinstance(node, ast.IfExp):
        yield "guard", node.body
        yield "guard", node.orelse


def _of_unary(node: ast.UnaryOp, place: Place) -> Iterator[Change]:
    value = node.operand.value if isinstance(node.operand, ast.Constant) else None
    if isinstance(node.op, ast.USub) and type(value) is int:
        kind = "axis" if place.is_axis else "number"
        yield kind, _number(1 - value)
        yield kind, _number(-1 - value)
    elif not isinstance(node.op, ast.UAdd):
        yield "unary", node.operand


def _of_call(node: ast.Call, place: Place) -> Iterator[Change]:
    for index in range(len(node.keywords)):
        if node.keywords[index].arg is not None:
            yield "keyword", _with(node, "keywords", node.keywords[:index] + node.keywords[index + 1 :])
    plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
    if len(plain) != len(node.args):
        return
    if len(plain) > 1:
        yield "argument", _with(node, "args", plain[:-1])
    if called(node) not in _SYMMETRIC:
        for index in range(len(plain) - 1):
            both = [plain[index + 1], plain[index]]
            yield "swap", _with(node, "args", [*plain[:index], *both, *plain[index + 2 :]])
    if isinstance(place.parent, (ast.Expr, ast.Raise)):
        return  # as good as the statement dropped, or no exception at all
    if isinstance(node.func, ast.Attribute) and not is_namespace(node.func.value, place.namespaces):
        yield "call", node.func.value
    elif plain:
        yield "call", plain[0]


def _of_subscript(node: ast.Slice | ast.Subscript) -> Iterator[Change]:
    if isinstance(node, ast.Slice):
        yield "slice", _with(node, "lower", ast.Constant(1) if node.lower is None else None)
        yield "slice", _with(node, "upper", ast.UnaryOp(ast.USub(), ast.Constant(1)) if node.upper is None else None)
        return
    if isinstance(node.ctx, ast.Load):
        yield "index", node.value
    if isinstance(node.slice, ast.Tuple):
        yield from (("axis", _with(node, "slice", swapped)) for swapped in _neighbours_swapped(node.slice))


def _of_text(node: ast.JoinedStr) -> Iterator[Change]:
    yield "text", ast.Constant("")
    for index, part in enumerate(node.values):
        if isinstance(part, ast.FormattedValue):
            yield "text", _with(node, "values", node.values[:index] + node.values[index + 1 :])


def _of_iterable(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Call) and called(node) == "range" and len(node.args) == 1:
        for op in (ast.Sub(), ast.Add()):
            yield "loop", _with(node, "args", [ast.BinOp(node.args[0], op, ast.Constant(1))])
    elif isinstance(node, ast.expr):
        listed = ast.Call(ast.Name("list", ast.Load()), [node], [])
        for part in (ast.Slice(lower=ast.Constant(1)), ast.Slice(upper=ast.UnaryOp(ast.USub(), ast.Constant(1)))):
            yield "loop", ast.Subscript(listed, part, ast.Load())


def _neighbours_swapped(node: ast.Tuple) -> Iterator[ast.Tuple]:
    for index in range(len(node.elts) - 1):
        both = [node.elts[index + 1], node.elts[index]]
        yield _with(node, "elts", [*node.elts[:index], *both, *node.elts[index + 2 :]])


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _owner(node: ast.Call) -> ast.expr:
    return node.func.value if isinstance(node.func, ast.Attribute) else node.func


def is_namespace(node: ast.expr, namespaces: frozenset[str]) -> bool:
    """Whether an expression stands for a module, for `self` or for a part of one, not for a value of its own."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in namespaces


def _with(node: _Node, field: str, value: object) -> _Node:
    """A shallow copy with another field."""
    made = copy.copy(node)
    setattr(made, field, value)
    return made
