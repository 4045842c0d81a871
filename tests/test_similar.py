"""Similar work: copies come first, right work that was written alone does not; nothing else of a run is touched."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import UsageProblem
from grader.model.similar import Blank, FileLines, LeftOut, Line, PairPage, Row, SimilarView, SourceText, Work
from grader.model.submission import Person, Submission
from grader.similar import folder as folders
from grader.similar.compare import RUN, Comparer
from grader.similar.overview import MOST_PAGES, About, Compared, compared
from grader.similar.sides import passages
from grader.similar.tokens import Alphabet
from grader.similar.works import LONGEST, works_of

ROOT = Path(__file__).parent.parent
ATTENTION = ROOT / "assignments" / "attention"
RIGHT = {path.stem: path.read_text("utf-8") for path in sorted((ATTENTION / "variants" / "right").glob("*.py"))}
STUB = (ATTENTION / "handout" / "attention.py").read_text("utf-8")
REFERENCE = (ROOT / "reference" / "attention.py").read_text("utf-8")
KNOWN = list(RIGHT)[::2]
"""Right variants that the course of these tests has; the others are its students."""
ALONE = list(RIGHT)[1::2]

Command = Callable[..., subprocess.CompletedProcess[str]]


class _Disguise(ast.NodeTransformer):
    """Renames whatever may be renamed, and drops docstrings."""

    def __init__(self, tree: ast.Module) -> None:
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        self._renamed = (stored | arguments | {name for name in own if name.startswith("_")}) - {"self", "__init__"}

    def _new(self, name: str) -> str:
        return f"{name[::-1].strip('_')}_2" if name in self._renamed and not name.startswith("__") else name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self._new(node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        self.generic_visit(node)
        node.arg = self._new(node.arg)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        node.attr = self._new(node.attr)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.name = self._new(node.name)
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            node.body = node.body[1:]
        return node


def disguised(text: str) -> str:
    """A copy that somebody took trouble with: other names and layout, no comment, no docstring, another order."""
    tree = _Disguise(tree := ast.parse(text)).visit(tree)
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    rest = [node for node in tree.body if node not in imports and not isinstance(node, ast.Expr)]
    return "\n".join(ast.unparse(node) for node in [*imports, *reversed(rest)])


def work(name: str, text: str, *people: str, graded: bool = False) -> Work:
    return Work(name, name, name, people or (name,), (SourceText("attention.py", text),), graded)


def attention() -> Comparer:
    return Comparer([STUB, REFERENCE], [RIGHT[name] for name in KNOWN])


def outcome(works: list[Work], threshold: float = 0.5, left_out: list[LeftOut] | None = None) -> Compared:
    about = About("attention", "Attention")
    return compared(about, works, left_out or [], attention(), threshold, lambda: None)


def names(view: SimilarView) -> list[set[str]]:
    return [{pair.first.id, pair.second.id} for pair in view.pairs]


@pytest.mark.parametrize("source", ALONE)
def test_a_disguised_copy_stands_alone_above_independent_work(source: str) -> None:
    works = [work(name, RIGHT[name]) for name in ALONE] + [work("copy", disguised(RIGHT[source]))]
    pairs = outcome(works, threshold=0).view.pairs
    assert {pairs[0].first.id, pairs[0].second.id} == {source, "copy"}
    assert pairs[0].score > 0.75
    assert pairs[1].score < 0.4
    assert pairs[0].first_lines > 10
    assert not pairs[0].same_text


def test_names_comments_docstrings_and_layout_are_no_tokens() -> None:
    alphabet = Alphabet()
    first = 'def f(a):\n    """Doc\n    (string."""\n    # why\n    return [a,\n        "x" "y"]\n'
    second = "def other(b): return [b, 'long text' '''and\nmore''']"
    assert alphabet.tokens(first).codes == alphabet.tokens(second).codes
    assert alphabet.tokens("a = 1").codes != alphabet.tokens("a = 2").codes
    assert alphabet.tokens("a = len(b)").codes != alphabet.tokens("a = sum(b)").codes
    assert alphabet.tokens(re.sub(r"(?s)\"\"\".*?\"\"\"", "", STUB)).codes == alphabet.tokens(STUB).codes


def test_tokens_lie_where_they_say() -> None:
    for text in [*RIGHT.values(), STUB]:
        places = Alphabet().tokens(text).places
        words = [text[begin:end] for begin, end in places]
        assert [begin for begin, _ in places] == sorted(begin for begin, _ in places)
        assert not [word for word in words if word != word.strip() or not word]
        assert words.count("def") == len(re.findall(r"^\s*def ", text, re.MULTILINE))


def test_stub_and_reference_and_what_is_usual_are_nobodys_own() -> None:
    touched = STUB.replace("is not written yet", "comes later") + "\nprint('I tried')\n"
    given = [work("stub1", STUB), work("stub2", STUB), work("touched", touched), work("like the reference", REFERENCE)]
    usual = [work(name, RIGHT[name]) for name in ALONE]
    view = outcome([*given, *usual]).view
    assert view.pairs == []
    assert view.compared == len(usual)
    assert {left.work.id: left.reason for left in view.left_out} == {one.id: "little" for one in given}


def test_a_group_is_not_compared_with_itself() -> None:
    text = RIGHT[ALONE[0]]
    works = [work("team", text, "ann", "bob"), work("bob", text, "bob"), work("cyd", text, "cyd")]
    view = outcome(works).view
    assert names(view) == [{"bob", "cyd"}, {"team", "cyd"}]
    assert view.all_pairs == 2
    assert [pair.same_text for pair in view.pairs] == [True, True]
    assert view.pairs[0].score == 1


@pytest.mark.parametrize("size", [0, 1])
def test_a_class_without_a_pair_has_an_overview(size: int) -> None:
    found = outcome([work("ann", RIGHT[ALONE[0]])][:size])
    assert (found.view.compared, found.view.all_pairs, found.view.pairs) == (size, 0, [])
    assert found.view.median is None
    assert list(found.pages()) == []


def test_pages_are_capped_and_the_rest_is_counted() -> None:
    works = [work(f"s{number}", RIGHT[ALONE[0]]) for number in range(22)]
    found = outcome(works)
    assert found.view.all_pairs == 231
    assert sum(found.view.scores) == 231
    assert len(found.view.pairs) == MOST_PAGES == len(list(found.pages()))
    assert found.view.beyond == 31


def texts_of(rows: list[Row]) -> list[str]:
    return [row.before + row.shared + row.after for row in rows if isinstance(row, Line)]


def heights(rows: list[Row]) -> dict[int, int]:
    """The height at which each passage first begins, by its number."""
    height, found = 0, {}
    for row in rows:
        if isinstance(row, Line):
            for passage in row.begins:
                found.setdefault(passage, height)
        height += row.lines if isinstance(row, Blank) else 1
    return found


def page_of(first: Work, second: Work) -> PairPage:
    return next(outcome([first, second], threshold=0).pages())


def test_sides_hold_the_texts_whole_and_passages_at_one_height() -> None:
    text = RIGHT[ALONE[0]]
    longer = "import os\n\n\n" + text.replace("class ", "print(os.name)\n\n\nclass ")
    page = page_of(work("a", text), work("b", longer))
    assert "\n".join(texts_of(page.first)) + "\n" == text
    assert "\n".join(texts_of(page.second)) + "\n" == longer
    one, other = heights(page.first), heights(page.second)
    assert len(one) > 1
    assert one == other
    marked = [row.shared for row in page.first if isinstance(row, Line) and row.shared]
    assert len(marked) == page.pair.first_lines
    assert not [line for line in marked if '"""' in line or "#" in line]


def test_each_passage_begins_once_on_both_sides() -> None:
    page = page_of(work("a", RIGHT[ALONE[1]]), work("b", disguised(RIGHT[ALONE[1]])))
    sides = [
        [number for row in rows if isinstance(row, Line) for number in row.begins] for rows in (page.first, page.second)
    ]
    assert len(sides[0]) > 3
    assert sides[0] == list(range(1, len(sides[0]) + 1))
    assert sorted(sides[1]) == sides[0]
    assert sides[1] != sides[0]


def test_a_passage_is_the_same_on_both_sides() -> None:
    comparer = attention()
    texts = [RIGHT[ALONE[1]], disguised(RIGHT[ALONE[1]])]
    one, other = (comparer.print_of(text) for text in texts)
    overlap = comparer.overlap(one, other)
    found = passages(overlap.first, one, other)
    for passage in found:
        here = one.tokens.codes[passage.first : passage.first + RUN]
        assert here == other.tokens.codes[passage.second : passage.second + RUN]
        assert any(start <= passage.second < end for start, end in overlap.second)
    assert {start for start, _ in overlap.first} <= {passage.first for passage in found}


def test_several_files_are_one_work() -> None:
    text = RIGHT[ALONE[0]]
    head, rest = text.split("class ", 1)
    parts = Work("b", "b", "b", ("b",), (SourceText("attention.py", f"class {rest}"), SourceText("helper.py", head)))
    page = page_of(work("a", text), parts)
    assert page.pair.score > 0.9
    assert [row.name for row in page.second if isinstance(row, FileLines)] == ["attention.py", "helper.py"]


HOSTILE = {
    "quotes": '"' * LONGEST,
    "blank lines": " \n" * (LONGEST // 2),
    "case and blanks": "case" + " " * (LONGEST - 4),
    "brackets": "({[" * (LONGEST // 3),
    "no end": "x = '''" + "\\" * (LONGEST - 7),
    "numbers": "".join(f"{number} " for number in range(16_000)),
    "controls": "\0\x0b\x0c\x1c\x85\u2028\u202e\ud800" * (LONGEST // 8),
    "not Python": "def (((( ''' \n $$ ?? é € `" * 3_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_python_is_compared_as_well(kind: str) -> None:
    text = HOSTILE[kind][:LONGEST]
    found = outcome([work("bad", text), work("worse", text), work("good", RIGHT[ALONE[0]])])
    assert found.view.compared + len(found.view.left_out) == 3
    assert names(found.view) in ([], [{"bad", "worse"}])
    for page in found.pages():
        assert {page.pair.first.id, page.pair.second.id} == {"bad", "worse"}
        assert page.pair.same_text


def test_what_cannot_be_compared_is_named() -> None:
    huge = "x = 1\n" * 900_000
    submissions = [
        Submission("huge", "huge", (), "attention.py", {"attention.py": huge}),
        Submission("none", "none", (), None, {}, "No Python file was handed in."),
        Submission("part", "part", (), "attention.py", {"attention.py": RIGHT[ALONE[0]], "data.py": huge}),
        Submission("kit", "kit", (), "attention.py", {"attention.py": RIGHT[ALONE[0]], "stub.py": STUB}),
        Submission(
            "team", "ann", (), "attention.py", {"attention.py": "x"}, members=(Person("ann", "Ann"), Person("b"))
        ),
    ]
    works, left_out = works_of(submissions, [STUB], lambda name: name == "kit")
    assert [(left.work.id, left.reason) for left in left_out] == [("huge", "long"), ("none", "nothing")]
    assert left_out[1].detail == "No Python file was handed in."
    assert [(one.id, len(one.files), one.part, one.graded) for one in works] == [
        ("part", 1, True, False),
        ("kit", 1, False, True),
        ("team", 1, False, False),
    ]
    assert (works[2].called, works[2].people) == ("Ann, b", ("ann", "b"))


def test_a_command_that_is_stopped_leaves_the_pages_of_before(tmp_path: Path) -> None:
    folders.put(tmp_path, [("pair-001.html", "old"), ("index.html", "old")])

    def stopped():
        yield "pair-001.html", "new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folders.put(tmp_path, stopped())
    assert [path.name for path in tmp_path.iterdir()] == ["similar"]
    assert {path.name: path.read_text() for path in (tmp_path / "similar").iterdir()} == {
        "pair-001.html": "old",
        "index.html": "old",
    }
    folders.put(tmp_path, [("index.html", "new")])
    assert [path.name for path in (tmp_path / "similar").iterdir()] == ["index.html"]


def test_a_kill_between_the_last_two_steps_is_made_good(tmp_path: Path) -> None:
    folders.put(tmp_path, [("index.html", "old")])
    (tmp_path / "similar").rename(tmp_path / ".similar.before")
    (tmp_path / ".similar.unfinished").mkdir()

    def fails():
        yield from ()
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError):
        folders.put(tmp_path, fails())
    assert [path.name for path in tmp_path.iterdir()] == ["similar"]
    assert (tmp_path / "similar" / "index.html").read_text() == "old"


def test_a_folder_of_somebody_elses_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "similar").mkdir()
    (tmp_path / "similar" / "notes.txt").write_text("mine")
    with pytest.raises(UsageProblem, match=r"notes\.txt"):
        folders.refuse_strange(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "similar").symlink_to(tmp_path)
    with pytest.raises(UsageProblem, match="no folder of ours"):
        folders.refuse_strange(other)


def test_without_the_library_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "copydetect", None)
    with pytest.raises(UsageProblem, match="pip install copydetect"):
        attention()


def write_class(source: Path) -> None:
    """Students who worked alone, a copy, an untouched stub, a notebook that is a copy too, and a name that attacks."""
    for name in ALONE[:3]:
        (source / name).mkdir(parents=True)
        (source / name / "attention.py").write_text(RIGHT[name], "utf-8")
    texts = {"copier": disguised(RIGHT[ALONE[0]]), "idle": STUB, "<img src=x onerror=1>": RIGHT[ALONE[2]]}
    for name, text in texts.items():
        (source / name).mkdir()
        (source / name / "attention.py").write_text(text, "utf-8")
    cell = {"cell_type": "code", "source": RIGHT[ALONE[1]], "metadata": {}, "outputs": [], "execution_count": None}
    (source / "noter").mkdir()
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (source / "noter" / "attention.ipynb").write_text(json.dumps(notebook), "utf-8")


def write_course(course: Path) -> None:
    """A course whose right variants leave some to the students."""
    shutil.copytree(ATTENTION, course / "assignments" / "attention")
    (course / "reference").mkdir()
    (course / "reference" / "attention.py").write_text(REFERENCE, "utf-8")
    for name in ALONE:
        (course / "assignments" / "attention" / "variants" / "right" / f"{name}.py").unlink()


def test_the_command_writes_pages_and_nothing_else(grader: Command, tmp_path: Path) -> None:
    source, course, out = tmp_path / "class", tmp_path / "course", tmp_path / "out"
    write_class(source)
    write_course(course)
    (out / "results").mkdir(parents=True)
    (out / "results" / "notes.txt").write_text("kept")
    ran = grader("similar", source, "--assignment", "attention", "--out", out, "--course", course)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == f"{out / 'similar' / 'index.html'}\n"
    assert "a hint for a person" in ran.stderr.lower()
    assert sorted(path.name for path in out.iterdir()) == ["results", "similar"]
    assert [path.name for path in (out / "results").iterdir()] == ["notes.txt"]
    pages = sorted(path.name for path in (out / "similar").iterdir())
    assert pages == ["index.html", "pair-001.html", "pair-002.html", "pair-003.html"]
    html = (out / "similar" / "index.html").read_text("utf-8")
    rows = re.findall(r"<tr>\n<th scope=\"row\".*?</tr>", html, re.DOTALL)
    couples = [(ALONE[0], "copier"), (ALONE[1], "noter"), (ALONE[2], "&lt;img src=x onerror=1&gt;")]
    for couple in couples:
        assert [row for row in rows if all(name in row for name in couple)], couple
    assert "<img" not in html


def test_two_processes_say_the_same(tmp_path: Path) -> None:
    source, course = tmp_path / "class", tmp_path / "course"
    write_class(source)
    write_course(course)
    pages, options = [], ["--assignment", "attention", "--course", course]
    for seed in ("1", "2"):
        out = tmp_path / seed
        subprocess.run(
            [sys.executable, "-m", "grader.cli.main", "similar", source, *options, "--out", out, "--above", "0"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        pages.append({path.name: path.read_text("utf-8") for path in (out / "similar").iterdir()})
    assert len(pages[0]) > 5
    assert pages[0] == pages[1]


def test_bad_input_is_one_sentence(grader: Command, tiny_course: Path, tiny_class: Path, tmp_path: Path) -> None:
    """A SOURCE that is not there, one without a submission, a DIR that is a file."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    wrong = [(tmp_path / "nowhere", "out", "does not exist"), (tmp_path / "empty", "out", "holds no submission")]
    for source, out, said in [*wrong, (tiny_class, "file", "is a file")]:
        ran = grader("similar", source, "--assignment", "tiny", "--out", tmp_path / out, "--course", tiny_course)
        assert ran.returncode == 2
        assert said in ran.stderr
        assert "Traceback" not in ran.stderr
        assert not (tmp_path / "out").exists()
