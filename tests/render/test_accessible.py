"""WCAG 2.2 AA by axe-core over each page in a real browser: light and dark, desk and phone, folded and unfolded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from browsing import Opener, overflow, violations

from grader.model.cohort import cohort_view
from grader.model.result import GradeResult, Printed
from grader.model.view import student_view
from grader.render.html import MAX_REPORT_BYTES, cohort_html, student_html

UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
CONTRAST = 4.5
"""WCAG 2.2, 1.4.3: the least contrast of text of ordinary size and what it stands on."""
RATIO = """() => {
  const lit = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const over = (...colours) => {
    for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
    return Array.from(paint.getImageData(0, 0, 1, 1).data.slice(0, 3));
  };
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  return Array.from(document.querySelectorAll(".heat td"), (cell) => {
    const style = getComputedStyle(cell);
    const [a, b] = [lit(over(style.color)), lit(over(paper, style.backgroundColor))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""


@pytest.fixture
def pages(
    templates: tuple[Path, ...], make_result: Any, make_class: Any, make_timed: Any, make_figures: Any
) -> dict[str, str]:
    """Every page that people read, in each state that looks different."""

    def report(result: GradeResult, lang: str = "en") -> str:
        about = msgspec.structs.replace(result.assignment, lang=lang)
        return student_html(student_view(msgspec.structs.replace(result, assignment=about)), templates)

    printed = Printed("line\n" * 400, "a warning")
    return {
        "report": report(make_figures()),
        "Bericht": report(make_figures(), "de"),
        "right": report(make_result(checks=[], score=100.0)),
        "late, with much output": report(make_timed("2026-12-03T10:59:00Z", printed_for_student=printed)),
        "invalid": report(make_result(status="invalid", reason="No file.", score=0, checks=[])),
        "ungraded": report(make_result(status="ungraded", reason="Disk.", score=None)),
        "class": cohort_html(cohort_view(make_class(30)), templates),
        "nobody": cohort_html(cohort_view([]), templates),
        "one": cohort_html(cohort_view(make_class(1)), templates),
        "class with a deadline": cohort_html(cohort_view([make_timed("2026-12-03T10:59:00Z")]), templates),
    }


def broken(show: Opener, pages: dict[str, str], width: int, scheme: str) -> dict[str, list[str]]:
    """The rules that pages break, by page."""
    found = {}
    for name, html in pages.items():
        page = show(html, width, color_scheme=scheme)
        assert overflow(page) == 0, name
        page.evaluate(UNFOLD)  # what is folded is there as well: no rule looks at less
        found[name] = violations(page)
    return {name: lines for name, lines in found.items() if lines}


def test_no_rule_is_broken_on_a_phone_in_the_dark(show: Opener, pages: dict[str, str]) -> None:
    assert broken(show, {name: pages[name] for name in ("report", "invalid", "one")}, 360, "dark") == {}


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_no_rule_is_broken_on_any_page(show: Opener, pages: dict[str, str], width: int, scheme: str) -> None:
    assert broken(show, pages, width, scheme) == {}


def test_a_broken_rule_is_found(show: Opener, pages: dict[str, str]) -> None:
    faint = pages["report"].replace('<html lang="en">', "<html>").replace("<h1>", '<h1 role="nonsense">')
    assert {line.split(":")[0] for line in violations(show(faint))} >= {"html-has-lang", "aria-roles"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_on_shades_can_be_read(show: Opener, pages: dict[str, str], scheme: str) -> None:
    ratios = show(pages["report"], color_scheme=scheme).evaluate(RATIO)
    assert len(ratios) > 100
    assert min(ratios) >= CONTRAST


def test_every_figure_has_a_text_and_no_colour_alone(make_figures: Any, templates: tuple[Path, ...]) -> None:
    html = student_html(student_view(make_figures()), templates)
    figures = re.findall(r"(?s)<figure class=\"seen\">.*?</figure>", html)
    assert len(figures) >= 9
    for figure in figures:
        assert re.search(r"<figcaption><b>[^<]+\.</b>", figure)
        assert "<table" in figure or re.search(r'<svg [^>]*role="img" aria-label="[^"]{10,}"', figure)
        for bad in re.findall(r'(?s)class="(?:[^"]* )?(?:off|bad)".*?</(?:td|tr|text)>', figure):
            assert "≠" in bad or "≠" in figure[figure.index(bad) : figure.index(bad) + len(bad) + 200]
    assert len(html.encode()) <= MAX_REPORT_BYTES


def test_report_is_read_by_keyboard(show: Opener, pages: dict[str, str]) -> None:
    page = show(pages["report"], 360)
    seen, focused = [], ""
    for _ in range(200):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        if focused.startswith("<body"):
            break
        seen.append(focused)
    kinds = {kind for kind in ("<a ", "<summary", '<div class="maps"', "<pre") if any(kind in one for one in seen)}
    assert kinds == {"<a ", "<summary", '<div class="maps"', "<pre"}
    assert focused.startswith("<body"), "the focus is trapped"


@pytest.mark.parametrize("name", ["report", "class"])
def test_printed_on_a4_nothing_is_lost(show: Opener, pages: dict[str, str], name: str) -> None:
    page = show(pages[name], 794)  # A4 at 96 pixels an inch
    page.emulate_media(media="print")
    assert overflow(page) == 0
    for figure in page.locator("figure").all():
        box = figure.bounding_box()
        assert box is not None
        assert box["height"] > 30
        inner = figure.evaluate(
            "one => Math.max(...Array.from(one.querySelectorAll('table, svg'), x => x.clientWidth))"
        )
        assert inner <= box["width"] + 1
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert b"/MediaBox" in pdf
