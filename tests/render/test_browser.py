"""The two pages in a real Chromium, opened from disk: no request, no violation, no error, and the table's controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from browsing import ATTACK, SIZES, Opener, overflow
from playwright.sync_api import Page

from grader.model.cohort import cohort_view
from grader.model.result import Printed
from grader.model.view import student_view
from grader.render.html import DRAWN_AT_FIRST, cohort_html, student_html


@pytest.fixture
def report(templates: tuple[Path, ...], make_result: Any) -> str:
    return student_html(student_view(make_result()), templates)


@pytest.fixture
def class_page(templates: tuple[Path, ...], make_class: Any) -> str:
    return cohort_html(cohort_view(make_class(30)), templates)


@pytest.fixture
def hostile(templates: tuple[Path, ...], make_result: Any, make_submission: Any) -> list[str]:
    """Both pages of a submission whose every text is an attack."""
    checks = [msgspec.structs.replace(check, feedback=ATTACK) for check in make_result().checks]
    result = make_result(
        submission=make_submission(ATTACK, ATTACK, ATTACK),
        notices=[ATTACK] * 30,
        printed_for_student=Printed(ATTACK * 20, ATTACK),
        checks=checks,
    )
    staff = msgspec.structs.replace(result, status="ungraded", reason=ATTACK, score=None)
    return [
        student_html(student_view(result), templates),
        cohort_html(cohort_view([result, staff]), templates),
    ]


def column(page: Page, number: int) -> list[str]:
    """The texts of a column of the table of submissions, from top to bottom, of the rows that are shown."""
    cells = page.locator(f"#rows tbody tr:not([hidden]) > :nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


@pytest.mark.parametrize("width", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_are_styled(
    show: Opener, report: str, class_page: str, hostile: list[str], width: int, scheme: str
) -> None:
    for html in (report, class_page, *hostile):
        page = show(html, width, color_scheme=scheme)
        assert overflow(page) == 0
        paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert paper == ("rgb(252, 251, 248)" if scheme == "light" else "rgb(24, 23, 21)")


def test_hostile_text_does_nothing(show: Opener, hostile: list[str]) -> None:
    for html, scripts in zip(hostile, (0, 1), strict=True):
        page = show(html)
        assert page.evaluate("typeof window.pwned") == "undefined"
        assert page.locator("img, iframe, link, base, #theirs").count() == 0
        assert page.locator("script").count() == scripts
        assert "<script>window.pwned=1</script>" in page.locator("body").inner_text()


def test_passed_checks_unfold_by_keyboard_and_in_print(show: Opener, report: str) -> None:
    page = show(report)
    title = page.get_by_text("Every query sees every real token")
    assert not title.is_visible()
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert title.is_visible()
    page.keyboard.press("Enter")
    page.emulate_media(media="print")
    assert page.locator("details.passed ul").first.evaluate("list => list.getBoundingClientRect().height") > 20
    assert title.is_visible()


def test_table_sorts_by_click(show: Opener, class_page: str) -> None:
    page = show(class_page)
    before = column(page, 3)
    head = page.get_by_role("columnheader", name="Score")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    upwards = column(page, 3)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    downwards = column(page, 3)
    for scores, reverse in ((upwards, False), (downwards, True)):
        numbers = [float(score) for score in scores[:-3]]
        assert numbers == sorted(numbers, reverse=reverse)
        assert scores[-3:] == ["no score"] * 3
        assert sorted(scores) == sorted(before)
    page.get_by_role("columnheader", name="Status").get_by_role("button").click()
    assert head.get_attribute("aria-sort") is None
    assert column(page, 2) == ["ungraded"] * 3 + ["invalid"] * 4 + ["graded"] * 23


def test_every_column_sorts(show: Opener, class_page: str) -> None:
    page = show(class_page)
    buttons = page.locator("#rows thead button")
    assert buttons.count() == 8
    for number in range(8):
        buttons.nth(number).click()
        assert page.locator("#rows thead th").nth(number).get_attribute("aria-sort") == "ascending"
        assert page.locator("#rows [aria-sort]").count() == 1
    assert page.locator("#rows tbody tr").count() == 30
    page.locator("#rows thead button").first.click()
    names = [name.split("\n")[0] for name in column(page, 1)]
    assert names == sorted(names)


def test_table_sorts_by_keyboard(show: Opener, class_page: str) -> None:
    page = show(class_page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Score":
            break
    head = page.get_by_role("columnheader", name="Score")
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "descending"
    assert page.evaluate("document.activeElement.textContent") == "Score"


def test_table_filters(show: Opener, class_page: str) -> None:
    page = show(class_page)
    assert page.locator("#shown").inner_text() == "30 of 30 shown"
    page.get_by_label("Status").select_option("invalid")
    assert column(page, 2) == ["invalid"] * 4
    assert page.locator("#shown").inner_text() == "4 of 30 shown"
    page.get_by_label("Status").select_option("")
    page.get_by_label("Find").fill("QUERIES s100")
    assert 0 < len(column(page, 1)) < 9
    assert all("mask-queries" in text for text in column(page, 6))
    page.get_by_role("columnheader", name="Score").get_by_role("button").click()
    assert all("mask-queries" in text for text in column(page, 6))
    page.get_by_label("Find").fill("nobody is called this")
    assert page.locator("#shown").inner_text() == "0 of 30 shown"
    page.get_by_label("Find").press("Enter")
    assert page.url.endswith(".html")


def test_table_sorts_and_filters_by_lateness(show: Opener, templates: tuple[Path, ...], make_timed: Any) -> None:
    times = ["2026-12-01T10:00Z", None, "2026-12-05T10:00Z", "2026-12-03T10:00Z"]
    page = show(cohort_html(cohort_view([make_timed(time) for time in times]), templates), 360)
    assert overflow(page) == 0
    assert column(page, 4) == ["no", "unknown", "yes", "yes"]
    page.get_by_role("columnheader", name="Late").get_by_role("button").click()
    assert column(page, 4) == ["yes", "yes", "unknown", "no"]
    for word, count in (("yes", 2), ("no", 1), ("unknown", 1), ("all", 4)):
        page.get_by_label("Late").select_option(word)
        assert page.locator("#shown").inner_text() == f"{count} of 4 shown"
    page.locator("#rows summary", has_text="yes").first.click()
    assert page.get_by_text("points off 47.5 (10 for each day begun, at most 50).").first.is_visible()


def test_without_script_the_table_is_whole(show: Opener, class_page: str) -> None:
    page = show(class_page, java_script_enabled=False)
    assert len(column(page, 1)) == 30
    assert page.locator("#rows button").count() == 0
    assert not page.locator("form.filter").is_visible()


def test_a_large_class_is_drawn_in_part_until_all_is_asked_for(
    show: Opener, templates: tuple[Path, ...], make_class: Any
) -> None:
    html = cohort_html(cohort_view(make_class(DRAWN_AT_FIRST + 100)), templates)
    page = show(html)
    visible = "#rows tbody tr:visible"
    whole = DRAWN_AT_FIRST + 100
    assert page.locator(visible).count() == DRAWN_AT_FIRST
    assert page.locator("#shown").inner_text() == f"{whole} of {whole} there, the first {DRAWN_AT_FIRST} shown"
    first, last = column(page, 1)[0], page.locator("#rows tbody tr").last.locator("th").inner_text()
    page.locator("#find").fill(last.split()[0])  # what is not drawn is found
    assert last in column(page, 1)
    page.locator("#find").fill("")
    page.locator("#rows thead button").first.click()
    page.locator("#rows thead button").first.click()  # the last name first
    assert page.locator(visible).count() == DRAWN_AT_FIRST
    assert column(page, 1)[0] != first
    page.get_by_role("button", name=f"Show all {whole} rows").click()
    assert page.locator(visible).count() == whole
    assert not page.locator("#more").is_visible()
    without = show(html, java_script_enabled=False)
    assert without.locator(visible).count() == whole
    printed = show(html)
    printed.emulate_media(media="print")
    assert printed.locator(visible).count() == whole


@pytest.mark.parametrize("size", [0, 1, 300])
def test_class_of_any_size_opens(show: Opener, templates: tuple[Path, ...], make_class: Any, size: int) -> None:
    page = show(cohort_html(cohort_view(make_class(size)), templates), 360)
    assert overflow(page) == 0
    assert page.locator("#rows tbody tr").count() == size
