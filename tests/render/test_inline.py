"""A report as the output of a notebook's cell: in a real browser, inside the page of a notebook."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, sync_playwright

from grader.model.result import Printed
from grader.model.view import student_view
from grader.render.html import student_html
from grader.render.inline import Inline

NAMES = ("chromium", "chromium-browser", "google-chrome")
ADDRESS = "http://notebook.test/lab?file=attention.ipynb"
TEXT = "Attention: 5 of 30 public points\n  ✗ FAIL  <b>&amp;\n"
ATTACK = "\"></iframe></pre></details><script>window.pwned=1</script><img id=theirs src=x onerror=window.pwned=1>'"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page of a browser that finds ADDRESS alone, with what `content` holds."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail(f"No Chromium found; install one (Debian: apt install chromium) as one of {', '.join(NAMES)}.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page()
        browser.close()


def opened(page: Page, report: Inline) -> tuple[list[str], list[str]]:
    """Load a notebook's page with the report in it; what will be requested from now on, and what the console says."""
    content = f"<!doctype html><meta charset=utf-8><title>Lab</title>{report._repr_html_()}"
    requests: list[str] = []
    said: list[str] = []

    def serve(route: Route) -> None:
        requests.append(route.request.url)
        if route.request.url == ADDRESS:
            route.fulfill(body=content, content_type="text/html")
        else:
            route.abort()

    page.unroute_all()
    page.route("**/*", serve)
    page.on("console", lambda message: said.append(message.text))
    page.goto(ADDRESS)
    return requests, said


@pytest.fixture
def report(templates: Path, make_result: Any) -> str:
    return student_html(student_view(make_result()), templates)


def test_the_report_is_shown_in_a_frame_with_a_name_and_as_text_below(page: Page, report: str) -> None:
    requests, said = opened(page, Inline(report, TEXT))
    frame = page.frame_locator("iframe")
    assert frame.locator("main").is_visible()
    assert frame.locator("body").evaluate("each => getComputedStyle(each).marginTop") != "8px"  # a browser's own
    title = page.locator("iframe").get_attribute("title")
    assert title is not None
    assert title.startswith("Self-attention from scratch")
    assert page.locator("iframe").evaluate("each => each.clientHeight") >= 300
    assert not page.locator("pre").is_visible()
    page.locator("summary").click()
    assert page.locator("pre").inner_text() == TEXT
    assert said == []
    assert [address for address in requests if not address.endswith("favicon.ico")] == [ADDRESS]


def test_links_lead_to_their_place_in_the_report_and_not_to_the_notebook(page: Page, report: str) -> None:
    requests, said = opened(page, Inline(report, TEXT))
    inner = page.frames[1]
    inner.locator('a[href^="#check-"]').last.click()
    inner.wait_for_function("window.scrollY > 0")
    assert inner.url.startswith("about:srcdoc#check-")
    assert requests.count(ADDRESS) == 1
    assert said == []


def test_hostile_texts_stay_text(page: Page, templates: Path, make_result: Any, make_submission: Any) -> None:
    result = make_result(
        submission=make_submission(ATTACK, ATTACK, ATTACK),
        notices=[ATTACK],
        printed_for_student=Printed(ATTACK, ATTACK),
    )
    html = student_html(student_view(result), templates)
    opened(page, Inline(html, f"{ATTACK}\n{ATTACK}"))
    assert len(page.frames) == 2
    for frame in page.frames:
        assert frame.locator("#theirs").count() == 0
        assert frame.evaluate("window.pwned") is None
    assert page.locator("pre").text_content() == f"{ATTACK}\n{ATTACK}"


def test_without_html_the_report_is_what_a_terminal_shows() -> None:
    assert repr(Inline("<html></html>", TEXT)) == TEXT.rstrip("\n")
