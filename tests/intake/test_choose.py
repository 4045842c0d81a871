"""Which file is graded: names as LMSs, browsers and people make them, and content where names do not tell."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebooks import notebook, text

from grader.intake import choose
from grader.intake import notebook as notebook_module
from grader.intake.choose import is_renamed
from grader.intake.submit import build_submission
from grader.model.submission import Submission

MAIN = "attention.py"
REQUIRED = ("full_visibility", "TinySelfAttn")
RIGHT = "def full_visibility(m): pass\nclass TinySelfAttn: pass\n"
HALF = "def full_visibility(m): pass\n"
PAIR = notebook(RIGHT)


def submission(files: dict[str, bytes | str], required: tuple[str, ...] = REQUIRED) -> Submission:
    """What these files come to."""
    read = {name: content.encode() if isinstance(content, str) else content for name, content in files.items()}
    return build_submission("ann", "ann", read, [], MAIN, required=required)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "attention.py",
            "attention-2.py",
            "attention (1).py",
            "attention(12).py",
            "attention copy.py",
            "attention_3.py",
        ),
        *("Attention.PY", "ATTENTION.py", "attention - Copy.py", "attention - Copy (2).py", "attention-Copy1.ipynb"),
        *("Copy of attention.ipynb", "Copy_of_attention.py", "Kopie von attention.py", "attention - Kopie.py"),
        *("attention.py.txt", "attention.ipynb.json", "attention.txt", "attention.v2.py", "attention-2.final.py"),
        *(
            "attention-v2.final.py",
            "attention_final.py",
            "attention_final_v3 (2).py",
            "attention2.py",
            "attention.py.py",
        ),
        *("attention\u00a0(1).py", "attention-copy-3.py", "attention final.ipynb", "attention.pyw"),
    ],
)
def test_names_that_mean_the_assignments(name: str) -> None:
    assert is_renamed(name, "attention")


@pytest.mark.parametrize(
    "name",
    [
        *("attentions.py", "my_attention.py", "attention_helper.py", "attention.md", "attention", "at-2.py", "copy.py"),
        *("attention.py.bak", "test_attention.py", "final.py", "attention-two.py", "notattention-2.py", ".py"),
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert not is_renamed(name, "attention")


def test_a_stem_that_ends_like_a_copy_is_itself() -> None:
    assert is_renamed("lab_2.py", "lab_2")
    assert is_renamed("lab_2-3.py", "lab_2")
    assert not is_renamed("lab_3.py", "lab_2")
    assert is_renamed("tiny-bert.py", "tiny_bert")


@given(st.text(max_size=40))
def test_any_name_can_be_asked_about(name: str) -> None:
    assert is_renamed(f"{name}.py", "attention") in (True, False)


GRADED = {
    "the exact name": (
        {MAIN: HALF, "attention-2.py": RIGHT},
        MAIN,
        "since it has the assignment's name, and not attention-2.py",
    ),
    "the exact name before a notebook": ({MAIN: RIGHT, "attention.ipynb": PAIR}, MAIN, "and not attention.ipynb"),
    "the notebook before a copy": (
        {"attention.ipynb": PAIR, "attention (1).py": HALF},
        "attention.ipynb",
        "and not attention (1).py",
    ),
    "a deeper file": ({"hw/src/attention.py": RIGHT}, "hw/src/attention.py", "hw/src/attention.py was graded."),
    "of copies the whole one": (
        {"attention-2.py": HALF, "attention-3.py": RIGHT},
        "attention-3.py",
        "it alone defines all",
    ),
    "copies that are equal": (
        {"attention-2.py": RIGHT, "attention-3.py": RIGHT},
        "attention-2.py",
        "attention-3.py is the same",
    ),
    "by content": (
        {"a.py": "x = 1", "b.py": RIGHT},
        "b.py",
        "b.py was graded as attention.py, and not a.py: it alone defines all",
    ),
    "by content, a notebook": ({"a.py": HALF, "q3 JD.ipynb": PAIR}, "q3 JD.ipynb", "was graded as attention.ipynb"),
    "the one that defines anything": (
        {"a.py": "x = 1", "b.py": HALF},
        "b.py",
        "the others define nothing that is required",
    ),
    "what imports its parts": (
        {"a.py": "from b import full_visibility, TinySelfAttn", "b.py": "x = 1"},
        "a.py",
        "it alone defines",
    ),
    "a lone file": ({"my work.py": "x = 1"}, "my work.py", "my work.py was graded as attention.py."),
    "a notebook under any name": ({"work": PAIR, "notes.txt": "hello"}, "work", "work was graded as attention.ipynb."),
    "code that is called a notebook": ({"work.ipynb": RIGHT}, "work.ipynb", "work.ipynb was graded as attention.py."),
    "a file that a cell writes": (
        {"w.ipynb": notebook(f"%%writefile {MAIN}\n{RIGHT}")},
        "w.ipynb",
        "Cell 1 writes attention.py",
    ),
}


@pytest.mark.parametrize("case", GRADED)
def test_what_is_graded(case: str) -> None:
    files, graded, words = GRADED[case]
    made = submission(files)
    assert (made.problem, made.graded_file) == (None, graded)
    assert words in "\n".join(made.notices)
    assert made.main in (MAIN, "attention.ipynb")
    assert made.main in made.sources


REFUSED = {
    "two that are whole": ({"one.py": RIGHT, "two.py": f"{RIGHT}#"}, ["no telling which of one.py, two.py"]),
    "two that are half": ({"one.py": HALF, "two.py": f"{HALF}#"}, ["one.py, two.py"]),
    "two notebooks": ({"a.ipynb": PAIR, "b.ipynb": notebook("x = 1", RIGHT)}, ["a.ipynb, b.ipynb"]),
    "one name in two folders": ({"a/attention.py": RIGHT, "b/attention.py": RIGHT}, ["2 files called attention.py"]),
    "nothing": ({}, ["Nothing was handed in; expected attention.py"]),
    "a document": ({"attention.docx": b"PK\3\4..[Content_Types].xml..word/document.xml"}, ["is a document of Word"]),
    "other files": ({"a.txt": "x", "b.csv": "y"}, ["attention.py was not handed in; found only a.txt, b.csv"]),
    "a web page": ({"attention.ipynb": "<!doctype html><html></html>"}, ["web page", "download the raw file"]),
    "a page as JSON": ({"attention.ipynb": '{"a": 1'}, ["damaged notebook"]),
    "only checks": ({"check_attention.py": "x = 1"}, ["was not handed in"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    files, words = REFUSED[case]
    made = submission(files)
    assert made.main is None
    assert all(each in (made.problem or "") for each in words), made.problem


@pytest.mark.parametrize(
    "name", ["check_attention.py", ".ipynb_checkpoints/x-checkpoint.ipynb", "attention-checkpoint.py"]
)
def test_checks_and_checkpoints_never_count(name: str) -> None:
    content = PAIR if name.endswith(".ipynb") else RIGHT
    made = submission({"mine.py": RIGHT, name: content})
    assert made.graded_file == "mine.py"


def test_order_decides_nothing() -> None:
    files = {"b.py": RIGHT, "a.py": "x = 1", "attention-2.py": RIGHT, "attention (1).py": HALF}
    made = [submission(dict(sorted(files.items(), reverse=backwards))) for backwards in (True, False)]
    assert made[0].graded_file == made[1].graded_file == "attention-2.py"
    assert made[0].notices == made[1].notices


def test_a_notebook_is_named_that_may_have_been_meant_and_a_helper_is_not() -> None:
    files: dict[str, bytes | str] = {
        MAIN: "from parts import *",
        "parts.py": RIGHT,
        "q3.ipynb": PAIR,
        "play.ipynb": notebook("x = 1"),
    }
    assert submission(files).notices == (
        "attention.py was graded, since it has the assignment's name, and not q3.ipynb.",
    )


def test_a_name_that_tells_the_student_is_no_news() -> None:
    made = build_submission("wei", "wei", {"wei.py": RIGHT.encode()}, [], MAIN, flat=True, required=REQUIRED)
    assert (made.graded_file, made.notices) == ("wei.py", ())


HELPERS = {
    "beside": ({MAIN: "import h", "h.py": "x"}, {"h.py"}),
    "beside, in a folder": ({"src/attention.py": "import h", "src/h.py": "x", "h2.py": "y"}, {"h.py", "h2.py"}),
    "from above": ({"src/attention.py": "from src.h import x", "src/h.py": "x"}, {"h.py", "src/h.py"}),
    "packages": ({MAIN: "import p.q", "p/__init__.py": "", "p/q.py": "x"}, {"p/__init__.py", "p/q.py"}),
    "not notebooks": ({MAIN: "x", "other.ipynb": PAIR}, set()),
}


@pytest.mark.parametrize("case", HELPERS)
def test_what_can_be_imported(case: str) -> None:
    files, names = HELPERS[case]
    made = submission(files, required=())
    assert set(made.sources) - {MAIN} == names


def test_a_helper_that_is_no_text_is_told() -> None:
    made = submission({MAIN: RIGHT, "helper.py": b"%PDF-1.4", "empty.py": b""})
    assert any("Left out: helper.py is a PDF" in notice for notice in made.notices)
    assert set(made.sources) == {MAIN, "empty.py"}


def test_names_of_libraries_are_told() -> None:
    made = submission({MAIN: RIGHT, "random.py": "x", "torch.py": "x", "sub/json.py": "x"})
    assert [notice.partition(" ")[0] for notice in made.notices] == ["random.py", "torch.py"]


def test_what_a_notebook_tells() -> None:
    cells = [
        "def full_visibility(m): return 1",
        text("```python\nclass TinySelfAttn: ...\n```"),
        RIGHT.replace("TinySelfAttn", "T"),
    ]
    made = submission({"attention.ipynb": notebook(*cells, text("class TinySelfAttn:\n    pass"))})
    told = "\n".join(made.notices)
    assert "`full_visibility` is defined in cells 1 and 3; the last one counts." in told
    assert "is a text cell, its code was not run; `TinySelfAttn` stands there" in told
    assert [(cell.number, cell.first, cell.last) for cell in made.cells] == [(1, 1, 1), (3, 2, 3)]


def test_the_cells_of_a_notebook_lie_where_they_are_said_to() -> None:
    sources = ["import torch\n\n", "%matplotlib inline\n\nx = 1", "", "# only this", "def f():\n    return 1\n\n\n"]
    made = submission({"attention.ipynb": notebook(*sources)}, required=())
    lines = made.sources["attention.ipynb"].split("\n")
    for cell in made.cells:
        kept = lines[cell.first - 1 : cell.last]
        written = sources[cell.number - 1].rstrip("\n").split("\n")
        assert len(kept) == len(written)
        assert kept[-1] == written[-1]
    assert json.dumps([cell.number for cell in made.cells]) == "[1, 2, 4, 5]"


def test_a_notebook_with_too_much_code_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_module, "MAX_CODE", 1 << 20)
    monkeypatch.setattr(notebook_module, "_assembled", lambda found: pytest.fail("it was read"))
    made = submission({"attention.ipynb": notebook("x = 1\n" * 200_000)})
    assert made.problem == "attention.ipynb holds more than 1 MB of code."


def test_notebooks_are_read_no_longer_than_a_platform_has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dozen of 7 MB took more than a minute, which is all that some platforms give: the work was never graded."""
    read: list[str] = []

    def reading(content: str, name: str) -> notebook_module.Notebook:
        read.append(name)
        return notebook_module.read_notebook(content, name)

    monkeypatch.setattr(choose, "MAX_CODE", 1000)
    monkeypatch.setattr(choose, "read_notebook", reading)
    files: dict[str, bytes | str] = {f"n{number}.ipynb": notebook(f"x{number} = 1\n" * 50) for number in range(9)}
    assert "no telling which" in (submission(files).problem or "")
    assert len(read) == 3
    assert submission({**files, "attention.py": RIGHT}).main == MAIN
