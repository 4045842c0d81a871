"""Mutants of a source: every operator by example, and what holds of all of them; the author's reasons for survivors."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.batch.mutants import Mutant, mutants_of
from grader.batch.survivors import Equivalent, read_equivalents, report
from grader.content import load_assignment
from grader.errors import UsageProblem

ROOT = Path(__file__).parent.parent
REFERENCES = sorted((ROOT / "reference").glob("*.py"))


def changed(body: str, head: str = "def f(a, b, c):", start: str = "import torch\n\n") -> dict[str, list[str]]:
    """Statements after the change, by operator, of the mutants of a function's body."""
    source = f"{start}{head}\n{textwrap.indent(body, '    ')}\n"
    found: dict[str, list[str]] = {}
    for mutant in mutants_of(source):
        found.setdefault(mutant.operator, []).append(mutant.after)
    return found


@pytest.mark.parametrize(
    ("operator", "body", "expected"),
    [
        ("arithmetic", "a.x = a + b", ["a.x = a - b"]),
        ("arithmetic", "a.x = a / b", ["a.x = a * b"]),
        ("arithmetic", "a.x = a @ b", ["a.x = a * b"]),
        ("arithmetic", "a.x = a & b", ["a.x = a | b"]),
        ("arithmetic", "a += b", ["a -= b"]),
        ("operand", "a.x = a + b", ["a.x = a", "a.x = b"]),
        ("comparison", "a.x = a < b", ["a.x = a <= b", "a.x = a >= b"]),
        ("comparison", "a.x = a >= b", ["a.x = a > b", "a.x = a < b"]),
        ("comparison", "a.x = a == b", ["a.x = a != b"]),
        ("comparison", "a.x = a is None", ["a.x = a is not None"]),
        (
            "comparison",
            "a.x = a < b <= c",
            ["a.x = a <= b <= c", "a.x = a >= b <= c", "a.x = a < b < c", "a.x = a < b > c"],
        ),
        ("boolean", "a.x = a and b", ["a.x = a or b", "a.x = b", "a.x = a"]),
        ("boolean", "a.x = a or b or c", ["a.x = a and b and c", "a.x = b or c", "a.x = a or c", "a.x = a or b"]),
        ("unary", "a.x = -b", ["a.x = b"]),
        ("unary", "a.x = ~b", ["a.x = b"]),
        ("unary", "a.x = not b", ["a.x = b"]),
        ("unary", "a.x = -1.0", ["a.x = 1.0"]),
        ("number", "a.x = 3", ["a.x = 4", "a.x = 2"]),
        ("number", "a.x = 0", ["a.x = 1", "a.x = -1"]),
        ("number", "a.x = -1", ["a.x = 0", "a.x = -2"]),
        ("number", "a.x = 0.1", ["a.x = 0.08", "a.x = 0.125"]),
        ("number", "a.x = 0.0", ["a.x = 1.0"]),
        ("flag", "a.x = True", ["a.x = False"]),
        ("axis", "a.x = b.sum(-1)", ["a.x = b.sum(0)", "a.x = b.sum(-2)"]),
        ("axis", "a.x = b.sum(dim=1)", ["a.x = b.sum(dim=2)", "a.x = b.sum(dim=0)"]),
        ("axis", "a.x = torch.cat(b, 1)", ["a.x = torch.cat(b, 2)", "a.x = torch.cat(b, 0)"]),
        ("axis", "a.x = b.shape[0]", ["a.x = b.shape[1]", "a.x = b.shape[-1]"]),
        ("axis", "a.x = b.chunk(3, -1)", ["a.x = b.chunk(3, 0)", "a.x = b.chunk(3, -2)"]),
        ("number", "a.x = b.chunk(3, -1)", ["a.x = b.chunk(4, -1)", "a.x = b.chunk(2, -1)"]),
        ("axis", "a.x = b[:, None, c]", ["a.x = b[None, :, c]", "a.x = b[:, c, None]"]),
        ("statement", "a.clear()\nb = c", ["pass", "pass"]),
        ("statement", "new = b\nnew = c", ["pass"]),  # without the first there would be no name
        ("statement", "raise b", ["pass"]),
        ("guard", "if a:\n    b = c", ["if True:", "if False:"]),
        ("guard", "while a:\n    b = c", ["while False:"]),
        ("guard", "a.x = b if a else c", ["a.x = b", "a.x = c"]),
        ("keyword", "a.x = f(a, bias=b, out=c)", ["a.x = f(a, out=c)", "a.x = f(a, bias=b)"]),
        ("argument", "a.x = f(a, b)", ["a.x = f(a)"]),
        ("call", "a.x = a.masked_fill(b, c)", ["a.x = a"]),
        ("call", "a.x = torch.exp(b)", ["a.x = b"]),
        ("call", "a.x = self.norm(b)", ["a.x = b"]),
        ("swap", "a.x = f(a, b, c)", ["a.x = f(b, a, c)", "a.x = f(a, c, b)"]),
        ("return", "return a", ["return None"]),
        ("return", "return a, b", ["return (b, a)", "return None"]),
        ("index", "a.x = b[c]", ["a.x = b"]),
        ("slice", "a.x = b[:]", ["a.x = b[1:]", "a.x = b[:-1]"]),
        ("slice", "a.x = b[a:c]", ["a.x = b[:c]", "a.x = b[a:]"]),
        ("text", "raise ValueError('no')", ["raise ValueError('')"]),
        ("text", "a.x = f'{b} of {c}'", ["a.x = ''", "a.x = f' of {c}'", "a.x = f'{b} of '"]),
        ("loop", "for a in range(b):\n    a.x = c", ["for a in range(b - 1):", "for a in range(b + 1):"]),
        ("loop", "for a in b:\n    a.x = c", ["for a in list(b)[1:]:", "for a in list(b)[:-1]:"]),
    ],
)
def test_operators(operator: str, body: str, expected: list[str]) -> None:
    assert changed(body).get(operator) == expected


@pytest.mark.parametrize(
    ("operator", "body"),
    [
        ("swap", "a.x = b.transpose(0, 1)"),  # two axes in any order
        ("call", "a.x = super().f()"),
        ("call", "a.clear(b)"),  # as the statement dropped
        ("call", "raise ValueError(a)"),  # would be no exception
        ("text", "'words of a docstring'\na.x = b"),
        ("number", "a: list[3] = b"),
        ("statement", "new = b\nreturn new"),
        ("statement", "import os"),
    ],
)
def test_what_operators_leave_alone(operator: str, body: str) -> None:
    assert operator not in changed(body)


def test_defaults() -> None:
    found = changed("return a", head="def f(a, b=1, *, c=None, d=True):")
    assert found["default"] == [
        "def f(a, b, *, c=None, d=True):",
        "def f(a, b=1, *, c, d=True):",
        "def f(a, b=1, *, c=None, d):",
    ]
    assert found["number"] == ["def f(a, b=2, *, c=None, d=True):", "def f(a, b=0, *, c=None, d=True):"]
    assert found["flag"] == ["def f(a, b=1, *, c=None, d=False):"]


def test_annotations_decorators_and_bases_stay() -> None:
    source = (
        "@mark(1)\nclass C(make(2)):\n    'Words.'\n\n    @mark(3)\n    def f(self, a: t[4]) -> t[5]:\n        pass\n"
    )
    assert mutants_of(source) == []


def test_a_mutant_says_where_it_is() -> None:
    source = (
        "SHARE = 0.5\n\n\nclass C:\n    def f(self, a):\n        if a:\n            return a\n        return SHARE\n"
    )
    found = {(mutant.function, mutant.line, mutant.before) for mutant in mutants_of(source)}
    assert found == {
        ("module", 1, "SHARE = 0.5"),
        ("C.f", 6, "if a:"),
        ("C.f", 7, "return a"),
        ("C.f", 8, "return SHARE"),
    }


def test_the_rest_of_the_file_stays_as_it_is() -> None:
    head = '"""Words."""\n\nfrom __future__ import annotations\n\n\n'
    source = head + 'def f(a: int) -> int:\n    """Words."""\n    return a + 1\n'
    (found,) = (one for one in mutants_of(source) if one.operator == "arithmetic")
    assert ast.dump(ast.parse(found.source)) == ast.dump(ast.parse(source.replace("+", "-")))


names = st.sampled_from(["a", "b", "torch", "self"])
leaves = names | st.sampled_from(["0", "-1", "2", "0.5", "True", "None", "'text'", "f'{a} is {b}'"])
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "@", "**", "<", "is", "and", "&"]), inner).map(
            lambda parts: f"({' '.join(parts)})"
        ),
        inner.map(lambda one: f"(not {one})"),
        inner.map(lambda one: f"(~{one})"),
        st.tuples(names, inner, inner).map(lambda parts: f"{parts[0]}.sum({parts[1]}, dim={parts[2]})"),
        st.tuples(inner, inner).map(lambda parts: f"f({parts[0]}, {parts[1]})"),
        st.tuples(names, inner, inner).map(lambda parts: f"{parts[0]}[{parts[1]}:, {parts[2]}]"),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})"),
        st.tuples(inner, inner).map(lambda parts: f"[{parts[0]} for c in {parts[1]} if c]"),
        st.tuples(inner, inner).map(lambda parts: f"(lambda x={parts[0]}: {parts[1]})"),
    ),
    max_leaves=8,
)
statements = st.one_of(
    expressions.map(lambda one: f"a = {one}"),
    expressions.map(lambda one: f"return {one}, a"),
    expressions.map(lambda one: f"raise ValueError({one})"),
    expressions.map(lambda one: f"if {one}:\n        b += 1\n    else:\n        del a"),
    expressions.map(lambda one: f"for c in {one}:\n        continue"),
    expressions.map(lambda one: f"with f({one}) as c:\n        assert c"),
    expressions.map(lambda one: f"def g(x={one}, *, y={one}):\n        return x"),
)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=200, deadline=None)
@given(st.lists(statements, min_size=1, max_size=4))
def test_every_mutant_is_python_and_differs(body: list[str]) -> None:
    source = "import torch\n\n\ndef f(a, b):\n" + "".join(f"    {line}\n" for line in body)
    found = mutants_of(source)
    original = ast.dump(ast.parse(source))
    texts = [mutant.source for mutant in found]
    assert len(set(texts)) == len(texts)
    for mutant in found:
        compile(mutant.source, "<mutant>", "exec")
        assert ast.dump(ast.parse(mutant.source)) != original
        assert mutant.before != mutant.after


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_references_have_mutants_of_many_kinds(path: Path) -> None:
    found = mutants_of(path.read_text("utf-8"))
    assert len(found) >= 30
    assert len({mutant.operator for mutant in found}) >= 9


# the author's reasons


def mutant(before: str, line: int = 3) -> Mutant:
    """A mutant of a function f."""
    return Mutant("f", line, "number", before, "after", "source")


def entry(before: str) -> Equivalent:
    """A reason for such a mutant."""
    return Equivalent("f", "number", before, "after", "since it is so")


def test_reasons_are_found_whatever_the_line() -> None:
    mutants = [mutant(f"x = {number}") for number in range(100)]
    done = report(mutants, [mutant("x = 1", line=77)], [], [entry("x = 1")])
    assert (done.total, done.killed, done.share) == (100, 99, 0.99)
    assert [survivor.reason for survivor in done.survivors] == ["since it is so"]
    assert done.surprises() == []


def test_what_is_no_surprise_only_with_a_reason() -> None:
    mutants = [mutant(f"x = {number}") for number in range(100)]
    (surprise,) = report(mutants, [mutants[4]], [], []).surprises()
    assert "has no reason for it: f, line 3, number: x = 4 -> after" in surprise
    (surprise,) = report(mutants, [], [], [entry("x = 4")]).surprises()
    assert "excuses a mutant that does not survive or does not exist: f, number: x = 4 -> after" in surprise
    (surprise,) = report(mutants, [], [(mutants[4], "the disk is full")], []).surprises()
    assert "was not graded: the disk is full" in surprise
    three = mutants[:3]
    (surprise,) = report(mutants, three, [], [entry(one.before) for one in three]).surprises()
    assert surprise == "97 of 100 mutants are killed: 97.0%, not 98%"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[mutant]]\nfunction = 'f'\n", "missing required field"),
        ("[[mutants]]\n", "unknown field `mutants`"),
        ("mutant", "equivalent.toml"),
    ],
)
def test_a_broken_file_of_reasons_is_a_sentence(tiny_course: Path, text: str, words: str) -> None:
    assignment = load_assignment(tiny_course, "tiny")
    assert read_equivalents(assignment) == []
    path = tiny_course / "assignments" / "tiny" / "variants" / "equivalent.toml"
    path.write_text(text)
    with pytest.raises(UsageProblem, match=words):
        read_equivalents(assignment)
    path.write_text("[[mutant]]\n" + "".join(f"{key} = 'x'\n" for key in Equivalent.__struct_fields__))
    assert msgspec.structs.astuple(read_equivalents(assignment)[0]) == ("x",) * 5
