"""Hostile names, files, outputs and notebooks, graded for real: in no page does anything of theirs act or stand.

Each submission is an attack in every place that a student can write: the folder's name, file names, what is printed at
import and in checks, texts of exceptions, names of classes, and in notebooks sources, outputs and metadata.
"""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import Opener, overflow

MARKUP = [
    "<script>window.pwned=1</script>",
    "<img id=theirs src=x onerror=window.pwned=1>",
    "'\"><svg onload=window.pwned=1>",
    "<iframe srcdoc='<script>parent.pwned=1<&#x2f;script>'>",
    "<style>*{display:none}",
    "<meta http-equiv=refresh content=0>",
    "<a id=theirs href=javascript:window.pwned=1>",
    "<!--",
    "{{7*7}}{% include 'x' %}",
    "`<b id=theirs>`",
    "&lt;script&gt;",
    "ecilA\u202ebilA\u200b",
    "=HYPERLINK(1)",
    "漢字 é ß",
]
CODE = """
import sys
print({text!r})
print({text!r}, file=sys.stderr)
Odd = type({text!r}, (Exception,), {{}})
def double(x):
    print({text!r})
    raise Odd({text!r})
def total(x):
    return {text!r}
"""
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
LEFT_OF_THEIRS = "script:not(:last-of-type), iframe, img, object, embed, base, #theirs, [onerror], [onload], [onclick]"
Program = Callable[..., subprocess.CompletedProcess[str]]


def notebook(text: str) -> str:
    """A notebook whose outputs, attachments and metadata are an attack; the code is right, with a hostile comment."""
    html = {"text/html": [text, "</script>", text], "image/svg+xml": text, "application/javascript": text}
    outputs = [
        {"output_type": "display_data", "data": html, "metadata": {text: text}},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]},
        {"output_type": "stream", "name": "stdout", "text": text},
    ]
    code = {"cell_type": "code", "metadata": {"tags": [text]}, "execution_count": 1, "outputs": outputs}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": text, "attachments": {text: html}},
        {**code, "source": f"# {text}\nprint({text!r})\n{RIGHT}"},
        {**code, "source": f"raise ValueError({text!r})"},
        {**code, "source": f"!echo {text}"},
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": text, "language": "python"}, "title": text}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture(scope="module")
def pages(grader: Program, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every page of a run over the corpus, by its path."""
    home = tmp_path_factory.mktemp("hostile")
    source, out = home / "class", home / "out"
    for number, text in enumerate(MARKUP):
        whose = source / f"{text.replace('/', '_')} {number}"
        whose.mkdir(parents=True)
        if number % 2:
            (whose / f"tiny {text.replace('/', '_')}.ipynb").write_text(notebook(text), "utf-8")
        else:
            (whose / "tiny.py").write_text(CODE.format(text=text), "utf-8")
            (whose / f"{text.replace('/', '_')}.py").write_text("1 +", "utf-8")
    with zipfile.ZipFile(source / f"zipped {MARKUP[1]}.zip", "w") as archive:
        archive.writestr(f"{MARKUP[2]}/tiny (1).py", CODE.format(text=MARKUP[0]))
    ran = grader("grade", source, "--assignment", "tiny", "--out", out, "--course", Path("tests/course"))
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr
    assert len(list((out / "results").glob("*.json"))) == len(MARKUP) + 1
    return {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in sorted(out.rglob("*.html"))}


def test_the_attacks_reach_the_pages(pages: dict[str, str]) -> None:
    everything = "".join(pages.values())
    for text in ("&lt;img id=theirs", "{{7*7}}", "&lt;script&gt;window.pwned=1&lt;/script&gt;", "=HYPERLINK(1)"):
        assert text in everything


def test_nothing_of_theirs_acts_or_stands_in_a_page(show: Opener, pages: dict[str, str]) -> None:
    assert len(pages) == len(MARKUP) + 2
    for name, html in pages.items():
        page = show(html)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert page.evaluate("typeof window.pwned") == "undefined", name
        assert page.locator(LEFT_OF_THEIRS).count() == 0, name
        assert page.locator("style").count() == page.locator("h1").count() == 1, name
        assert overflow(page) == 0, name
        hidden: Any = page.evaluate("getComputedStyle(document.body).display")
        assert hidden == "block", name
