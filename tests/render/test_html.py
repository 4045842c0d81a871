"""The two pages as text: what they say, what they must not hold, and that no text of a student can act in them."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jinja2 import UndefinedError

from grader.model.cohort import cohort_view
from grader.model.result import Diagnosis, Printed
from grader.model.view import student_view
from grader.render.html import MAX_REPORT_BYTES, cohort_html, csp_hash, student_html

HOSTILE = [
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=1</script>",
    "</style><script>window.pwned=1</script>",
    "</pre></title><img src=x onerror=window.pwned=1>",
    "\" onmouseover=\"window.pwned=1\" x='",
    "' autofocus onfocus='window.pwned=1",
    "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe><svg onload=window.pwned=1>",
    "<!--", "-->", "<![CDATA[", "]]>", "&lt;script&gt;", "&#x3c;script>", "<base href=https://example.org/>",
    "<meta http-equiv=refresh content=0;url=https://example.org/>",
    "{{ 7*7 }}", "{% include 'student.html.j2' %}", "${7*7}", "{{ view.__class__ }}",
    "javascript:window.pwned=1", "../../index", "Ali\u202eecilA", "\u2066x\u2069y\u200b", "\x1b[31mred\x00\x9b31m",
    "\ud83d half", "x" * 70_000, "漢" * 5_000, "`<b>`", "a\u0300\u0301" * 2_000,
]  # fmt: skip


class Outline(HTMLParser):
    """Elements, headings, ids and the text of a page, and whether its elements nest."""

    VOID = frozenset({"meta", "input", "link", "br", "hr", "img", "rect", "line"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.levels: list[int] = []
        self.text = ""
        self.raw: dict[str, str] = {}
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag not in ("a", "b", "code", "small", "span", "strong"):
            self.text += " "

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data
        else:
            self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


def words(page: str) -> str:
    """What a page says, on one line."""
    return " ".join(Outline(page).text.split())


@pytest.fixture
def pages(templates: tuple[Path, ...], make_result: Any, make_class: Any) -> list[str]:
    """A student's report and a class page."""
    return [
        student_html(student_view(make_result()), templates),
        cohort_html(cohort_view(make_class(30)), templates),
    ]


def test_csp_allows_what_is_inlined_and_nothing_else(pages: list[str]) -> None:
    for page, script in zip(pages, (False, True), strict=True):
        outline = Outline(page)
        policy = next(value for value in outline.values("content") if value.startswith("default-src"))
        allowed = f"'{csp_hash(outline.raw['script'])}'" if script else "'none'"
        assert policy == (
            f"default-src 'none'; style-src '{csp_hash(outline.raw['style'])}'; script-src {allowed}; "
            "base-uri 'none'; form-action 'none'"
        )
        assert page.count("<script") == script
        assert page.index("Content-Security-Policy") < page.index("<style")


def test_nothing_is_asked_from_elsewhere(pages: list[str]) -> None:
    for page in pages:
        assert "//" not in re.sub(r"^// .*$", "", page, flags=re.MULTILINE)
        assert not re.search(r"url\(|@import|\bsrc=|srcset|<link|<img|<iframe", page)
        assert not re.search(r'\sstyle="|\son\w+="', page)
        targets = [value for _, name, value in Outline(page).attributes if name == "href"]
        assert all(re.fullmatch(r"#[\w-]+|reports/[\w.%-]+\.html", target) for target in targets)


def test_pages_are_well_formed(pages: list[str]) -> None:
    for page in pages:
        outline = Outline(page)
        assert outline.levels[0] == 1
        assert outline.levels.count(1) == 1
        assert all(after <= before + 1 for before, after in zip(outline.levels, outline.levels[1:], strict=False))
        ids = outline.values("id")
        assert len(ids) == len(set(ids))
        fragments = {value[1:] for value in outline.values("href") if value.startswith("#")}
        assert fragments <= set(ids)
        assert '<html lang="en">' in page
        assert page.count("<main") == page.count("<title>") == 1


def test_report_reads_in_order(templates: tuple[Path, ...], make_result: Any) -> None:
    page = words(student_html(student_view(make_result()), templates))
    order = [
        "Wei Chen",
        "47.5 of 100 points 5 of 10 checks passed. 1 was not run, because what it builds on did not pass.",
        "There is a note on this submission below.",
        "What probably happened",
        "You hide the rows",
        "You divide the scores by √hidden",
        "Checks",
        "Visibility",
        "10 of 20 points",
        "Padding queries keep their rows",
        "Not right yet · 0 of 10 points · hidden check",
        "The result is not what the assignment asks for.",
        "Hint. Compare the shape",
        "Passed · 2 checks",
        "Weights",
        "7.5 of 20 points",
        "first difference at [0, 0, 1]",
        "Your code raised ZeroDivisionError at attention.py, line 41.",
        "What your code printed",
        "epoch 1: loss 0.6931",
        "Please note",
        "attention (1).py",
        "How this was graded",
        "3d" * 32,
        "Python 3.11.7",
        "A1",
    ]
    place = 0
    for text in order:
        place = page.index(text, place)
    assert page.count("You divide the scores") == page.count("You hide the rows") == 1


def test_what_is_hidden_is_absent(templates: tuple[Path, ...], make_result: Any) -> None:
    result = make_result()
    assert b"SECRET" in msgspec.json.encode(result)
    assert "SECRET" not in student_html(student_view(result), templates)


def test_invalid_says_why(templates: tuple[Path, ...], make_result: Any) -> None:
    result = make_result(status="invalid", reason="No file attention.py was handed in.", score=0, checks=[])
    page = words(student_html(student_view(result), templates))
    assert "0 of 100 points No check could start. No file attention.py was handed in." in page


LATE = (
    "Handed in 1 day, 3 hours after the deadline (1 Dec 2026, 23:59 PST): 20 points off 47.5 "
    "(10 for each day begun, at most 50)."
)


def test_lateness_has_a_line_of_its_own(templates: tuple[Path, ...], make_timed: Any) -> None:
    page = words(student_html(student_view(make_timed("2026-12-03T10:59:00Z")), templates))
    assert "27.5 of 100 points 5 of 10 checks passed." in page
    assert "20 points were taken off for lateness: How this was graded" in page
    assert f"How this was graded {LATE} Submission s1001 Handed in" in page
    assert "Handed in 2026-12-03 02:59:00-08:00 Due 2026-12-01 23:59:00-08:00 File graded" in page


@pytest.mark.parametrize("status", ["invalid", "ungraded"])
def test_lateness_of_work_without_points(templates: tuple[Path, ...], make_timed: Any, status: str) -> None:
    score, said = {"invalid": (0, "there are no points to deduct."), "ungraded": (None, "when it is graded.")}[status]
    result = make_timed("2026-12-03T10:59:00Z", status=status, score=score, reason="R.", checks=[])
    page = words(student_html(student_view(result), templates))
    assert re.search(rf"Handed in 1 day, 3 hours after the deadline \(1 Dec 2026, 23:59 PST\); [^.]*{said}", page)


def test_work_on_time_says_so(templates: tuple[Path, ...], make_timed: Any) -> None:
    page = words(student_html(student_view(make_timed("2026-12-01T23:00-08:00")), templates))
    assert "Handed in on time; the deadline was 1 Dec 2026, 23:59 PST. Submission" in page
    assert "taken off" not in page


def test_without_a_deadline_or_a_time_nothing_is_said(
    templates: tuple[Path, ...], make_timed: Any, make_result: Any
) -> None:
    for result in (make_timed(None, True), make_result()):
        page = words(student_html(student_view(result), templates))
        assert "Handed in" not in page
        assert "47.5 of 100 points" in page


def test_class_page_tells_who_is_late(templates: tuple[Path, ...], make_timed: Any, make_result: Any) -> None:
    late, kept = make_timed("2026-12-03T10:59:00Z", False), make_timed("2026-12-01T10:59:00Z")
    html = cohort_html(cohort_view([late, kept, make_timed(None, True)]), templates)
    page = words(html)
    assert "Status Score Late Checks passed" in page
    assert f"27.50 yes {LATE} The LMS says on time, but by assignment.toml it is late: handed in 3 Dec" in page
    assert "47.50 no 5 of 10" in page
    assert "unknown The time of handing in is unknown, so nothing was deducted. The LMS says late." in page
    assert Outline(html).values("data-late") == ["yes", "no", "unknown"]
    assert "Late" not in words(cohort_html(cohort_view([make_result()]), templates))


def test_no_score_is_never_zero(templates: tuple[Path, ...], make_result: Any) -> None:
    result = make_result(status="ungraded", reason="SECRET: the disk is full.", score=None)
    report = words(student_html(student_view(result), templates))
    assert "No score yet Grading could not be completed, and this is not your doing." in report
    assert not re.search(r"[\d.]+ of [\d.]+ points", report)
    assert "SECRET" not in report
    page = cohort_html(cohort_view([result]), templates)
    assert '<td class="n none" data-sort="">no score</td>' in page
    assert "SECRET: the disk is full." in page
    assert "0.00" not in page
    assert "There is no score yet" in page


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_of_students_cannot_act(
    text: str, templates: tuple[Path, ...], make_result: Any, make_submission: Any
) -> None:
    plain, hostile = make_result(), make_result(
        submission=make_submission(text, text, text),
        reason=text,
        notices=[text],
        printed_for_student=Printed(text, text),
        checks=[msgspec.structs.replace(check, feedback=text) for check in make_result().checks],
    )  # fmt: skip
    with_reason = msgspec.structs.replace(plain, reason="A reason.", printed_for_student=Printed("a", "b"))
    for page, harmless in (
        (student_html(student_view(hostile), templates), student_html(student_view(with_reason), templates)),
        (cohort_html(cohort_view([hostile]), templates), cohort_html(cohort_view([with_reason]), templates)),
    ):
        tags = re.findall(r"<[/!?]?[a-z-]+", re.sub(r"(?s)<script>.*</script>", "", page))
        plain_tags = re.findall(r"<[/!?]?[a-z-]+", re.sub(r"(?s)<script>.*</script>", "", harmless))
        optional = {"<p", "</p", "<pre", "</pre", "<small", "</small", "<code", "</code"}
        assert set(tags) - optional == set(plain_tags) - optional
        assert {name for _, name, _ in Outline(page).attributes} <= {n for _, n, _ in Outline(harmless).attributes}
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", page)
        page.encode("utf-8")
        if "7*7" in text:
            assert text in unescape(page)


def test_text_of_the_author_is_escaped_too(templates: tuple[Path, ...], make_result: Any, make_check: Any) -> None:
    diagnosis = Diagnosis("<b>", "Use `<u>` and <i>never</i> `odd")
    check = make_check(1, "<s>", "Is `a < b`?", status="failed", diagnosis=diagnosis, hint="`x`<q>")
    result = make_result(checks=[check])
    for page in (student_html(student_view(result), templates), cohort_html(cohort_view([result]), templates)):
        assert not re.search(r"<(b|u|i|s|q)>(?!Hint)", page)
        assert "Is <code>a &lt; b</code>?" in page
        assert "Use `&lt;u&gt;` and" in page


@pytest.mark.parametrize("unit", ["x", "'", "<", "😀", "\n", "a\n"])
def test_size_is_capped(unit: str, templates: tuple[Path, ...], make_result: Any) -> None:
    flood = unit * (65_536 // len(unit.encode()))
    checks = [
        msgspec.structs.replace(check, status="failed", feedback=flood, visibility="visible")
        for check in make_result().checks * 2
    ]
    checks = [msgspec.structs.replace(check, id=f"test_{n}") for n, check in enumerate(checks)]
    result = make_result(checks=checks, printed_for_student=Printed(flood, flood), notices=[flood] * 500)
    page = student_html(student_view(result), templates)
    assert len(page.encode()) <= MAX_REPORT_BYTES
    assert "480 more notices are left out here" in page or "more notices" in page
    assert "characters are left out here" in page


def test_printed_output_keeps_both_ends(templates: tuple[Path, ...], make_result: Any) -> None:
    result = make_result(printed_for_student=Printed("first\n" + "x" * 65_000 + "\nlast", "a warning"))
    page = student_html(student_view(result), templates)
    assert "first\n" in page
    assert "\nlast</pre>" in page
    assert "a warning</pre>" in page
    left_out = re.search(r"([\d,]+) characters are left out here", page)
    assert left_out is not None
    assert int(left_out[1].replace(",", "")) == 65_011 - (20_000 - len("a warning"))


def test_class_page_sums_up(templates: tuple[Path, ...], make_class: Any) -> None:
    page = cohort_html(cohort_view(make_class(30)), templates)
    text = words(page)
    assert "For staff: this page shows the titles of hidden checks" in text
    assert "submissions 30 mean of 100" in text
    assert "graded 23 checks ran, and there is a score invalid 4 nothing could be checked" in text
    assert text.count("The disk is full; run again.") == 1 + 3
    assert re.search(r'aria-label="Distribution of 27 scores: 0 to below 10: \d', page)
    counts = re.search(r'aria-label="Distribution[^"]*"', page)
    assert counts is not None
    assert sum(int(n) for n in re.findall(r": (\d+)(?=[;\"])", counts[0])) == 27
    assert page.count('<a href="reports/s1001.html">Student 000</a>') >= 2
    assert "scale-by-hidden" in text


@pytest.mark.parametrize("size", [0, 1, 300])
def test_class_page_of_any_size(size: int, templates: tuple[Path, ...], make_class: Any) -> None:
    page = cohort_html(cohort_view(make_class(size)), templates)
    outline = Outline(page)
    assert page.count("<tr data-status=") == size
    assert "nan" not in outline.text.lower().split()
    assert "None" not in outline.text
    if size == 0:
        assert "No submissions yet." in outline.text
        assert "<table" not in page


def test_every_bin_of_a_small_maximum_is_met(templates: tuple[Path, ...], make_result: Any) -> None:
    results = [make_result(score=float(n), max_score=10) for n in range(11)]
    page = cohort_html(cohort_view(results), templates)
    assert "8 to below 9: 1; 9 to 10: 2" in page
    nothing = cohort_html(cohort_view([make_result(score=0, max_score=0)]), templates)
    assert "Distribution of 1 score:" in nothing


def test_a_template_cannot_forget_to_clean_escape_or_define(
    tmp_path: Path, make_result: Any, make_submission: Any
) -> None:
    (tmp_path / "lang").mkdir()
    for name in ("style.css", "sort.js", "lang/en.html.j2"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "student.html.j2").write_text("[{{ view.student }}]", encoding="utf-8")
    (tmp_path / "cohort.html.j2").write_text("{{ nobody_defined_this }}", encoding="utf-8")
    view = student_view(make_result(submission=make_submission("s1", "<b>\u202eAda\x1b[31m\ud83d")))
    assert student_html(view, (tmp_path,)) == "[&lt;b&gt;Ada]"
    with pytest.raises(UndefinedError):
        cohort_html(cohort_view([]), tmp_path)
