"""`grader export`: from a download, graded, into the gradebook that the platform exported, and the reports back."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import gradebook_files as books
import msgspec
import pytest
from downloads import as_zip
from gradebook_files import result

from grader.model.result import CheckResult, GradeResult
from grader.store import Run

RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
WRONG = RIGHT.replace("2 * x", "x * x")
CANARY = "canary-of-a-hidden-check"
Command = Callable[..., subprocess.CompletedProcess[str]]


def run_of(folder: Path, *results: GradeResult) -> Path:
    """A run with these results."""
    run = Run(folder)
    run.prepare()
    for one in results:
        run.save(one)
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run of two people of Canvas's gradebook."""
    return run_of(tmp_path / "out", result("12345", 87.5), result("12346", 80.0))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Canvas's gradebook."""
    path = tmp_path / "grades.csv"
    path.write_text(books.CANVAS, "utf-8")
    return path


CANVAS = {
    "oneilzoe_12345_987654_tiny.py": RIGHT,
    "garcíalópezana_LATE_12346_987660_tiny-2.py": WRONG,
    "chenwei_1001_987662_tiny.py": "",
    "studenttest_99_987663_tiny.py": RIGHT,
}
CANVAS_BOOK = (
    "\ufeffStudent;ID;SIS User ID;SIS Login ID;Section;tiny (4711);Other (4712)\r\n"
    "    Points Possible;;;;;20,00;10,00\r\n"
    '"O\'Neil, Zoë";12345;0017;zoneil;CS-1;;1,50\r\n'
    '"García López, Ana";12346;0018;agarcia;CS-1;;\r\n'
    '"Chen, Wei";1001;0021;wchen;CS-1;;\r\n'
    '"Chen, Wei";1002;0022;wchen2;CS-1;;\r\n'
    '"Student, Test";99;;ab12;CS-1;;'
)


def test_a_download_of_canvas_and_back(grader: Command, tiny_course: Path, tmp_path: Path) -> None:
    source, out, book = as_zip(tmp_path / "submissions.zip", CANVAS), tmp_path / "out", tmp_path / "book.csv"
    book.write_bytes(CANVAS_BOOK.encode())
    ran = grader("grade", source, "--assignment", "tiny", "--out", out, "--course", tiny_course)
    assert ran.returncode == 0, ran.stderr
    ran = grader(
        *("export", out, "--to", "canvas", "--into", book, "--feedback", tmp_path / "back.zip"),
        *("--course", tiny_course, "--lang", "de"),
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [str(tmp_path / "book.filled.csv"), str(tmp_path / "back.zip")]
    filled = CANVAS_BOOK.replace("CS-1;;1,50", "CS-1;20;1,50").replace("agarcia;CS-1;;", "agarcia;CS-1;6;")
    assert (tmp_path / "book.filled.csv").read_bytes() == filled.replace("wchen;CS-1;;", "wchen;CS-1;0;").encode()
    assert book.read_bytes() == CANVAS_BOOK.encode()
    for line in (
        "Column tiny (4711), of 20 points: 3 filled, 0 said so already, 0 replaced.",
        "Marks were scaled: 100 points of the assignment are 20 of the column.",
        "Left as they are (1):\n  Test Student (99): it is Canvas's test student",
        "In the gradebook, without a submission (1):\n  Wei Chen (1002)",
        "0 points, since nothing in it could be graded (1):\n  chenwei (1001)",
    ):
        assert line in ran.stderr
    with zipfile.ZipFile(tmp_path / "back.zip") as archive:
        assert archive.namelist() == [
            "chenwei_1001_987662_report.html",
            "garcíalópezana_LATE_12346_987660_report.html",
            "oneilzoe_12345_987654_report.html",
            "studenttest_99_987663_report.html",
        ]
        assert '<html lang="de"' in archive.read("oneilzoe_12345_987654_report.html").decode("utf-8")


MOODLE = {
    "Zoë ONeil_29123_assignsubmission_file/tiny.py": RIGHT,
    "Wei Chen_29125_assignsubmission_file_/tiny.py": WRONG,
    "Team 7_29124_assignsubmission_file/tiny.py": RIGHT,
}


def test_a_download_of_moodle_and_back(grader: Command, tiny_course: Path, tmp_path: Path) -> None:
    source, out, book = as_zip(tmp_path / "hw.zip", MOODLE), tmp_path / "out", tmp_path / "Bewertungen.csv"
    book.write_text(books.moodle("de"), "utf-8")
    ran = grader("grade", source, "--assignment", "tiny", "--out", out, "--course", tiny_course)
    assert ran.returncode == 0, ran.stderr
    arguments = ("export", out, "--to", "moodle", "--into", book, "--comments", "--course", tiny_course)
    ran = grader(*arguments, "--feedback", tmp_path / "back.zip", "--lang", "de")
    assert ran.returncode == 0, ran.stderr
    first, last = '"Submitted",,"100,00",Ja,"Sunday, 29 November",-,', '"Submitted",,"100,00",Ja,-,-,'
    text = books.moodle("de")
    text = text.replace(first, first.replace(",,", ",100,") + "100 von 100 Punkten. 3 von 3 Prüfungen bestanden.")
    missing = "1 von 3 Prüfungen bestanden. Noch nicht:"
    written = (tmp_path / "Bewertungen.filled.csv").read_text("utf-8")
    start, _, end = text.partition(last)
    assert written.startswith(start + last.replace(",,", ",30,"))
    assert written.endswith(end)
    assert missing in written
    assert "Team 7 (29124): Participant 29124 is Wei Chen in the gradebook, but Team 7 in the download" in ran.stderr
    with zipfile.ZipFile(tmp_path / "back.zip") as archive:
        assert archive.namelist() == [
            "Wei Chen_29125_assignsubmission_file_/report.html",
            "Zoë ONeil_29123_assignsubmission_file/report.html",
        ]


def test_strict_writes_nothing(grader: Command, out: Path, book: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    ran = grader("export", out, "--to", "canvas", "--into", book, "--strict", "--feedback", tmp_path / "back.zip")
    assert ran.returncode == 2
    assert "In the gradebook, without a submission (1):" in ran.stderr
    assert "grader: --strict: not everybody is on both sides with a mark; nothing was written." in ran.stderr
    assert (ran.stdout, sorted(tmp_path.rglob("*"))) == ("", before)


def test_a_gradebook_of_other_people_is_refused(grader: Command, book: Path, tmp_path: Path) -> None:
    others = run_of(tmp_path / "others", result("555", 100.0), result("556", 1.0))
    ran = grader("export", others, "--to", "canvas", "--into", book)
    assert ran.returncode == 2
    assert "grader: Nobody of this run is in the gradebook, by the ids above; nothing was written." in ran.stderr
    assert [path.name for path in tmp_path.glob("*.csv")] == ["grades.csv"]


def test_strict_writes_where_all_is_well(grader: Command, book: Path, tmp_path: Path) -> None:
    everybody = run_of(tmp_path / "all", result("12345", 87.5), result("12346", 80.0), result("12347", 1.0))
    ran = grader("export", everybody, "--to", "canvas", "--into", book, "--strict", "--out", book)
    assert ran.returncode == 0, ran.stderr
    assert book.read_text("utf-8") == books.CANVAS.replace("CS231-01,,1.5", "CS231-01,87.5,1.5")
    run_of(tmp_path / "all", result("12346", None))
    ran = grader("export", tmp_path / "all", "--to", "csv", "--strict")
    assert (ran.returncode, ran.stdout) == (2, "")


def test_a_plain_table_goes_to_standard_output(grader: Command, out: Path) -> None:
    ran = grader("export", out, "--to", "csv")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[1] == "12345,,,87.5,100,graded,"


def test_a_result_that_cannot_be_read_is_told(grader: Command, out: Path) -> None:
    (out / "results" / "broken.json").write_text("{")
    ran = grader("export", out, "--to", "csv", "--out", out / "table.csv")
    assert ran.returncode == 0
    assert "Results that cannot be read, grade them again (1):\n  broken" in ran.stderr
    assert (out / "table.csv").read_bytes().count(b"\r\n") == 3


def test_reports_hold_what_students_may_see_and_nothing_else(grader: Command, book: Path, tmp_path: Path) -> None:
    hidden = CheckResult("t", "Rows sum to 1", "g", "failed", "student", 0, 10, "hidden", feedback=CANARY)
    secret = result("12345", 50.0, handed_in_as=["oneilzoe_12345_987654_hw1.py"], staff_notices=[CANARY], stdout=CANARY)
    nobody = result("12346", None, handed_in_as=["ana_12346_987655_hw1.py"])
    folder = run_of(tmp_path / "out", msgspec.structs.replace(secret, checks=[hidden]), nobody)
    ran = grader("export", folder, "--to", "canvas", "--into", book, "--feedback", tmp_path / "back.zip")
    assert ran.returncode == 0, ran.stderr
    with zipfile.ZipFile(tmp_path / "back.zip") as archive:
        assert archive.namelist() == ["oneilzoe_12345_987654_report.html"]
        html = archive.read("oneilzoe_12345_987654_report.html").decode("utf-8")
    assert "Rows sum to 1" in html
    assert CANARY not in html
    assert CANARY not in (tmp_path / "grades.filled.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["canvas"], "Canvas makes a new assignment of every column that it does not know by its id; export"),
        (["blackboard"], "Blackboard makes a new text column of a heading without its id; download the grades"),
        (["gradescope"], "Gradescope documents no import of grades; --into FILE fills the table"),
        (["csv", "--into", "BOOK"], "CSV has no gradebook to fill; leave out --into."),
        (["csv", "--column", "HW1"], "--column and --comments tell what to fill in the file of --into"),
        (["csv", "--feedback", "x.zip"], "--feedback: A plain table has no layout for reports"),
        (["brightspace", "--into", "BOOK"], "is no gradebook of Brightspace: it has no column OrgDefinedId"),
        (
            ["canvas", "--into", "BOOK", "--column", "HW9"],
            "No column is called HW9. Say --column with a title or an id",
        ),
        (["canvas", "--into", "BOOK", "--comments"], "has no column of comments"),
        (["canvas", "--into", "none.csv"], "none.csv cannot be read: No such file or directory."),
        (["canvas", "--into", "BOOK", "--out", "no/such/place.csv"], "place.csv cannot be written"),
        (["canvas", "--into", "BOOK", "--feedback", "BOOK"], "is another file of this command; name another."),
        (["canvas", "--feedback", "x.zip"], "no submission has a name of a Canvas download"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    grader: Command, out: Path, book: Path, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    ran = grader("export", out, "--to", *[str(book) if one == "BOOK" else one for one in arguments], cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert sentence in ran.stderr
    assert "Traceback" not in ran.stderr
    assert sorted(tmp_path.rglob("*")) == before
    assert book.read_text("utf-8") == books.CANVAS


def test_a_folder_that_is_no_run(grader: Command, tmp_path: Path) -> None:
    ran = grader("export", tmp_path, "--to", "csv")
    assert ran.returncode == 2
    assert "holds no run" in ran.stderr
