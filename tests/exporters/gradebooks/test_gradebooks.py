"""Every platform's gradebook: who is found, what is written, and that nothing else changes."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import gradebook_files as books
import pytest
from gradebook_files import result
from hypothesis import given
from hypothesis import strategies as st

from grader import registry
from grader.errors import UsageProblem
from grader.exporters.gradebooks.filling import Filling, filling
from grader.exporters.gradebooks.gradebook import Gradebook, Sheet, chosen_column
from grader.exporters.gradebooks.marks import Mark, marks_of
from grader.exporters.gradebooks.matching import Matched, matched
from grader.exporters.gradebooks.table import NoTable, filled, read_table
from grader.intake.roster import roster_from
from grader.model.result import GradeResult
from grader.model.roster import Roster, RosterPerson, standing


def gradebook(platform: str) -> Gradebook:
    """The platform's, as the command finds it."""
    found: Gradebook = registry.load(registry.GRADEBOOKS[platform])
    return found


def sheet_of(platform: str, content: str | bytes) -> Sheet:
    """A gradebook, read."""
    book = gradebook(platform)
    assert book.worth is not None
    assert book.read is not None
    return book.read(read_table(content.encode() if isinstance(content, str) else content, book.worth))


def export(
    platform: str,
    content: str | bytes,
    *results: GradeResult,
    column: str | None = None,
    roster: Roster | None = None,
    title: str = "Attention",
) -> tuple[bytes, Filling, Matched]:
    """The file with marks in it, what became of the column, and who was found."""
    sheet = sheet_of(platform, content)
    marks = marks_of(results, roster, standing(roster, results))
    found = matched(sheet, marks, gradebook(platform))
    done = filling(sheet, chosen_column(sheet, column, "hw1", title), found.pairs)
    return filled(sheet.table, done.cells), done, found


def whys(found: Matched) -> dict[str, str]:
    """Who is not found, and why."""
    return {stranger.mark.student: stranger.why for stranger in found.strangers}


def test_canvas_fills_one_column() -> None:
    content, done, found = export(
        "canvas", books.CANVAS, result("12345", 87.55), result("12346", 90.0), result("12347", 50.0), result("777")
    )
    expected = books.CANVAS.replace("CS231-01,,1.5", "CS231-01,87.55,1.5").replace("80.00", "90")
    assert content.decode() == expected
    assert done.replaced == ("Ana García López (12346): 80.00 becomes 90",)
    assert [(one.who, one.why) for one in done.left] == [('"JJ" Jo Roe (12347)', "the cell says EX")]
    assert whys(found) == {"777": "nobody in the gradebook has this id"}
    assert not found.without


@pytest.mark.parametrize("student", ["12345", "s0012", "S0012", "zoneil", "ZONEIL", "Zoë O'Neil", "oneilzoë"])
def test_canvas_finds_people_by_each_key(student: str) -> None:
    content, _, _ = export("canvas", books.CANVAS, result(student, 40.0))
    assert content.decode() == books.CANVAS.replace("CS231-01,,1.5", "CS231-01,40,1.5")


@pytest.mark.parametrize("student", ["0012", "12", "012345", "s012", "5"])
def test_an_id_is_text(student: str) -> None:
    content, _, found = export("canvas", books.CANVAS, result(student, 40.0))
    assert content.decode() == books.CANVAS
    assert list(whys(found)) == [student]
    assert len(found.without) == 3


def test_canvas_with_semicolons_and_a_decimal_comma() -> None:
    content, done, _ = export(
        "canvas", books.CANVAS_SEMICOLON, result("12345", 87.5), result("12346", 37.5, max_score=100.0)
    )
    assert content.decode() == books.CANVAS_SEMICOLON.replace('"A;B";;', '"A;B";17,5;')
    assert (done.scaled_from, done.same, done.comma) == (100, 1, True)


@pytest.mark.parametrize(
    ("score", "most", "written"),
    [(0.0, "20", "0"), (33.33, "20", "6.67"), (66.67, "3", "2"), (12.5, "100", "12.5"), (0.05, "10", "0.01")],
)
def test_marks_are_scaled_exactly_and_rounded_half_up(score: float, most: str, written: str) -> None:
    book = f"Student,ID,Section,HW1 (1)\n    Points Possible,,,{most}\nZoë,1,,\n"
    assert export("canvas", book, result("1", score))[0].decode() == book.replace("Zoë,1,,", f"Zoë,1,,{written}")


@pytest.mark.parametrize("most", ["0", "0.0", "1,000", "a lot"])
def test_a_column_without_a_clear_maximum_is_refused(most: str) -> None:
    book = f'Student,ID,Section,HW1 (1)\n    Points Possible,,,"{most}"\nZoë,1,,\n'
    with pytest.raises(UsageProblem, match="cannot be filled"):
        export("canvas", book, result("1"), column="HW1")


def test_what_is_not_graded_or_is_held_stays_empty() -> None:
    roster = Roster((RosterPerson("12345", ids=("12345",)),))
    content, done, found = export("canvas", books.CANVAS, result("12345", None), result("12346", 80.0), roster=roster)
    assert content.decode() == books.CANVAS
    assert not done.cells
    assert [entry.person.student for entry in found.without] == ["12347"]
    assert [mark.why for mark, _ in found.pairs] == [
        "not graded, and not their doing",
        "held for staff: nobody of the roster has this id or name",
    ]


def test_an_invalid_submission_has_its_zero() -> None:
    content, _, _ = export("canvas", books.CANVAS, result("12345", 0.0, status="invalid", reason="empty"))
    assert content.decode() == books.CANVAS.replace("CS231-01,,1.5", "CS231-01,0,1.5")


def test_the_test_student_of_canvas_is_nobody() -> None:
    content, done, found = export("canvas", books.CANVAS, result("99", 60.0, "studenttest"))
    assert content.decode() == books.CANVAS
    assert [one.why for one in done.left] == ["it is Canvas's test student"]
    assert not found.strangers
    assert [entry.person.student for entry in found.without] == ["12345", "12346", "12347"]


def test_each_member_of_a_group_has_its_mark() -> None:
    content, _, found = export(
        "canvas", books.CANVAS, result("12345", 60.0, members=[("12345", "Zoë O'Neil"), ("12346", "Ana")])
    )
    assert content.decode() == books.CANVAS.replace("CS231-01,,1.5", "CS231-01,60,1.5").replace("80.00", "60")
    assert len(found.pairs) == 2


def test_two_results_of_one_person_are_told_and_not_written() -> None:
    content, _, found = export("canvas", books.CANVAS, result("12345", 60.0), result("zoneil", 70.0))
    assert content.decode() == books.CANVAS
    assert set(whys(found)) == {"12345", "zoneil"}
    assert "as may another submission" in whys(found)["zoneil"]


def test_an_id_of_two_rows_is_told_and_not_written() -> None:
    book = "Student,ID,SIS User ID,Section,HW1 (1)\nZoë,1,2,,\nAna,2,3,,\n"
    content, _, found = export("canvas", book, result("2"))
    assert content.decode() == book
    assert whys(found) == {"2": "may be Zoë (1) or Ana (2)"}
    twice = "Student,ID,Section,HW1 (1)\nZoë,1,,\nZoë,1,,\n"
    content, _, found = export("canvas", twice, result("1"))
    assert content.decode() == twice
    assert whys(found) == {"1": "2 rows are theirs"}


def test_a_name_of_two_is_nobodys() -> None:
    book = 'Student,ID,Section,HW1 (1)\n"Chen, Wei",1,,\n"Chen, Wei",2,,\n'
    content, _, found = export("canvas", book, result("Wei Chen"))
    assert content.decode() == book
    assert list(whys(found)) == ["Wei Chen"]


def test_a_name_gives_way_to_an_id() -> None:
    content, _, found = export("canvas", books.CANVAS, result("12345", 60.0), result("Zoë O'Neil", 70.0))
    assert content.decode() == books.CANVAS.replace("CS231-01,,1.5", "CS231-01,60,1.5")
    assert list(whys(found)) == ["Zoë O'Neil"]


@pytest.mark.parametrize("lang", list(books.MOODLE))
def test_the_moodle_worksheet_in_many_languages(lang: str) -> None:
    book = books.moodle(lang)
    names = ["Zoë ONeil_29123_assignsubmission_file/"]
    content, done, found = export(
        "moodle",
        book,
        result("29123", 87.5, "Zoë ONeil", handed_in_as=names),
        result("29124", 70.0, "Wei Chen", handed_in_as=["Wei Chen_29124_assignsubmission_file_/"]),
        result("29126", 70.0, "Jo Roe", handed_in_as=["Jo Roe_29126_assignsubmission_file_/"]),
    )
    mark = "87.5" if lang == "en" else '"87,5"'
    assert [(one.why) for one in done.left] == (
        ["Moodle says that this grade cannot be changed"] if lang != "unknown" else []
    )
    lines = book.splitlines()
    expected = [lines[0], re.sub(r'"Submitted",,', f'"Submitted",{mark},', lines[1]), *lines[2:]]
    if lang == "unknown":
        expected[2] = expected[2].replace('"Submitted",,', '"Submitted",70,')
    assert content.decode().splitlines() == expected
    assert list(whys(found)) == ["29126"]
    assert len(found.without) == 1


def test_an_unknown_language_is_said() -> None:
    assert "the column Pont was taken for the grade" in sheet_of("moodle", books.moodle("unknown")).notes[0]
    assert not sheet_of("moodle", books.moodle("de")).notes


def test_a_team_of_moodle_is_no_participant() -> None:
    names = ["Team 7_29123_assignsubmission_file/"]
    content, _, found = export("moodle", books.moodle("en"), result("29123", 70.0, "Team 7", handed_in_as=names))
    assert content.decode() == books.moodle("en")
    assert whys(found)["29123"] == "Participant 29123 is Zoë O'Neil in the gradebook, but Team 7 in the download"


def test_a_number_is_a_participant_only_in_a_download_of_moodle() -> None:
    content, _, _ = export("moodle", books.moodle("en"), result("29123", 70.0))
    assert content.decode() == books.moodle("en")


def test_moodle_participants_of_a_roster() -> None:
    roster = roster_from(books.moodle("en").encode())
    content, _, _ = export("moodle", books.moodle("en"), result("Participant 29123", 70.0), roster=roster)
    assert content.decode() == books.moodle("en").replace('"Submitted",,', '"Submitted",70,', 1)


def test_a_scale_is_not_filled() -> None:
    book = books.moodle("en").replace('"Maximum grade"', "Scale").replace('"100.00"', '"Good, Bad"')
    with pytest.raises(UsageProblem, match="graded by a scale"):
        export("moodle", book, result("1"), column="Grade")


def test_the_grades_of_a_course_of_moodle() -> None:
    content, done, _ = export("moodle", books.MOODLE_GRADES, result("0012", 70.0), result("ana@example.edu", 80.0))
    assert content.decode() == books.MOODLE_GRADES.replace("edu,-,,", "edu,70,,")
    assert done.same == 1


def test_blackboard_in_utf_16_with_tabs() -> None:
    content, done, _ = export("blackboard", books.BLACKBOARD, result("zoneil", 75.0), result("0013", 51.0))
    text = books.BLACKBOARD[2:].decode("utf-16-le")
    expected = text.replace('"Yes"\t""\t""', '"Yes"\t""\t"37.5"').replace("Needs Marking", "25.5")
    assert content == books.BLACKBOARD[:2] + expected.encode("utf-16-le")
    assert done.scaled_from == 100
    with pytest.raises(UsageProblem, match=r"Weighted Total \(101\) cannot be filled: it holds no plain score"):
        export("blackboard", books.BLACKBOARD, column="101")


def test_brightspace_with_its_signs() -> None:
    content, done, _ = export("brightspace", books.BRIGHTSPACE, result("s0012", 75.0), result("agarcia", 80.0))
    assert content.decode() == books.BRIGHTSPACE.replace("Zoë,,,#", "Zoë,75,,#")
    assert done.same == 1
    with pytest.raises(UsageProblem, match="takes no points"):
        export("brightspace", books.BRIGHTSPACE, column="HW1 note Text Grade")


def test_gradescope_by_sid_and_address() -> None:
    content, done, _ = export("gradescope", books.GRADESCOPE, result("0012", 75.0), result("ANA@example.edu", 75.0))
    assert content.decode() == books.GRADESCOPE.replace("edu,,,40.0", "edu,,30,40.0")
    assert done.same == 1


def test_others_find_nobody_by_a_name() -> None:
    content, _, found = export("brightspace", books.BRIGHTSPACE, result("Zoë O'Neil", 75.0))
    assert content.decode() == books.BRIGHTSPACE
    assert whys(found)["Zoë O'Neil"] == "no id of theirs is in the gradebook; by the name it may be Zoë O'Neil"


@pytest.mark.parametrize(
    ("titles", "wanted", "place"),
    [
        (["HW1 (1)", "HW2 (2)"], None, 3),
        (["HW2 (2)", "Attention (1)"], None, 4),
        (["Week 3: Attention (2)", "Attention quiz (1)"], None, 3),
        (["Week 3 - attention (2)"], None, 3),
        (["HW2 (2)", "Lab (1)"], "Lab", 4),
        (["HW2 (2)", "HW1 (1)"], "2", 3),
        (["HW2 (2)", "HW1 (1)"], "HW2 (2)", 3),
        (["HW2 (2)", "HW1 (1)"], "hw2", 3),
        (["Week 3: Attention (2)", "HW1 (1)"], "Attention", 3),
    ],
)
def test_the_column(titles: list[str], wanted: str | None, place: int) -> None:
    sheet = sheet_of("canvas", f"Student,ID,Section,{','.join(titles)}\nZoë,1,,,\n")
    assert chosen_column(sheet, wanted, "hw1", "Attention").index == place


@pytest.mark.parametrize(
    ("platform", "book", "heading"),
    [
        ("blackboard", "Username,HW1 [Total Pts: 100 Score] |12345\nzoe,\n", "HW1 [Total Pts: 100 Score] |12345"),
        ("brightspace", "Username,HW1 Points Grade,End-of-Line Indicator\n#zoe,,#\n", "HW1 Points Grade"),
        ("moodle", "Email address,Assignment: HW1 (Real)\nzoe@example.edu,\n", "HW1"),
    ],
)
def test_the_column_by_its_whole_heading_or_a_part(platform: str, book: str, heading: str) -> None:
    assert chosen_column(sheet_of(platform, book), heading, "attention", "Attention").index == 1


@pytest.mark.parametrize(
    ("titles", "wanted", "sentence"),
    [
        (
            "HW2 (2),Attention quiz (1)",
            None,
            "No column is called hw1 or Attention. Say --column .* HW2 .2., Attention",
        ),
        ("HW1 (2),Attention (1)", None, "More than one column"),
        ("HW1 (2),HW1 (1)", "HW1", "More than one column is called HW1"),
        ("HW1 (2)", "HW3", "No column is called HW3"),
        ("HW1", "HW1", "HW1 cannot be filled: its heading has no id"),
        ("Final Score", "Final Score", "cannot be filled: Canvas computes it itself"),
    ],
)
def test_a_column_that_is_not_clear_is_refused(titles: str, wanted: str | None, sentence: str) -> None:
    points = ",(read only)" if titles == "Final Score" else ","
    sheet = sheet_of("canvas", f"Student,ID,Section,{titles}\n    Points Possible,,{points},\nZoë,1,,,\n")
    with pytest.raises(UsageProblem, match=sentence):
        chosen_column(sheet, wanted, "hw1", "Attention")


@pytest.mark.parametrize("platform", [name for name in registry.GRADEBOOKS if name != "csv"])
def test_what_is_no_gradebook_is_refused(platform: str) -> None:
    with pytest.raises(NoTable):
        sheet_of(platform, "a,b\n1,2\n")


FILES: dict[str, tuple[str, str | bytes, str]] = {
    "canvas": ("canvas", books.CANVAS, "12345"),
    "semicolons": ("canvas", books.CANVAS_SEMICOLON, "12345"),
    "moodle": ("moodle", books.MOODLE_GRADES, "0012"),
    "blackboard": ("blackboard", books.BLACKBOARD, "0012"),
    "brightspace": ("brightspace", books.BRIGHTSPACE, "s0012"),
    "gradescope": ("gradescope", books.GRADESCOPE, "0012"),
}


@pytest.mark.parametrize("case", list(FILES))
def test_a_filled_file_is_still_what_it_was(case: str) -> None:
    """It names the same people to `grade --roster`, and only the one cell is another to Python's csv."""
    platform, before, student = FILES[case]
    raw = before.encode() if isinstance(before, str) else before
    after, done, _ = export(platform, raw, result(student, 45.0))
    assert after != raw
    assert roster_from(after) == roster_from(raw)
    changed = [
        (old, new)
        for row_old, row_new in zip(rows(raw, case), rows(after, case), strict=True)
        for old, new in zip(row_old, row_new, strict=True)
        if old != new
    ]
    assert changed == [("", *done.cells.values())] or changed == [("-", *done.cells.values())]


def rows(content: bytes, case: str) -> list[list[str]]:
    """The table as Python reads it."""
    encoding, separator = {"blackboard": ("utf-16", "\t"), "semicolons": ("utf-8-sig", ";")}.get(case, ("utf-8", ","))
    return list(csv.reader(io.StringIO(content.decode(encoding), newline=""), delimiter=separator))


def table(platform: str, *results: GradeResult, roster: Roster | None = None) -> list[list[str]]:
    """A file without a gradebook, as Python reads it."""
    write = gradebook(platform).table
    assert write is not None
    text = write(marks_of(results, roster, standing(roster, results)), "Attention")
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_plain_table() -> None:
    members = [("0012", "=Zoë"), ("0013", "Ana")]
    found = table(
        "csv", result("0012", 87.5, members=members), result("a@b.edu", None), result("x", 0, status="invalid")
    )
    assert found == [
        ["student", "name", "email", "score", "max_score", "status", "late"],
        ["0012", "'=Zoë", "", "87.5", "100", "graded", ""],
        ["0013", "Ana", "", "87.5", "100", "graded", ""],
        ["a@b.edu", "", "a@b.edu", "", "100", "ungraded", ""],
        ["x", "", "", "0", "100", "invalid", ""],
    ]


def test_an_import_file_for_brightspace() -> None:
    roster = roster_from(books.BRIGHTSPACE.encode())
    expected = [
        ["OrgDefinedId", "Username", "Attention Points Grade", "End-of-Line Indicator"],
        ["#s0012", "#zoneil", "75", "#"],
    ]
    assert table("brightspace", result("s0012", 75.0), result("s0013", None), roster=roster) == expected
    of_download: Any = {"handed_in_as": ["12345-67890 - Zoë O'Neil - Nov 29, 2026 1014 AM/"]}
    with pytest.raises(UsageProblem, match="--roster"):
        table("brightspace", result("12345", 75.0, **of_download))


def test_an_import_file_for_moodle() -> None:
    assert table("moodle", result("0012", 75.0), result("x@y.edu", 5.0), result("0014", None)) == [
        ["idnumber", "email", "Attention"],
        ["0012", "", "75"],
        ["", "x@y.edu", "5"],
    ]
    roster = roster_from(books.moodle("en").encode())
    named: Any = {"handed_in_as": ["Zoë ONeil_29123_assignsubmission_file/"]}
    assert table("moodle", result("Participant 29123", 75.0, **named), roster=roster) == [
        ["email", "Attention"],
        ["zoe@example.edu", "75"],
    ]
    with pytest.raises(UsageProblem, match="grading worksheet"):
        table("moodle", result("29123", 75.0, **named))


@pytest.mark.parametrize(
    ("platform", "names", "place"),
    [
        ("canvas", ["oneilzoe_LATE_12345_987655_hw1-2.py"], "oneilzoe_LATE_12345_987655_report.html"),
        ("canvas", ["LATE_anon_aB3xZ_987663_hw1.py"], "LATE_anon_aB3xZ_987663_report.html"),
        ("canvas", ["oneilzoe_LATE_12345_text.html"], None),
        ("canvas", ["oneil_12345_link.html", "oneil_12345_987_a_1_2_b.py"], "oneil_12345_987_report.html"),
        ("moodle", ["Zoë ONeil_29123_assignsubmission_file/"], "Zoë ONeil_29123_assignsubmission_file/report.html"),
        ("moodle", ["Zoë_1_assignsubmission_file_/"], "Zoë_1_assignsubmission_file_/report.html"),
        ("moodle", ["Zoë_1_assignsubmission_file_hw1.py"], "Zoë_1_assignsubmission_file_report.html"),
        (
            "moodle",
            ["Zoë_1_assignsubmission_a/", "Zoë_1_assignsubmission_file/"],
            "Zoë_1_assignsubmission_file/report.html",
        ),
        ("moodle", ["Default group_assignsubmission_file/"], None),
        ("brightspace", ["12-34 - Zoë - Nov 29, 2026 1014 AM/"], "12-34 - Zoë - Nov 29, 2026 1014 AM/report.html"),
        (
            "brightspace",
            ["12-34 - N01 - Zoë- Nov 29, 2026 1014 AM - hw1.py"],
            "12-34 - N01 - Zoë- Nov 29, 2026 1014 AM - report.html",
        ),
        ("brightspace", ["zoe/"], None),
    ],
)
def test_where_a_report_goes(platform: str, names: list[str], place: str | None) -> None:
    feedback = gradebook(platform).feedback
    assert feedback is not None
    assert feedback(names) == place


def test_every_gradebook_says_what_it_does_not_do() -> None:
    for name in registry.GRADEBOOKS:
        book = gradebook(name)
        assert (book.table is None) == bool(book.no_table), name
        assert (book.feedback is None) == bool(book.no_feedback), name
        assert (book.read is None) == (book.worth is None), name


def test_marks_know_their_people() -> None:
    mark = marks_of([result("1")], Roster((RosterPerson("1", "O'Neil, Zoë", ("1", "2"), ("z",), ("z@x",)),)), None)[0]
    assert isinstance(mark, Mark)
    assert mark.keys == ("1", "1", "2", "z", "z@x")
    assert mark.called == "Zoë O'Neil (1)"


def test_the_documentation_has_every_platform() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gradebooks.md").read_text("utf-8")
    for name in registry.GRADEBOOKS:
        assert f"| `{name}` |" in page
        assert f"\n## {gradebook(name).title}\n" in page


@given(
    st.lists(st.tuples(*[st.text(st.sampled_from('ab,;\t"\r\n =#ä💡'), max_size=6)] * 3), min_size=1, max_size=5),
    st.sampled_from(["\r\n", "\n"]),
    st.integers(0, 10_000),
)
def test_whatever_people_are_called_only_their_cells_change(
    people: list[tuple[str, str, str]], line_end: str, cents: int
) -> None:
    out = io.StringIO()
    write = csv.writer(out, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerow
    write(["Student", "ID", "Section", "HW1 (1)", "HW2 (2)"])
    write(["    Points Possible", "", "", "100", "100"])
    for number, (name, section, other) in enumerate(people, 1):
        write([name, f"00{number}", section, "", other])
    before = out.getvalue()
    results = [result(f"00{number}", cents / 100) for number in range(1, len(people) + 1)]
    content, done, _ = export("canvas", before, *results)
    assert len(done.cells) == len(people)
    (mark,) = set(done.cells.values())
    assert float(mark) == cents / 100
    after = content.decode()
    assert after.count(f'"{mark}"') >= len(people)
    read = list(csv.reader(io.StringIO(after, newline="")))
    for row, (old, new) in enumerate(zip(csv.reader(io.StringIO(before, newline="")), read, strict=True)):
        assert new == (old if row < 2 else [*old[:3], mark, old[4]])
    assert len(after) == len(before) + len(mark) * len(people)
