"""Which runs of a live session count, and the notebook that they make."""

from __future__ import annotations

import json

import pytest

from grader.intake.live import Run, counting_runs, session_notebook
from grader.intake.notebook import read_notebook

DOUBLE = "def double(x):\n    return 2 * x"


def counting(*texts: str, raised: tuple[int, ...] = ()) -> list[int]:
    """Numbers of the runs that count, from 1."""
    runs = [Run(number, text, number in raised) for number, text in enumerate(texts, 1)]
    return [run.number for run in counting_runs(runs)]


def test_every_cell_of_a_notebook_that_was_run_once() -> None:
    assert counting("import torch", DOUBLE, "x = double(3)", "print(x)") == [1, 2, 3, 4]


def test_a_cell_that_was_edited_counts_as_it_is_now() -> None:
    assert counting("def double(x):\n    return x * x", "def double(x):\n    return x + x + 0", DOUBLE) == [3]


def test_trying_and_mending_in_turn_leaves_the_last_of_both() -> None:
    tried = "x = [1, 2]\nout = double(x)\nprint(out)"
    assert counting(DOUBLE, tried, f"{DOUBLE}  # again", tried, f"{DOUBLE}  # and again", tried) == [5, 6]


def test_a_parameter_is_no_use_of_a_name() -> None:
    assert counting("x = 1", "def f(x):\n    y = x\n    return [y for y in x]", "x = 2\ny = 3") == [2, 3]


def test_what_was_used_before_it_changed_counts_too() -> None:
    assert counting("width = 32", "layer = [0] * width", "width = 64") == [1, 2, 3]
    assert counting("from torch import nn", "class Module(nn.Module):\n    pass", "from torch import nn") == [1, 2, 3]
    assert counting("scale = 2", "def double(x, by=scale):\n    return by * x", "scale = 3\nunits = 4") == [1, 2, 3]


def test_training_again_is_not_run_again() -> None:
    train = "for epoch in range(100):\n    loss = step(epoch)\n    losses.append(loss)"
    assert counting("losses = []", train, train, train) == [1, 4]
    assert counting("losses = []", train, train.replace("100", "200")) == [1, 3]
    assert counting("model = build()", "model = train(model)", "model = train(model)") == [1, 3]


def test_what_binds_nothing_counts_once_for_each_text() -> None:
    assert counting("print(1)", "print(2)", "print(1)") == [2, 3]


def test_a_run_that_raised_counts_for_what_it_may_have_defined() -> None:
    assert counting(f"{DOUBLE}\nassert double(2) == 5", raised=(1,)) == [1]
    assert counting(DOUBLE, f"1 / 0\n{DOUBLE}", raised=(2,)) == [1, 2]
    assert counting("print(nothing)", DOUBLE, raised=(1,)) == [2]


def test_what_was_no_python_did_nothing() -> None:
    assert counting(DOUBLE, "def double(x:", "def double(x):\n    return (") == [1]


def test_what_cannot_be_told_from_the_text_counts() -> None:
    assert counting("from helper import *", "y = helped(1)", "from helper import *") == [1, 2, 3]


def test_magics_are_read_as_ipython_does() -> None:
    timed = f"%%time\n{DOUBLE}"
    assert counting(timed, "!pip install x\nimport os", "%matplotlib inline", f"%%time\n{DOUBLE}\n") == [2, 3, 4]
    assert counting("%%writefile helper.py\na = 1", "x = 1", "%%writefile helper.py\na = 2") == [2, 3]


def test_a_cell_that_awaits() -> None:
    assert counting("answer = await ask()", "answer = await ask()  # again") == [2]


@pytest.mark.filterwarnings("error")
def test_reading_a_run_warns_nobody() -> None:
    assert counting('pattern = "\\d"') == [1]


def test_cells_go_by_the_number_in_their_brackets() -> None:
    text = session_notebook([Run(3, DOUBLE), Run(7, "print('\ud800 ü')")]).decode()
    assert len(json.loads(text)["cells"]) == 7
    notebook = read_notebook(text, "tiny.ipynb")
    assert [cell.number for cell in notebook.cells] == [3, 7]
    assert notebook.places["double"] == (3,)
