"""Files and notebooks that do too much when they are imported, in a real student process: what is kept of them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from grader.model.assignment import SandboxNeeds
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Sandbox, StudentProcess
from grader.sandbox.contract import LIMITS
from grader.wire import calls


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A plain sandbox: loading is the same in every mode."""
    opened = PlainBackend().open(LIMITS, SandboxNeeds(), slot=5)
    yield opened
    opened.close()


class Importing:
    """One process that imports one submission."""

    def __init__(self, process: StudentProcess) -> None:
        self._process = process

    def _ask(self, operation: str, arguments: dict[str, Any]) -> Any:
        nonce = secrets.token_hex(4)
        frame = calls.pack_request(nonce, operation, arguments).frame
        reply = calls.parse_reply(*self._process.ask(frame, 30.0), nonce)
        assert reply.error is None
        return reply.value

    def load(self, *cells: str, seconds: float = 4.0, required: str = "f", **more: Any) -> Any:
        """The report on a file, or if there are several texts on a notebook with these cells."""
        main = "a.py" if len(cells) == 1 else "a.ipynb"
        places, line = [], 1
        for cell in cells:
            places.append([line, line + cell.count("\n")])
            line = places[-1][1] + 1
        arguments = {
            "files": {main: "\n".join(cells).encode()} | more.pop("files", {}),
            "main": main,
            "required": required.split(),
            "seconds": seconds,
            "definitions_only": False,
            "cells": places if len(cells) > 1 else [],
        }
        return self._ask(calls.LOAD, arguments | more)

    def value(self, name: str) -> Any:
        """A name of the submission."""
        return self._ask(calls.FETCH, {"target": [None, name]})


@pytest.fixture
def importing(sandbox: Sandbox) -> Iterator[Importing]:
    """A fresh process, nothing loaded yet."""
    process = sandbox.spawn(20)
    yield Importing(process)
    process.end()


def stops(report: Any) -> list[tuple[str, int, int]]:
    """How and where an import was stopped."""
    return [(how, first, last) for how, _, first, last in report["stops"]]


AFTER = {
    "an import": ("import math", True),
    "a plain assignment": ("kept = 1", True),
    "one with a type": ("kept: int = 1", True),
    "a call": ("kept.append(1)", False),
    "a loop": ("for kept in [1]: pass", False),
    "an alternative": ("if f:\n    kept = 1\nelse:\n    kept = 2", True),
    "an alternative that acts": ("if f:\n    print(1)", False),
    "a fallback": ("try:\n    import nowhere\nexcept ImportError:\n    nowhere = None", True),
    "a class": ("class Kept:\n    x = 1", True),
    "a decorated function": ("import functools\n@functools.cache\ndef kept(): pass", True),
    "deletion": ("del f", False),
}


@pytest.mark.parametrize("case", AFTER)
def test_what_runs_after_a_failure(importing: Importing, case: str) -> None:
    text, runs = AFTER[case]
    report = importing.load(f"f = 1\n1 / 0\n{text}\ng = 2", required="f g")
    assert report["defined"] == ["f", "g"]
    assert stops(report) == [("raised", 2, 2)]
    assert report["skipped"] == ([] if runs else [[3, 3 + text.count("\n")]])


def test_a_second_failure_is_kept_too(importing: Importing) -> None:
    report = importing.load("1 / 0\nx = [][0]\ndef f(): pass")
    assert report["defined"] == ["f"]
    assert stops(report) == [("raised", 1, 1), ("raised", 2, 2)]


def test_a_slow_assignment_cannot_eat_the_time(importing: Importing) -> None:
    report = importing.load("1 / 0\nx = sum(1 for _ in iter(int, 1))\nf = 1")
    assert report["defined"] == ["f"]
    assert stops(report) == [("raised", 1, 1), ("late", 2, 2)]


def test_many_slow_assignments_are_given_up(importing: Importing) -> None:
    slow = "\n".join(f"x{number} = sum(1 for _ in iter(int, 1))" for number in range(30))
    report = importing.load(f"f = 1\n1 / 0\n{slow}\ng = 2", seconds=1.5, required="f g")
    assert report["defined"] == ["f"]
    assert 2 <= len(report["stops"]) <= 6
    assert [32, 32] in report["skipped"]


def test_what_is_late_is_named_by_its_first_line(importing: Importing) -> None:
    report = importing.load(
        "f = 1\ndef train():\n    while True:\n        pass\ntrain()\ng = 2", seconds=0.4, required="f g"
    )
    assert report["defined"] == ["f", "g"]
    assert stops(report) == [("late", 5, 5)]
    assert (report["error"]["line"], report["error"]["function"]) == (5, "<module>")


def test_statements_that_were_late_before_can_be_skipped(importing: Importing) -> None:
    report = importing.load("f = 1\nwhile True:\n    pass\nprint(3)\ng = 2", required="f g", skip=[2])
    assert report["defined"] == ["f", "g"]
    assert report["stops"] == []
    assert report["skipped"] == [[2, 3], [4, 4]]


def test_a_text_with_an_error_is_not_run_at_all(importing: Importing) -> None:
    for text in ("f = 1\nreturn f", "f = 1\nx = = 2", "f = 1\nx = 1\n  y = 2", "f = 1\n" + "x = " + "(" * 5000):
        report = importing.load(text)
        assert report["defined"] == []
        assert [how for how, _, _ in stops(report)] == ["unread"]


def test_docstrings_and_futures(importing: Importing) -> None:
    text = "'''The first.'''\nfrom __future__ import annotations\n'another'\ndef f(x: Missing): pass\ng = __doc__"
    assert importing.load(text)["stops"] == []
    assert importing.value("g") == "The first."


def test_cells_start_afresh(importing: Importing) -> None:
    report = importing.load(
        "x = 1\n1 / 0\nprint(x)\ndef f(): return x", "made = []\nmade.append(1)", "x = 2", required="f made"
    )
    assert report["defined"] == ["f", "made"]
    assert stops(report) == [("raised", 2, 2)]
    assert report["skipped"] == [[3, 3]]
    assert importing.value("made") == [1]
    assert importing.value("x") == 2


def test_errors_in_cells_have_the_lines_of_the_whole(importing: Importing) -> None:
    report = importing.load("f = 1\n\n", "def g(:\n    pass", "x = 1\nreturn x")
    assert stops(report) == [("unread", 4, 5), ("unread", 6, 7)]
    assert [error["line"] for _, error, _, _ in report["stops"]] == [4, 7]


def test_a_loop_in_a_cell_has_a_share_of_the_time(importing: Importing) -> None:
    report = importing.load(
        "while True: pass", "while True: pass", "made = []\nmade.append(1)", required="made", seconds=2.0
    )
    assert report["defined"] == ["made"]
    assert stops(report) == [("late", 1, 1), ("late", 2, 2)]
    assert importing.value("made") == [1]


def test_leaving_in_a_cell_stops_that_cell(importing: Importing) -> None:
    report = importing.load("import sys\nsys.exit()", "f = 1")
    assert report["defined"] == ["f"]
    assert stops(report) == [("raised", 2, 2)]


def test_names_of_a_live_notebook(importing: Importing) -> None:
    lines = (
        "display(1)\nget_ipython().system('ls')\nfiles = get_ipython().getoutput('ls')\nx = In[3]\ny = Out[2]\nz = _"
    )
    report = importing.load(f"{lines}\nget_ipython().run_line_magic('cd', '/')", "f = len(files)")
    assert (report["stops"], report["defined"]) == ([], ["f"])
    assert report["public"] == ["f", "files", "x", "y", "z"]


def test_notebooks_and_files_of_one_name(importing: Importing) -> None:
    report = importing.load("import a", "f = a.g + 1", files={"a.py": b"g = 3"})
    assert report["stops"] == []
    assert importing.value("f") == 4


UNBOUND = {
    "in a function": (["def f():\n    return GONE", "x = 1"], [["GONE", 2]]),
    "in a method": (["class K:\n    a = 1\n    b = a\n    def m(self):\n        return GONE", "x = 1"], [["GONE", 5]]),
    "at the top": (["print(GONE)", "x = 1"], [["GONE", 1]]),
    "defined below": (["def f():\n    return LATER", "LATER = 1"], []),
    "made by a function": (["def f():\n    global LATER\n    LATER = 1", "print(LATER)"], []),
    "in a cell that failed": (["def f():\n    return LATER", "1 / 0\nprint(2)\nLATER = open('no')"], []),
    "in a cell that cannot be read": (["def f():\n    return LATER", "LATER = = 1"], []),
    "builtins and the like": (["def f(x):\n    return [len(x), __name__, In]", "x = 1"], []),
    "stars": (["from math import *", "def f(): return sin(GONE)"], []),
    "comprehensions": (["x = [i for i in range(3)]", "y = {k: v for k, v in zip(x, x)}"], []),
}


@pytest.mark.parametrize("case", UNBOUND)
def test_names_that_no_cell_defines(importing: Importing, case: str) -> None:
    cells, found = UNBOUND[case]
    assert importing.load(*cells)["unbound"] == found


STANDINS = {
    "plots": ("import matplotlib.pyplot as plt\nplt.plot([1], label='x')\nplt.show()\nf = 1", ["matplotlib"]),
    "axes": ("import matplotlib.pyplot as plt\nfig, (a, b) = plt.subplots(1, 2)\nn, bins, parts = plt.hist([1])\n"
             "for ax in fig.axes: 1 / 0\nwith plt.style.context('x'): pass\nplt.rcParams['x'] = 3\n"
             "y = 2 * a.get_ylim()[1] + 1\nf'{y:.2f}'\nf = float(y)", ["matplotlib"]),
    "both": ("import seaborn as sns, matplotlib\nfrom mpl_toolkits.mplot3d import Axes3D\nsns.set(style='x')\nf = 1",
             ["matplotlib", "mpl_toolkits", "seaborn"]),
    "bars": ("from tqdm import tqdm, trange\nimport tqdm.notebook as nb\nf = sum(tqdm([1, 2], desc='x'))\n"
             "f += sum(trange(3))\n"
             "bar = nb.tqdm(total=3)\nbar.update(1)\nbar.set_postfix(a=1)\ntqdm.write('x')\n"
             "with tqdm(range(2)) as t:\n    f += len(t)", ["tqdm"]),
    "colab": ("from google.colab import drive, files\ndrive.mount('/x')\nfiles.upload()\nf = 1", ["google.colab"]),
    "IPython": ("from IPython.display import display, clear_output\nfrom IPython import get_ipython\n"
                "clear_output(wait=True)\nget_ipython().run_line_magic('x', 'y')\nf = 1", []),
    "in a function": ("def f():\n    import matplotlib.pyplot as plt\n    plt.show()\nf()", ["matplotlib"]),
}  # fmt: skip


@pytest.mark.parametrize("case", STANDINS)
def test_packages_that_only_draw(importing: Importing, case: str) -> None:
    text, used = STANDINS[case]
    report = importing.load(text)
    assert report["stops"] == []
    assert report["defined"] == ["f"]
    assert sorted(report["standins"]) == used


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import altair\n    f = 1\nexcept ImportError:\n    f = 2",
        "try:\n    import google.colab\n    f = 1\nexcept:\n    f = 2",
        "import importlib.util\nf = 1 if importlib.util.find_spec('altair') else 2",
        "import importlib\nf = 2\ntry:\n    importlib.import_module('seaborn')\n    f = 1\nexcept:\n    pass",
    ],
)
def test_a_fallback_of_the_students_own_is_honoured(importing: Importing, text: str) -> None:
    assert importing.load(text)["standins"] == []
    assert importing.value("f") == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("from tqdm.contrib import tenumerate, tzip\nf = list(tenumerate('ab')), list(tzip('ab', 'cd'))",
         ([(0, "a"), (1, "b")], [("a", "c"), ("b", "d")])),
        ("from tqdm.auto import *\nf = [n for n in tqdm(range(3))], list(trange(2))", ([0, 1, 2], [0, 1])),
        ("from tqdm import tqdm\nbar = tqdm(iter('abc'), total=3)\nf = len(bar), len(list(bar)), bar.n, bar.total",
         (3, 3, 3, 3)),
        ("from tqdm import tqdm\nwith tqdm(total=5) as bar:\n    bar.update(2)\nf = (bar.n, bar.total)", (2, 5)),
        ("from tqdm.contrib.concurrent import thread_map\nf = thread_map(str, [1, 2])", ["1", "2"]),
        ("from pylab import *\nplot([1])\nf = array([1, 2]).sum().item()", 3),
        ("import pylab\nf = float(pylab.exp(0.0))", 1.0),
    ],
)  # fmt: skip
def test_what_computes_goes_on_computing(importing: Importing, text: str, value: object) -> None:
    importing.load(text)
    assert importing.value("f") == value


@pytest.mark.parametrize("name", ["einops", "pandas", "google.cloud", "matplotlibs", "sklearn"])
def test_other_packages_stay_missing(importing: Importing, name: str) -> None:
    report = importing.load(f"import {name}\nf = 1")
    assert report["defined"] == ["f"]
    assert report["error"]["kinds"][0] == "ModuleNotFoundError"
    assert report["standins"] == []


def test_helpers_may_draw_too(importing: Importing) -> None:
    report = importing.load("from helper import f", files={"helper.py": b"import seaborn\nf = 1"})
    assert (report["defined"], report["standins"]) == (["f"], ["seaborn"])
