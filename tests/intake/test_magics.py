"""What only IPython understands: made harmless, line by line, and told."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.magics import plain_cell

CELLS = {
    "line magic": ("%matplotlib inline\nx = 1", 0),
    "shell": ("!pip install einops\nx = 1", 1),
    "in a block": ("if True:\n    !pip install x\nelse:\n    %cd /tmp\nx = 1", 2),
    "over two lines": ("!pip install a \\\n    b\nx = 1", 1),
    "assigned": ("files = !ls\nhere = %pwd\nx = 1", 2),
    "help": ("torch.nn?\n?x\nx = 1", 0),
    "timed": ("%time x = 1", 0),
    "timed, with an option": ("%time -q x = 1", 0),
    "cell magic that measures": ("%%time\nx = 1", 0),
    "cell magic after blank lines": ("\n\n%%capture out\n!ls\nx = 1", 1),
    "in a string": ('s = """\n%d items\n!x\n"""\nx = 1', 0),
    "a remainder": ("x = 7 \\\n  %3\n", 0),
    "prompts": (">>> x = 1\n>>> y = 2", 0),
    "indented": ("    x = 1\n    y = 2", 0),
    "wrongly quoted": ("!echo it's\nx = 1", 1),
}


@pytest.mark.parametrize("case", CELLS)
def test_cells_become_python_with_as_many_lines(case: str) -> None:
    source, skipped = CELLS[case]
    plain = plain_cell(source)
    tree = ast.parse(plain.text)
    assert "x" in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert plain.text.count("\n") == source.count("\n")
    assert len(plain.skipped) == skipped
    assert all(source.split("\n")[line - 1].strip() == told for line, told in plain.skipped)


@pytest.mark.parametrize(
    "source", ["pip install einops", "ls", "%%bash\nls", "%%html\n<b>", "%%writefile data.csv\n1,2"]
)
def test_cells_of_which_nothing_is_run(source: str) -> None:
    plain = plain_cell(source)
    assert plain.text == ""
    assert plain.magic or plain.skipped


@pytest.mark.parametrize(
    ("first", "file", "appends"),
    [
        ("%%writefile attention.py", "attention.py", False),
        ("%%writefile -a 'helper.py'", "helper.py", True),
        ("%%file src/helper.py", "src/helper.py", False),
        ("%%writefile /content/attention.py", "attention.py", False),
        ("%%writefile ../attention.py", None, False),
        ("%%writefile", None, False),
    ],
)
def test_files_that_cells_write(first: str, file: str | None, appends: bool) -> None:
    plain = plain_cell(f"{first}\nx = 1\n")
    assert (plain.file, plain.appends) == (file, appends)
    assert plain.text == ("x = 1\n" if file else "")


@settings(deadline=None)
@given(st.text(st.sampled_from("%!?ab=\n \\'\"(:#")))
def test_no_cell_gains_or_loses_lines(source: str) -> None:
    plain = plain_cell(source)
    if plain.magic is None and plain.file is None and plain.text:
        assert plain.text.count("\n") == source.count("\n")


def test_what_is_python_is_left_alone() -> None:
    source = "x = 3 % 2\nif x != 1: pass\ny = x if x else None  # really?\n"
    assert plain_cell(source).text == source


def test_without_a_budget_lines_are_left_alone() -> None:
    assert plain_cell("%time x = 1", special=False).text == "%time x = 1"
