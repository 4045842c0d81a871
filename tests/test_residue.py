"""What is left of students' text where people and programs read it: words, and nothing that acts.

A class whose folders, files, code, output and exceptions are all hostile is graded for real on the tiny course. Then
every channel is read as its readers read it: terminals byte by byte, the table as two kinds of spreadsheet do, result
files as bytes and as data, reports with a parser and in a real Chromium.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Dialog, Page, sync_playwright

from grader.exporters.grades_csv import cell
from grader.intake.files import plain_name, shown
from grader.model.text import escaped_json
from grader.render.talk import say

ROOT = Path(__file__).parent.parent
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"

EVIL = (
    "\x1b[31m\x1b]0;t\x07\x9b2J\x08\r\n\u2028\u2029\x85\x0b\x0cFORGED line\n\u202e\u2066\u200b\ufeff\U000e0041\u0301"
    "<img id=theirs src=x onerror=window.pwned=1></pre></title><script>window.pwned=1</script>"
    "\" id=theirs onfocus='window.pwned=1' autofocus =1+1;=1+1[red]x[/red]{{7*7}}{% raise %}{0.__class__}%s%n"
    "z" + "\u0301" * 60
)
NAMES = [
    *("\x1b[31mred\x1b[0m", "\x1b]0;owned\x07title", "\x9b2Jclear", "bell\x07back\x08\x7f", "cr\rfake", "new\nFORGED"),
    *("nel\x85FORGED", "vt\x0bFORGED\x0c", "line\u2028FORGED\u2029par", "a\u202egpj", "iso\u2066x", "zero\u200bwidth"),
    *("\u200b\u200b", "\u2800", "hiero\U00013430x", "tag\U000e0041", "z" + "\u0301" * 80, "שלום 1", "x" * 250),
    *("=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠A1", "\u207a1", "\u22121", " =1+1", "\t=1", '"=1"'),
    *("x;=1+1", "x; @A1", "'=1", "<script>window.pwned=1<script>", "<img id=theirs src=x onerror=window.pwned=1>"),
    *("\"' id=theirs autofocus onfocus=window.pwned=1 x='", "&lt;b&gt;", "[red]bold[bold", "[link=https:x]y"),
    *("{{ 7*7 }}", "{% raise %}", "{0.__class__}{task}", "%s%n%(x)s", "con", "NUL.txt", "aux.py", "*", "[a-z]?"),
    *("$(touch pwned)", "`touch pwned`", "; touch pwned", "--out=x", "-rf"),
    *("ada", "ada.tensors-x", "zo\udceb", "zo\udcea"),
]  # fmt: skip
CODE = f"""
EVIL = {EVIL!r}
print(EVIL)
globals()["tota\\x1b[31ml\\n"] = 1
Evil = type("E\\x1b[31m\\u202e<b id=theirs>\\nFORGED", (Exception,), {{}})


def raiser(text):
    raise Evil(text)


raiser.__code__ = raiser.__code__.replace(co_name="f\\x1b[31m\\u202e<b id=theirs>\\nFORGED")


def double(x):
    print(EVIL)
    raiser(EVIL)


def total(x):
    print(EVIL)
    return EVIL
"""

DRAWN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Format characters that are drawn, and move nothing."""
EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u2800\u3164\ufe0f\uffa0\U000e0100")


ACTS = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def acts(character: str) -> bool:
    """Whether a character acts instead of being read."""
    return unicodedata.category(character) in ACTS and character not in "\n\t" and character not in DRAWN


def acting(text: str) -> list[str]:
    """Whatever in a text acts, is empty, or piles up."""
    found = [hex(ord(character)) for character in text if acts(character) or character in EMPTY]
    return found + re.findall("\u0301{6,}", text)


@dataclass(frozen=True)
class Graded:
    """A graded class: where, and what the command said."""

    source: Path
    out: Path
    said: bytes
    printed: bytes


def write_class(source: Path) -> None:
    """A folder for each name, of one of four kinds, some with links, and loose files beside them."""
    for number, name in enumerate(NAMES):
        folder = source / name
        folder.mkdir(parents=True)
        short = name[:60]
        if number % 4 == 0:
            (folder / "tiny.py").write_text(CODE, "utf-8")
        elif number % 4 == 1:
            (folder / "tiny.py").write_text(CODE + "\n\nraiser(EVIL)\n", "utf-8")
        elif number % 4 == 2:
            (folder / f"{short}.py").write_text(RIGHT)
        else:
            (folder / f"{short}.txt").write_text("x")
        if number % 3 == 0:
            (folder / f"link{short}").symlink_to("/etc/passwd")
    for name in ("loose\x1b[2J\u202e\nFORGED.dat", "loose\udceb.txt"):
        (source / name).write_text("x")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder that every command here runs in."""
    return tmp_path_factory.mktemp("cwd")


def run(workplace: Path, cache: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """`grader …`, its output as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "grader.cli.main", *map(str, arguments)],
        cwd=workplace,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), **environment},
        capture_output=True,
        timeout=300,
        check=False,
    )


def grade_arguments(source: Path, out: Path) -> list[object]:
    """Arguments that grade the hostile class."""
    return ["grade", source, "--assignment", "tiny", "--out", out, "--course", ROOT / "tests" / "course"]


@pytest.fixture(scope="module")
def graded(workplace: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The hostile class, graded once."""
    folder = tmp_path_factory.mktemp("hostile")
    write_class(folder / "class")
    ran = run(workplace, cache, *grade_arguments(folder / "class", folder / "out"))
    assert ran.returncode == 0, ran.stderr
    return Graded(folder / "class", folder / "out", ran.stderr, ran.stdout)


def results(out: Path) -> list[dict[str, Any]]:
    """The result files as data."""
    return [json.loads(path.read_bytes()) for path in sorted((out / "results").glob("*.json"))]


def test_everybody_has_a_result_under_a_safe_id(graded: Graded) -> None:
    found = {result["submission"]["student"]: result["submission"]["id"] for result in results(graded.out)}
    assert found.keys() == {plain_name(name) for name in NAMES}
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name) for name in found.values())
    assert len({name.lower() for name in found.values()}) == len(NAMES)
    statuses = {result["status"] for result in results(graded.out)}
    assert statuses == {"graded", "invalid"}


def test_no_name_became_a_file_or_a_command(graded: Graded, workplace: Path) -> None:
    assert list(workplace.iterdir()) == []
    ids = {result["submission"]["id"] for result in results(graded.out)}
    made = {path.relative_to(graded.out).as_posix() for path in graded.out.rglob("*") if path.is_file()}
    ours = {"index.html", "grades.csv"} | {f"{kind}/{name}.{end}" for name in ids for kind, end in KINDS}
    assert {name for name in made if ".tensors-" not in name or not name.endswith(".msgpack")} == ours


KINDS = (("results", "json"), ("reports", "html"))


def test_terminals_get_words_only(graded: Graded, workplace: Path, cache: Path) -> None:
    before = {path: path.read_bytes() for path in (graded.out / "results").iterdir()}
    again = run(workplace, cache, *grade_arguments(graded.source, graded.out))
    assert b"Nothing new to grade." in again.stderr
    assert {path: path.read_bytes() for path in (graded.out / "results").iterdir()} == before
    report = run(workplace, cache, "report", graded.out)
    zipped = shutil.make_archive(str(graded.out.parent / "bad\x1b[2J\u202e\nFORGED"), "zip", graded.out / "reports")
    refused = run(workplace, cache, *grade_arguments(Path(zipped) / "x\x1b[2J", graded.out))
    wrong = run(workplace, cache, "check", "--course\x1b[2J\u202e\nFORGED")
    for output in (
        graded.said,
        graded.printed,
        again.stdout,
        again.stderr,
        report.stderr,
        refused.stderr,
        wrong.stderr,
    ):
        text = output.decode("utf-8")
        assert acting(text) == []
        assert not any(line.startswith("FORGED") for line in text.splitlines())
    assert (refused.returncode, wrong.returncode) == (2, 2)
    assert b"[red]bold[bold" in graded.printed  # as it is: no markup
    assert b"loose.dat" in graded.said or b"loose FORGED.dat" in graded.said


def test_a_coloured_terminal_gets_our_colours_only(graded: Graded, workplace: Path, cache: Path) -> None:
    mine, theirs = pty.openpty()
    command = [sys.executable, "-m", "grader.cli.main", *map(str, grade_arguments(graded.source, graded.out))]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, cwd=workplace, env=environment, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        output = b""
        try:
            while chunk := os.read(mine, 1 << 16):
                output += chunk
        except OSError:  # its way to say that the other end is closed
            pass
    os.close(mine)
    assert b"\x1b[1m" in output
    text = re.sub(r"\x1b\[[0-9;]*m", "", output.decode("utf-8")).replace("\r\n", "\n")
    assert acting(text) == []


def test_a_terminal_that_cannot_show_a_name_ends_no_run(graded: Graded, workplace: Path, cache: Path) -> None:
    ran = run(workplace, cache, *grade_arguments(graded.source, graded.out), PYTHONIOENCODING="latin-1")
    assert ran.returncode == 0, ran.stderr
    assert rb"\u05e9" in ran.stdout


def is_formula(text: str) -> bool:
    """Whether some spreadsheet may take a cell's text for a formula."""
    start = unicodedata.normalize("NFKC", text.lstrip(' "\t\r\n'))[:1]
    return start in ("=", "+", "-", "@", "\u2212")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_is_a_formula(graded: Graded, separator: str) -> None:
    content = (graded.out / "grades.csv").read_bytes().decode("utf-8")
    rows = list(csv.reader(io.StringIO(content, newline=""), delimiter=separator))
    assert not [text for row in rows for text in row if is_formula(text)]
    if separator == ",":
        assert [len(row) for row in rows] == [7] * (len(NAMES) + 1)
        assert acting("".join(text for row in rows for text in row)) == []
        assert not [text for row in rows for text in row if "\n" in text or len(text) > 2100]


def test_result_files_are_harmless_and_hold_everything(graded: Graded) -> None:
    for path in (graded.out / "results").glob("*.json"):
        content = path.read_bytes()
        assert not [character for character in content.decode("utf-8") if acts(character)]
        assert content.count(b"\n") == 1
    printed = next(result["stdout"] for result in results(graded.out) if result["stdout"])
    assert EVIL.rpartition("\n")[2] in printed


class Elements(HTMLParser):
    """Tags and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def pages(out: Path) -> list[Path]:
    """Every page of a run."""
    return [out / "index.html", *sorted((out / "reports").iterdir())]


def ours() -> tuple[set[str], set[str]]:
    """Tags and attributes that the templates write."""
    text = "".join(path.read_text("utf-8") for path in (ROOT / "reports").glob("*.j2"))
    return set(re.findall(r"<([a-z][a-z0-9]*)", text)), set(re.findall(r"\s([a-zA-Z0-9-]+)=\"", text))


def test_pages_hold_our_elements_only(graded: Graded) -> None:
    tags, attributes = ours()
    without_value = {"hidden", "open"}
    for page in pages(graded.out):
        content = page.read_bytes().decode("utf-8")
        found = Elements(content)
        assert found.tags <= tags
        assert found.attributes <= {name.lower() for name in attributes} | without_value
        assert acting(content) == []
        assert len(content) < 150_000 or page.name == "index.html"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page of a real Chromium."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.fail("No Chromium found; install one (Debian: apt install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page()
        browser.close()


def test_nothing_runs_in_a_browser(graded: Graded, page: Page) -> None:
    requests: list[str] = []
    troubles: list[str] = []

    def refuse(dialog: Dialog) -> None:
        troubles.append(dialog.message)
        dialog.dismiss()

    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", refuse)
    tags, _ = ours()
    for path in pages(graded.out):
        requests.clear()
        page.goto(path.as_uri())
        assert page.evaluate("typeof window.pwned") == "undefined"
        assert page.locator("#theirs").count() == 0
        found = page.evaluate("Array.from(document.querySelectorAll('*'), (e) => e.localName)")
        assert set(found) <= tags | {"tbody", "button"}  # sort.js makes buttons
        assert page.locator("script").count() == (path.name == "index.html")
        assert requests == [path.as_uri()]
        assert page.locator("h1").inner_text().strip()
    assert troubles == []


def test_check_of_a_hostile_folder(workplace: Path, cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work\x1b[2J\u202e"
    folder.mkdir()
    (folder / "tiny.py").write_text(CODE + "\n\nraiser(EVIL)\n", "utf-8")
    for name in ("helper\x1b[2J\nFORGED", "m\udceb", "=1+1"):
        (folder / f"{name}.py").symlink_to("/nowhere")
        (folder / f"{name}2.py").write_text("x = 1\n")
    data, report = tmp_path / "r.json", tmp_path / "r.html"
    where = ["--course", ROOT / "tests" / "course", "--json", data, "--html", report]
    ran = run(workplace, cache, "check", folder, *where)
    assert ran.returncode == 1, ran.stderr
    text = (ran.stdout + ran.stderr).decode("utf-8")
    assert acting(text) == []
    assert not any(line.startswith("FORGED") for line in text.splitlines())
    assert json.loads(data.read_bytes())["status"] == "graded"
    assert Elements(report.read_text("utf-8")).tags <= ours()[0]


TEXT = st.text(st.characters() | st.sampled_from("=+-@;\"' \t\r\n\x1b[\u202e\u0301\u2800＝"), max_size=80)


@given(TEXT)
def test_cells_are_defused_once(text: str) -> None:
    found = cell(text)
    assert not any(is_formula(part) for part in found.split(";"))
    assert cell(found) == found
    assert acting(found) == []
    assert len(found.splitlines()) <= 1


@given(TEXT)
def test_quoted_names_are_words(name: str) -> None:
    found = shown(name)
    assert acting(found) == []
    assert found or not name
    assert len(found.splitlines()) <= 1
    assert len(found) < 160


@given(st.lists(TEXT, unique=True))
def test_different_names_stay_different(names: list[str]) -> None:
    spelled = [plain_name(name) for name in names if "\\" not in name]
    assert len(set(spelled)) == len(spelled)
    "".join(spelled).encode("utf-8")


@given(TEXT)
def test_what_is_said_is_one_message(text: str) -> None:
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        say(f"grader: {text}")
    said = stream.getvalue()
    assert acting(said) == []
    assert all(line.startswith("  ") for line in said.split("\n")[1:-1])


@given(st.recursive(st.none() | st.text(st.characters(exclude_categories=["Cs"])), st.lists, max_leaves=8))
def test_escaped_json_is_the_same_data(value: object) -> None:
    content = json.dumps(value, ensure_ascii=False).encode("utf-8")
    escaped = escaped_json(content)
    assert json.loads(escaped) == value
    assert not [character for character in escaped.decode("utf-8") if acts(character)]
