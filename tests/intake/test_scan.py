"""Python read without a parser, held against the parser on real files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.scan import code_alone, defined_names, missing_names

ROOT = Path(__file__).parent.parent.parent
FILES = sorted([*(ROOT / "assignments").glob("*/variants/*/*.py"), *(ROOT / "grader").rglob("*.py")])


def defined_by_tree(text: str) -> set[str]:
    """Names that are bound by statements without indentation, other than by unpacking into attributes and the like."""
    names: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names.add(node.targets[0].id)
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_it_agrees_with_the_parser(path: Path) -> None:
    text = path.read_text("utf-8")
    wanted = defined_by_tree(text)
    assert wanted <= defined_names(text)
    assert missing_names(wanted, text) == []


@given(st.text(st.sampled_from("ab \"'#\n\\=(:")))
def test_code_alone_keeps_lines_and_columns(text: str) -> None:
    alone = code_alone(text)
    assert len(alone) == len(text)
    assert [len(line) for line in alone.split("\n")] == [len(line) for line in text.split("\n")]
    assert all(new in (old, " ") for old, new in zip(text, alone, strict=True))


def test_strings_and_comments_are_no_code() -> None:
    text = 'x = \'def a\' # def b\n"""\ndef c(): pass\n"""\ndef d(): pass\ns = \'unclosed\ndef e(): pass\n'
    assert defined_names(text) == {"x", "d", "s", "e"}


def test_a_broken_file_still_defines() -> None:
    assert defined_names("def f(:\nclass K(\nasync def g\n x = 1\na, b = 1\n") == {"f", "K", "g", "a", "b"}


@pytest.mark.parametrize("text", ['"""' * 300_001, "a," * 500_000, "import " + "a, " * 300_000, "x = (\n" * 200_000])
def test_hostile_text_is_read_in_a_moment(text: str) -> None:
    defined_names(text)
