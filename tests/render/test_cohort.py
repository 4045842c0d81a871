"""The class page: its numbers in words, its filters, its links, two languages, and no names where they are hidden."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from grader.model.anonymous import FOLDER, veil_for
from grader.model.cohort import cohort_view
from grader.model.result import Diagnosis, FileInfo, GradeResult, Incident, Printed, StudentError
from grader.model.roster import Roster, RosterPerson, Standing, standing
from grader.model.submission import Person
from grader.model.view import student_view
from grader.render.html import NAMES_SHOWN, cohort_html, student_html
from grader.render.terminal import print_class

Templates = tuple[Path, ...]
MakeClass = Callable[[int], list[GradeResult]]


def said(page: str) -> str:
    """What a page says, on one line."""
    bare = re.sub(r"(?s)<(style|script)>.*?</\1>|<option.*?</option>", " ", page)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", bare)).split())


def with_incidents(results: list[GradeResult]) -> list[GradeResult]:
    """The class, the first of which broke the protocol and the second of which ended its process at import."""
    first = msgspec.structs.replace(results[0], incidents=[Incident("protocol", ["test_3", "test_5"])])
    second = msgspec.structs.replace(results[1], incidents=[Incident("ended", [], True)])
    return [first, second, *results[2:]]


def test_numbers_have_words(templates: Templates, make_class: MakeClass) -> None:
    view = cohort_view(with_incidents(make_class(30)))
    text = said(cohort_html(view, templates))
    assert view.spread is not None
    assert f"middle half {view.spread.low:g} to {view.spread.high:g} standard deviation" in text
    assert "Without a score 3 For a reason that is not the student’s." in text
    assert "Broke the protocol 1 What came back was no answer" in text
    assert "Student 000 in checks 3, 5 Processes that ended themselves 1" in text
    assert "Student 919 while the file was imported Nothing could be checked 4" in text
    assert "Half of them took no longer than" in text
    for check in view.checks:
        assert f"{check.number}. " in text
        assert f"{check.passed} of {check.total}" in text
    assert f"scale-by-hidden {len(view.misconceptions[0].ids)} of 30 submissions" in text
    assert "Seen in checks 5 , 7" in text


def test_each_check_tells_how_it_fails(templates: Templates, make_class: MakeClass) -> None:
    page = cohort_html(cohort_view(make_class(30)), templates)
    (details,) = re.findall(r'(?s)<details class="one" id="check-5">.*?</details>', page)
    text = said(details)
    assert "5. Weights are those of scaled dot products" in text
    assert "gave a wrong answer" in text
    assert "× The weights of head 1 differ." in text
    assert "× scale-by-hidden You divide the scores" in text
    assert re.search(r'<p id="failed-5"><a href="reports/s\d+\.html">', details)


@pytest.mark.parametrize("size", [0, 1, 2, 300])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_any_size_in_any_language(templates: Templates, make_class: MakeClass, size: int, lang: str) -> None:
    results = [
        msgspec.structs.replace(one, assignment=msgspec.structs.replace(one.assignment, lang=lang))
        for one in make_class(size)
    ]
    for people in (None, Standing(), Standing((Person("7", "Zoë"), Person("8")))):
        page = cohort_html(cohort_view(results, people), templates)
        text = said(page)
        assert not re.search(r"\b(nan|inf|None|undefined|built-in)\b", text)
        assert "1 submissions" not in text
        assert "1 Abgaben" not in text
        assert page.count('<svg class="chart"') == {0: 0, 1: 1, 2: 1, 300: 2}[size]  # of two, one has no time
        assert "<ul></ul>" not in re.sub(r"\s", "", page)


def test_one_and_two_are_counted_right(templates: Templates, make_result: Any) -> None:
    one = said(cohort_html(cohort_view([make_result()]), templates))
    assert "submission 1 mean of 100 47.5 median of 100 47.5 Mean and median" in one
    assert "1 of 1 submission · 100 %" in one
    assert "It took 0.85 s." in one
    assert "standard deviation" not in one.split("Checks")[0]
    assert "Too few submissions to say anything." in one


def test_the_page_in_german(templates: Templates, make_class: MakeClass) -> None:
    results = with_incidents(make_class(30))
    german = [
        msgspec.structs.replace(one, assignment=msgspec.structs.replace(one.assignment, lang="de")) for one in results
    ]
    page = cohort_html(cohort_view(german, Standing((Person("7", "Zoë"),))), templates)
    text = said(re.sub(r'(?s)<(\w+) lang="en">.*?</\1>', " ", page))
    assert '<html lang="de">' in page
    assert "Zuerst ansehen Ohne Punkte 3" in text
    assert "Störten die Verbindung 1" in text
    assert "47,50" in text
    assert "Ohne Abgabe: 1." in text
    assert not re.search(
        r"\b(submissions?|checks?|passed|score|shown|graded|students?)\b", text.replace("Student", ""), re.I
    )


def test_similar_work_is_linked_where_there_is_some(templates: Templates, make_class: MakeClass) -> None:
    results = make_class(3)
    assert 'href="similar/index.html"' in cohort_html(cohort_view(results, similar=True), templates)
    assert "similar/" not in cohort_html(cohort_view(results), templates)


def test_lists_of_names_are_capped(templates: Templates, make_result: Any, make_submission: Any) -> None:
    results = [make_result(submission=make_submission(f"s{n}", f"Person {n}")) for n in range(NAMES_SHOWN + 7)]
    page = cohort_html(cohort_view(results), templates)
    (names,) = re.findall(r'(?s)<p id="failed-5">.*?</p>', page)
    assert names.count("<a ") == NAMES_SHOWN
    assert "and 7 more" in names


def test_a_row_stores_short_numbers(templates: Templates, make_class: MakeClass) -> None:
    small, large = (len(cohort_html(cohort_view(make_class(size)), templates)) for size in (1000, 2000))
    assert (large - small) / 1000 < 1000  # characters a row
    page = cohort_html(cohort_view(make_class(30)), templates)
    assert re.search(r'<tr data-status="graded" data-failed="[\d ]+" data-with="[\d ]+">', page)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.fail("No Chromium found; install one (Debian: apt install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, templates: Templates, make_class: MakeClass, tmp_path: Path) -> Iterator[Page]:
    """The page of thirty, opened; it must ask for nothing else and break no rule."""
    file = tmp_path / "index.html"
    file.write_text(cohort_html(cohort_view(make_class(30)), templates), "utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(file.as_uri())
    yield page
    page.close()
    assert {address.partition("#")[0] for address in asked} == {file.as_uri()}
    assert wrong == []


def rows(page: Page) -> list[str]:
    """The names in the rows that are shown."""
    return page.locator("#rows tbody tr:visible th a").all_inner_texts()


def test_who_failed_a_check_is_one_click(page: Page) -> None:
    page.get_by_label("Find").fill("something else")
    page.locator("#items").get_by_role("link", name="5.").click()
    assert page.locator("#check-5").get_attribute("open") is not None
    names = page.locator("#failed-5 a").all_inner_texts()
    page.locator("#check-5").get_by_role("link", name="Show them in the table").click()
    assert sorted(rows(page)) == sorted(names)
    assert page.locator("#shown").inner_text() == f"{len(names)} of 30 shown"
    assert page.get_by_label("Check not passed").input_value() == "5"
    assert page.url.endswith("#failed-5")
    assert page.evaluate("document.activeElement.id") == "submissions"
    page.locator("#misconception-1 summary").click()
    page.locator("#misconception-1").get_by_role("link", name="Show them in the table").click()
    assert page.get_by_label("Check not passed").input_value() == ""
    shown = rows(page)
    page.go_back()
    assert sorted(rows(page)) == sorted(names)
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("30 of 30 shown").wait_for()
    page.get_by_label("Misconception").select_option("1")
    assert rows(page) == shown


def test_filters_add_up(page: Page) -> None:
    page.get_by_label("Check not passed").select_option("5")
    page.get_by_label("Misconception").select_option(label=page.locator("#with option").nth(2).inner_text())
    found = rows(page)
    assert 0 < len(found) < 30
    page.get_by_label("Status").select_option("invalid")
    assert rows(page) == []


def test_an_address_can_name_what_is_shown(page: Page) -> None:
    address = page.url
    page.goto("about:blank")
    page.goto(f"{address}#with-1")
    assert 0 < len(rows(page)) < 30
    assert page.get_by_label("Misconception").input_value() == "1"
    page.goto("about:blank")
    page.goto(f"{address}#check-3")
    assert page.locator("#check-3").get_attribute("open") is not None
    assert len(rows(page)) == 30


SECRETS = [
    "wilhelmina", "featherstone", "wfeather77", "w.feather", "90210456", "quentin", "blackwood", "55512321", "zapata",
    "777000",
]  # fmt: skip
TEXT = "Wilhelmina (wfeather77, w.feather@uni.example) wrote /home/FEATHERSTONE/Featherstone_final.py for 90210456"


@pytest.fixture
def named(make_result: Any, make_class: MakeClass, make_submission: Any) -> list[GradeResult]:
    """A class whose last three submissions, one of each status, have names in every text."""
    about = msgspec.structs.replace(
        make_submission("featherstone_wilhelmina_90210456", "90210456", "Featherstone_final.py"),
        name="Wilhelmina Featherstone",
        members=[Person("90210456", "Wilhelmina Featherstone"), Person("55512321", "Blackwood, Quentin")],
        files=[FileInfo("Featherstone_final.py", "3d" * 32, 1), FileInfo("attention.py", "ab" * 32, 2)],
    )
    checks = [
        msgspec.structs.replace(
            check,
            status="error" if number % 2 else "failed",
            fault="student",
            feedback=TEXT,
            error=StudentError("FeatherstoneError", "featherstone.py", 3),
            diagnosis=Diagnosis("scale", "You scale."),
            observations=[],
        )
        for number, check in enumerate(make_result().checks)
    ]
    one = make_result(
        submission=about, checks=checks, notices=[TEXT], staff_notices=[TEXT, f"Deadline: {TEXT}"], reason=TEXT,
        stdout=TEXT, printed_for_student=Printed(TEXT, TEXT), incidents=[Incident("protocol", ["test_1"])],
    )  # fmt: skip
    second = msgspec.structs.replace(about, id="Quentin-2", student="Quentin", name="", members=[])
    third = msgspec.structs.replace(about, id="Blackwood", student="Blackwood", name="", members=[])
    return [
        *make_class(5),
        one,
        msgspec.structs.replace(one, submission=second, status="invalid", score=0, checks=[]),
        msgspec.structs.replace(one, submission=third, status="ungraded", score=None),
    ]


def test_no_page_and_no_terminal_tells_who(
    named: list[GradeResult], templates: Templates, capsys: pytest.CaptureFixture[str]
) -> None:
    person = RosterPerson(
        "90210456", "Featherstone, Wilhelmina", ("90210456",), ("wfeather77",), ("w.feather@uni.example",)
    )
    roster = Roster((person, RosterPerson("777000", "Ximena Zapata", ("777000",))))
    people = standing(roster, named)
    bare = cohort_html(cohort_view(named, people), templates).lower()
    assert [secret for secret in SECRETS if secret not in bare] == ["55512321"]  # a member's id is nowhere
    veil = veil_for(named, roster, ["attention.py"])
    hidden = veil.results(named)
    view = cohort_view(hidden, veil.people(people), reports=FOLDER, anonymous=True)
    pages = [cohort_html(view, templates), *(student_html(student_view(one), templates) for one in hidden)]
    print_class(hidden, Path("index.html"))
    for text in (*pages, capsys.readouterr().out):
        assert [secret for secret in SECRETS if secret in text.lower()] == []
    assert {f'href="{FOLDER}/student-{number:03}.html"' for number in range(1, 9)} <= set(
        re.findall(r'href="[^"#][^"]*"', pages[0])
    )
    assert "Student 001" in pages[0]
    assert "Names are hidden" in pages[0]
    assert "<small>student-0" not in pages[0]
    assert "s1001" not in pages[0]
