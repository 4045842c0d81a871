"""Notebooks of every age and in every state: read, or refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notebooks import notebook

from grader.intake import magics
from grader.intake.notebook import MAX_CELLS, read_notebook
from grader.intake.text import NotText

CODE = "def f():\n    return 1\n"


def of(tree: Any) -> str:
    """The text of what a notebook's JSON comes to."""
    return read_notebook(json.dumps(tree), "hw.ipynb").text


def sheet(*cells: dict[str, Any]) -> dict[str, Any]:
    """A notebook of format 3."""
    return {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": list(cells)}]}


def code(source: Any) -> dict[str, Any]:
    """A code cell with as little as possible."""
    return {"cell_type": "code", "source": source}


@pytest.mark.parametrize(
    "tree",
    [
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [code(CODE)]},
        {"nbformat": 4, "cells": [code(CODE.splitlines(keepends=True))]},
        {"nbformat": 4, "cells": [{"cell_type": "markdown", "source": 3}, 5, None, code(CODE), code([1, None])]},
        {"nbformat": 4, "metadata": [], "cells": [code(CODE.replace("\n", "\r\n"))]},
        {"nbformat": 5, "cells": [code(CODE)]},
        sheet({"cell_type": "code", "input": CODE, "language": "python", "outputs": []}),
        sheet(
            {"cell_type": "heading", "level": 1, "source": "x"}, {"cell_type": "code", "input": CODE.splitlines(True)}
        ),
        {"nbformat": 2, "worksheets": [{"cells": [{"cell_type": "code", "input": CODE}]}]},
    ],
)
def test_formats_and_half_broken_ones(tree: Any) -> None:
    assert of(tree) == CODE


@pytest.mark.parametrize("minor", range(6))
def test_every_minor_version_of_format_4(minor: int) -> None:
    tree = json.loads(notebook(CODE))
    tree["nbformat_minor"] = minor
    assert of(tree) == CODE


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"kernelspec": {"name": "conda-env-dl-py", "display_name": "Python [root]"}},
        {"kernelspec": {"name": "x", "language": "python"}, "language_info": {"name": "python", "version": "2.7"}},
        {"kernelspec": {"language": ""}, "language_info": {"name": "ipython"}},
        {"kernelspec": "odd", "language_info": None},
        {"accelerator": "GPU", "colab": {"name": "x"}},
    ],
)
def test_kernels_of_any_name(metadata: dict[str, Any]) -> None:
    assert of({"nbformat": 4, "metadata": metadata, "cells": [code(CODE)]}) == CODE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"nbformat": 4, "cells": [', "damaged notebook: its JSON breaks off at line 1"),
        ('{\n<<<<<<< HEAD\n"nbformat": 4}', "merge conflict of git in line 2"),
        ('{"nbformat": 4, "cells": []}', "without any code"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": "%%bash\\nls"}]}', "without any code"),
        ('{"nbformat": 3, "worksheets": 5}', "cannot be read|without any code"),
        ('{"nbformat": 4, "cells": ' + "[" * 100_000, "damaged"),
        (json.dumps({"nbformat": 4, "cells": [1] * (MAX_CELLS + 1)}), "more than the limit"),
        (
            json.dumps({"nbformat": 4, "metadata": {"language_info": {"name": "julia"}}, "cells": [code("x")]}),
            "in julia",
        ),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(NotText, match=words) as refused:
        read_notebook(text, "hw.ipynb")
    assert str(refused.value).startswith("hw.ipynb ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cell_type", "source", "cells", "worksheets", "metadata", "input"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON, st.sampled_from([2, 3, 4, "4", None]))
def test_any_json_is_read_or_refused_in_words(tree: Any, version: Any) -> None:
    whole = tree | {"nbformat": version} if isinstance(tree, dict) else tree
    try:
        told = f"hw.ipynb {read_notebook(json.dumps(whole), 'hw.ipynb').text}"
    except NotText as refused:
        told = str(refused)
    assert told.startswith("hw.ipynb ")
    told.encode("utf-8")


def test_halves_of_surrogate_pairs_become_characters() -> None:
    text = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "s = \'\\ud83d \\ud83d\\ude42\'"}]}'
    assert read_notebook(text, "hw.ipynb").text == "s = '\ufffd 🙂'\n"


def test_files_that_cells_write_and_what_is_skipped() -> None:
    cells = ["%%writefile a.py\nx = 1", "%%writefile -a a.py\ny = 2", "!ls\nx = 1", "%%html\n<b>"]
    made = read_notebook(notebook(*cells).decode(), "hw.ipynb")
    assert made.written == {"a.py": (2, "x = 1\ny = 2\n")}
    assert made.notices == (
        "Not run, since only Python is: `!ls` (cell 3, line 1), cell 4, which begins with `%%html`.",
    )


def test_special_lines_without_end_cost_only_so_much() -> None:
    cells = ["\n".join(["%cd x"] * 150)] * 10
    assert sum(map(magics.cost, cells)) > magics.WORK
    made = read_notebook(notebook(*cells).decode(), "hw.ipynb")
    assert "%cd x" in made.text
