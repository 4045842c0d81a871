"""The pages about similar work, as HTML and in a real Chromium: names that attack, sizes, marks, both languages."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from browsing import ATTACK, SIZES, Opener, overflow, violations

from grader.model.similar import LeftOut, Pair, PairPage, SimilarView, SourceText, Work
from grader.render.similar import pair_html, similar_html
from grader.similar.compare import Comparer
from grader.similar.overview import About, compared

RIGHT = Path(__file__).parents[2] / "assignments" / "attention" / "variants" / "right"


def work(name: str, text: str = "", called: str = "", graded: bool = False) -> Work:
    return Work(name, name, called or name, (name,), (SourceText("attention.py", text),), graded)


def pages(lang: str, *works: Work, left_out: tuple[LeftOut, ...] = ()) -> tuple[SimilarView, list[PairPage]]:
    """The overview and the pages of a class."""
    about = About("attention", "Self-attention from scratch", lang)
    found = compared(about, works, left_out, Comparer([], []), 0.5, lambda: None)
    return found.view, list(found.pages())


@pytest.fixture
def view() -> SimilarView:
    """Three pairs of four people, one left out."""
    text = (RIGHT / "einsum.py").read_text("utf-8")
    longer = text.replace("class ", "def more(a):\n    return [a, a, a]\n\n\nclass ")
    works = (work("ann", text, "Ann", graded=True), work("bob", longer), work("cyd", text))
    return pages("en", *works, work("dan", "x = 1\n"), left_out=(LeftOut(work("eve"), "long"),))[0]


@pytest.fixture
def pair() -> PairPage:
    """Two works of which one has a function more, and the other functions in another order."""
    text = (RIGHT / "einsum.py").read_text("utf-8")
    parts = text.split("\n\n\n")
    turned = "\n\n\n".join([parts[0], *parts[:0:-1]])
    return pages("en", work("ann", text, "Ann", graded=True), work("bob", turned))[1][0]


def hostile_pages(templates: tuple[Path, ...]) -> list[str]:
    """Both pages with nothing in them but attacks."""
    lines = f"value = [{ATTACK[:200]!r}, (1, 2, 3), {{4: 5}}, 6 + 7 - 8 * 9]  # {ATTACK}\n" * 30
    one, other = work("a", lines, ATTACK, graded=True), work("b", "x = 1\n" + lines, ATTACK)
    files = (SourceText("attention.py", lines), SourceText(ATTACK, lines))
    one = msgspec.structs.replace(one, id="a" * 200, files=files)
    left = (LeftOut(msgspec.structs.replace(one, graded=False), "nothing", ATTACK),)
    view, found = pages("en", one, other, left_out=left)
    view = msgspec.structs.replace(view, title=ATTACK, parts=[one])
    page = msgspec.structs.replace(found[0], title=ATTACK)
    return [similar_html(view, templates), pair_html(page, templates)]


@pytest.mark.parametrize("width", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit(
    show: Opener,
    templates: tuple[Path, ...],
    view: SimilarView,
    pair: PairPage,
    width: int,
    scheme: str,
) -> None:
    for html in (similar_html(view, templates), pair_html(pair, templates), *hostile_pages(templates)):
        page = show(html, width, color_scheme=scheme)
        assert overflow(page) == 0


def test_no_rule_is_broken(show: Opener, templates: tuple[Path, ...], view: SimilarView, pair: PairPage) -> None:
    for html in (similar_html(view, templates), pair_html(pair, templates), *hostile_pages(templates)):
        assert violations(show(html, SIZES["phone"], color_scheme="dark")) == []


def test_names_and_texts_do_nothing(show: Opener, templates: tuple[Path, ...]) -> None:
    for html, scripts in zip(hostile_pages(templates), (1, 0), strict=True):
        page = show(html)
        assert page.evaluate("typeof window.pwned") == "undefined"
        assert page.locator("img, iframe, link, base, #theirs").count() == 0
        assert page.locator("script").count() == scripts
        assert "<script>window.pwned=1</script>" in page.locator("body").inner_text()


def test_the_table_is_whole_without_a_script_and_sorts_with_one(
    show: Opener,
    templates: tuple[Path, ...],
    view: SimilarView,
) -> None:
    html = similar_html(view, templates)
    plain = show(html, java_script_enabled=False)
    rows = plain.locator("table.sortable tbody tr")
    assert rows.count() == 3
    assert rows.nth(0).inner_text().split()[:2] == ["1", "100"]
    page = show(html)
    page.get_by_role("columnheader", name="Shared lines").get_by_role("button").click()
    page.get_by_role("columnheader", name="Pair").get_by_role("button").click()
    links = page.locator("table.sortable tbody th a")
    assert [links.nth(place).get_attribute("href") for place in range(3)] == [f"pair-00{n}.html" for n in (1, 2, 3)]
    assert page.locator('a[href="../reports/ann.html"]').count() == 2


def test_sides_stand_side_by_side_on_a_desk_and_below_one_another_on_a_phone(
    show: Opener,
    templates: tuple[Path, ...],
    pair: PairPage,
) -> None:
    html = pair_html(pair, templates)
    for width in SIZES.values():
        page = show(html, width, java_script_enabled=False)
        one, other = (page.locator("section").nth(side).bounding_box() for side in (0, 1))
        assert one is not None
        assert other is not None
        if width > 1000:
            assert one["x"] + one["width"] <= other["x"]
            assert one["y"] == other["y"]
        else:
            assert one["x"] == other["x"]
            assert one["y"] + one["height"] <= other["y"]


def test_passages_lead_to_the_other_side_and_are_marked_by_more_than_colour(
    show: Opener,
    templates: tuple[Path, ...],
    pair: PairPage,
) -> None:
    page = show(pair_html(pair, templates))
    links = page.locator(".at a")
    targets = {str(links.nth(place).get_attribute("href")) for place in range(links.count())}
    assert len(targets) > 3
    for target in targets:
        assert page.locator(target).count() == 1
    first = page.locator(".same").first
    assert first.evaluate("line => getComputedStyle(line).borderLeftWidth") == "4px"
    assert "underline" in page.locator("mark").first.evaluate("mark => getComputedStyle(mark).textDecorationLine")
    heights = page.evaluate(
        """[...document.querySelectorAll('[id^="one-"]')].map((one) => {
            const other = document.querySelector(one.getAttribute("href"));
            return Math.abs(one.getBoundingClientRect().top - other.getBoundingClientRect().top);
        })"""
    )
    assert sum(height < 1 for height in heights) >= 1


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_small_classes(templates: tuple[Path, ...], size: int, lang: str) -> None:
    texts = [(RIGHT / f"{name}.py").read_text("utf-8") for name in ("einsum", "sdpa")]
    view, found = pages(lang, *(work(f"s{place}", text) for place, text in enumerate(texts[:size])))
    html = similar_html(view, templates)
    assert f'<html lang="{lang}">' in html
    assert found == []
    assert ("<svg" in html) == (size == 2)


def test_german_pages_hold_no_english(templates: tuple[Path, ...], view: SimilarView, pair: PairPage) -> None:
    german = [
        similar_html(msgspec.structs.replace(view, lang="de"), templates),
        pair_html(msgspec.structs.replace(pair, lang="de"), templates),
    ]
    for html in german:
        shown = re.sub(r"(?s)<style>.*?</style>|<script>.*?</script>|<code>.*?</code>|<[^>]*>", "", html)
        assert not re.search(r"\b(the|pairs?|share|shared|work|text of|compared)\b", shown.replace("from scratch", ""))
        assert "Ähnliche Abgaben" in shown


def test_the_cap_is_told(templates: tuple[Path, ...], view: SimilarView) -> None:
    html = similar_html(msgspec.structs.replace(view, beyond=1_234), templates)
    assert "1,234 more are at 50 % or more, and have no page." in html
    one = Pair(7, work("a"), work("b"), 0.5, 0.25, 120, 9, 8)
    html = similar_html(msgspec.structs.replace(view, pairs=[one]), templates)
    assert 'href="pair-007.html"' in html
