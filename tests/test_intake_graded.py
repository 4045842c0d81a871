"""What people really hand in, graded from end to end: one class in which each submission is a case from the field.

Every case is right work in a wrong or odd container, so nearly all of them are worth full marks; what the student is
told is looked at as well.
"""

from __future__ import annotations

import codecs
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from notebooks import notebook, text

DOUBLE = "def double(x):\n    return 2 * x\n"
TOTAL = "def total(x):\n    return x.sum()\n"
RIGHT = f"import torch\n\n\n{DOUBLE}\n\n{TOTAL}"
BOTH = f"{DOUBLE}{TOTAL}"
STUBBED = "stand-ins that draw and print nothing took the place"

Case = tuple[dict[str, bytes | str], float, list[str]]
"""Files, score, and words that must be found among the notices or the reason."""

TEXTS: dict[str, Case] = {
    "utf-16": ({"tiny.py": codecs.BOM_UTF16_LE + RIGHT.encode("utf-16-le")}, 100, ["saved as UTF-16"]),
    "utf-16-without-bom": ({"tiny.py": RIGHT.encode("utf-16-le")}, 100, ["saved as UTF-16"]),
    "bom": ({"tiny.py": codecs.BOM_UTF8 + RIGHT.encode()}, 100, []),
    "old-line-ends": ({"tiny.py": RIGHT.replace("\n", "\r")}, 100, []),
    "cp1252": ({"tiny.py": f"# Zoë\n{RIGHT}".encode("cp1252")}, 100, ["Windows-1252"]),
    "nbsp": (
        {"tiny.py": f"def double(x):\n\u00a0\u00a0 return 2 * x\n{TOTAL}"},
        0,
        ["line 2", "NO-BREAK SPACE", "PDF"],
    ),
    "curly": ({"tiny.py": f"note = “twice”\n{RIGHT}"}, 0, ["line 1", "LEFT DOUBLE QUOTATION MARK", 'type " instead']),
    "legal": ({"tiny.py": f"note = '“twice” — \u00a0é'  # ’\u00a0\n{RIGHT}"}, 100, []),
    "zero-byte": ({"tiny.py": f"{RIGHT}x\0 = 1\n"}, 0, ["NUL character", "line 10, column 2"]),
    "tabs": ({"tiny.py": f"{TOTAL}def double(x):\n    y = x\n\treturn 2 * y\n"}, 0, ["line 5", "TABULATION", "spaces"]),
    "conflict": (
        {"tiny.py": f"{DOUBLE}<<<<<<< HEAD\n{TOTAL}=======\n>>>>>>> other\n"},
        0,
        ["line 3", "merge conflict"],
    ),
    "vague": ({"tiny.py": f"{RIGHT}x = = 3\n"}, 0, ["line 10", "invalid syntax", "the usual cause"]),
    "pdf": ({"tiny.py": b"%PDF-1.7\n\x00\xff"}, 0, ["is a PDF"]),
    "page": ({"tiny.ipynb": "<!DOCTYPE html>\n<html><body></body></html>"}, 0, ["web page", "download the raw file"]),
    "notebook-as-py": ({"tiny.py": notebook(RIGHT)}, 100, ["tiny.py holds a notebook, and was graded as one."]),
    "notebook-json": ({"tiny.ipynb.json": notebook(RIGHT)}, 100, ["tiny.ipynb.json was graded as tiny.ipynb"]),
    "py-txt": ({"tiny.py.txt": RIGHT}, 100, ["tiny.py.txt was graded as tiny.py"]),
}
CHOICES: dict[str, Case] = {
    "renamed": ({"tiny-2.final.py": RIGHT}, 100, ["tiny-2.final.py was graded as tiny.py"]),
    "two": (
        {"tiny.py": RIGHT, "tiny-2.py": "x = 1"},
        100,
        ["tiny.py was graded", "assignment's name, and not tiny-2.py"],
    ),
    "undecided": ({"one.py": RIGHT, "two.py": f"{RIGHT}#"}, 0, ["no telling which of one.py, two.py"]),
    "by-content": (
        {"q3 JD.ipynb": notebook(RIGHT), "notes.py": "x = 1"},
        100,
        ["q3 JD.ipynb was graded as tiny.ipynb"],
    ),
    "helper": (
        {
            "hw/tiny.py": "from helper import double\nfrom .more import total\n",
            "hw/helper.py": DOUBLE,
            "hw/more.py": TOTAL,
        },
        100,
        [],
    ),
    "no-helper": ({"tiny.py": f"from helper import double\n{TOTAL}"}, 30, ["helper.py was not in your upload"]),
    "no-relative": ({"tiny.py": f"from .helper import double\n{TOTAL}"}, 30, ["helper.py was not in your upload."]),
    "hides": (
        {"tiny.py": f"import random\nrandom.Random(1)\n{RIGHT}", "random.py": "x = 1", "torch.py": ""},
        100,
        ["random.py has the name of a library", "torch.py has the name of a library"],
    ),
    "checks": ({"tiny.py": RIGHT, "check_tiny.py": "raise SystemExit"}, 100, []),
}
NOTEBOOKS: dict[str, Case] = {
    "magics": (
        {
            "tiny.ipynb": notebook(
                "%matplotlib inline\nimport torch\nCOLAB = False\nif COLAB:\n    !pip install x",
                f"%%time\n{DOUBLE}",
                f"%%capture\n{TOTAL}",
            )
        },
        100,
        ["`!pip install x` (cell 1, line 5)"],
    ),
    "writes": ({"tiny.ipynb": notebook("print(1)", f"%%writefile tiny.py\n{BOTH}")}, 100, ["Cell 2 writes tiny.py"]),
    "writes-helper": (
        {"tiny.ipynb": notebook(f"%%writefile help_me.py\n{DOUBLE}", f"from help_me import double\n{TOTAL}")},
        100,
        [],
    ),
    "bash": ({"tiny.ipynb": notebook("%%bash\nrm -rf /", BOTH)}, 100, ["cell 1, which begins with `%%bash`"]),
    "colab": (
        {
            "tiny.ipynb": notebook(
                "from google.colab import drive\ndrive.mount('/x')\nimport torch\nONE = 1\n",
                "def double(x):\n    return ONE * 2 * x\n" + TOTAL,
            )
        },
        100,
        ["Graded without google.colab: what uses it was skipped"],
    ),
    "colab-guarded": (
        {
            "tiny.ipynb": notebook(
                "try:\n    import google.colab\n    HERE = 1\nexcept ImportError:\n    HERE = 2",
                "def double(x):\n    return HERE * x\n" + TOTAL,
            )
        },
        100,
        [],
    ),
    "plots": (
        {
            "tiny.ipynb": notebook(
                "import seaborn\nimport matplotlib.pyplot as plt\nfrom tqdm.auto import tqdm",
                "fig, (a, b) = plt.subplots(1, 2)\nn = sum(tqdm([1, 1]))\nplt.show()",
                "def double(x):\n    return n * x\n" + TOTAL,
            )
        },
        100,
        [STUBBED],
    ),
    "missing": (
        {"tiny.ipynb": notebook("import einops\nimport torch", BOTH)},
        100,
        ["Cell 1 stopped at line 1, `import einops`, which the grading machine does not have"],
    ),
    "live": ({"tiny.ipynb": notebook("display(3); get_ipython().system('ls'); In[3]; y = _; Out[1]", BOTH)}, 100, []),
    "left-over": (
        {"tiny.ipynb": notebook(f"{BOTH}raise NotImplementedError")},
        100,
        ["Cell 1 raises NotImplementedError at line 5"],
    ),
    "scratch": (
        {"tiny.ipynb": notebook(BOTH, "for x in (:\n    pass")},
        100,
        ["Cell 2 was not run, since it is not Python"],
    ),
    "raises-before": (
        {"tiny.ipynb": notebook("1 / 0", f"n = 2\n{BOTH}")},
        100,
        ["Cell 1 stopped with an exception; the others were run", "ZeroDivisionError at tiny.ipynb, cell 1, line 1"],
    ),
    "raises-within": ({"tiny.ipynb": notebook(f"x = 1\n1 / 0\nprint(x)\n{BOTH}")}, 100, ["left out: cell 1, line 3"]),
    "raises-after": ({"tiny.ipynb": notebook(BOTH, "x = [][0]")}, 100, ["cell 2, line 1"]),
    "twice": (
        {"tiny.ipynb": notebook("def double(x):\n    return x", BOTH)},
        100,
        ["`double` is defined in cells 1 and 2; the last one counts"],
    ),
    "in-prose": ({"tiny.ipynb": notebook(text(DOUBLE), TOTAL)}, 30, ["Cell 1 is a text cell, its code was not run"]),
    "kernel": (
        {
            "tiny.ipynb": notebook(
                BOTH, metadata={"kernelspec": {"name": "conda-env-dl-py", "display_name": "Python [root]"}}
            )
        },
        100,
        [],
    ),
    "no-kernel": ({"tiny.ipynb": notebook(BOTH, metadata={})}, 100, []),
    "r": (
        {"tiny.ipynb": notebook(BOTH, metadata={"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}})},
        0,
        ["notebook in R"],
    ),
    "deleted-cell": (
        {"tiny.ipynb": notebook(f"def double(x):\n    return TWO * x\n{TOTAL}")},
        30,
        ["Cell 1, line 2 uses `TWO`, which no cell defines", "Restart and Run All"],
    ),
    "training": (
        {"tiny.ipynb": notebook(DOUBLE, "for epoch in range(10 ** 12):\n    pass", TOTAL)},
        100,
        ["Cell 2 was still running at line 1 when its time was up"],
    ),
    "checkpoint": (
        {
            "tiny.ipynb": notebook(BOTH),
            ".ipynb_checkpoints/tiny-checkpoint.ipynb": notebook("x = 1"),
            "tiny-checkpoint.ipynb": notebook("x = 1"),
        },
        100,
        [],
    ),
    "bom-notebook": ({"tiny.ipynb": codecs.BOM_UTF8 + notebook(f"s = 'é 🙂'\n{BOTH}")}, 100, []),
    "old-format": (
        {
            "tiny.ipynb": json.dumps(
                {
                    "metadata": {},
                    "nbformat": 3,
                    "nbformat_minor": 0,
                    "worksheets": [
                        {
                            "cells": [
                                {
                                    "cell_type": "code",
                                    "language": "python",
                                    "input": BOTH.splitlines(keepends=True),
                                    "outputs": [],
                                }
                            ]
                        }
                    ],
                }
            )
        },
        100,
        [],
    ),
}
PROGRAMS: dict[str, Case] = {
    "prints": ({"tiny.py": f"print('hello')\n{RIGHT}"}, 100, []),
    "asks": (
        {"tiny.py": f"name = input('Name? ')\nprint(name)\n{RIGHT}"},
        100,
        ["EOFError at tiny.py, line 1", "left out: line 2"],
    ),
    "trains": (
        {"tiny.py": f"import torch\nn = 0\nwhile True:\n    n += 1\nLATER = 2\n{BOTH}"},
        100,
        ["still running at tiny.py, line 3 when the 2 s", 'if __name__ == "__main__":'],
    ),
    "main": (
        {"tiny.py": f"{DOUBLE}def main():\n    while True:\n        pass\nmain()\n{TOTAL}"},
        100,
        ["at tiny.py, line 6"],
    ),
    "guarded": ({"tiny.py": f"{RIGHT}if __name__ == '__main__':\n    raise ValueError\n"}, 100, []),
    "exits": ({"tiny.py": f"{DOUBLE}exit()\n{TOTAL}"}, 100, ["tiny.py calls exit at tiny.py, line 3"]),
    "exits-early": ({"tiny.py": f"exit()\n{BOTH}"}, 0, ["ends the program while it is imported at tiny.py, line 1"]),
    "slow-assignment": (
        {"tiny.py": f"1 / 0\nwhole = sum(1 for _ in range(10 ** 12))\n{BOTH}"},
        100,
        ["Line 2 was still running"],
    ),
    "shows": ({"tiny.py": f"import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\n{BOTH}"}, 100, [STUBBED]),
    "dies": (
        {"tiny.py": f"import ctypes\n{BOTH}ctypes.string_at(0)\n"},
        100,
        ["only its definitions, imports and assignments"],
    ),
    "dies-in-a-cell": ({"tiny.ipynb": notebook("import ctypes", BOTH, "ctypes.string_at(0)")}, 100, ["cell 3, line 1"]),
}
CASES = {**TEXTS, **CHOICES, **NOTEBOOKS, **PROGRAMS}


@pytest.fixture(scope="module")
def graded(
    grader: Callable[..., subprocess.CompletedProcess[str]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Every case, graded in one run."""
    folder = tmp_path_factory.mktemp("field")
    for case, (files, _, _) in CASES.items():
        for name, content in files.items():
            path = folder / "class" / case / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    course = Path(__file__).parent / "course"
    ran = grader(
        *("grade", folder / "class", "--assignment", "tiny", "--out", folder / "out", "--course", course), seconds=500
    )
    assert ran.returncode == 0, ran.stderr
    return {path.stem: json.loads(path.read_text("utf-8")) for path in (folder / "out" / "results").glob("*.json")}


@pytest.mark.parametrize("case", CASES)
def test_what_people_hand_in(graded: dict[str, Any], case: str) -> None:
    _, score, words = CASES[case]
    result = graded[case]
    told = "\n".join([*result["notices"], result["reason"] or ""])
    assert result["status"] in ("graded", "invalid"), told
    assert result["score"] == score, told
    for each in words:
        assert each in told
    if not words:
        assert result["notices"] == []
