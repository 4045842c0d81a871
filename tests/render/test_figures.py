"""Figures: each kind of observation has one, it shows the numbers that were seen, and nothing of theirs acts."""

from __future__ import annotations

import math
import re
from html import unescape
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from jinja2 import Environment, FileSystemLoader

from grader.model.observation import Observation, tensor_to_json
from grader.model.view import check_view, student_view
from grader.render.figures.base import Words
from grader.render.figures.choose import FIGURES, figure
from grader.render.html import MAX_REPORT_BYTES, student_html

HOSTILE = "</svg></table><script>window.pwned=1</script>\" onload='x' \u202e"
MOST_CHARACTERS = 20_000
"""Of one figure, whatever is observed."""


@pytest.fixture
def say(templates: tuple[Path, ...]) -> Words:
    """The English language file."""
    environment = Environment(loader=FileSystemLoader(templates), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": str, "line": lambda text, *_: text, "text": lambda text, *_: text}
    module: Any = environment.get_template("lang/en.html.j2").module
    return cast(Words, module)


def drawn(seen: Observation, say: Words) -> str:
    """A figure that must be there."""
    markup = figure(seen, say)
    assert markup is not None, seen.kind
    return str(markup)


def by_name(seen: list[Observation], name: str) -> Observation:
    """The observation of this name."""
    return next(one for one in seen if one.name == name)


def rows(html: str) -> list[list[str]]:
    """The cells of a figure's tables, row by row."""
    return [
        [unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        for row in re.findall(r"(?s)<tbody>.*?</tbody>", html)
        for row in re.findall(r"(?s)<tr.*?</tr>", row)
    ]


def test_each_kind_has_a_figure(seen: list[Observation], say: Words) -> None:
    assert {one.kind for one in seen} == set(FIGURES)
    assert all("<figcaption>" in drawn(one, say) for one in seen)


def test_weights_are_two_maps_on_one_scale_and_their_difference(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "weights"), say)
    assert re.findall("<caption>(.*?)</caption>", html) == ["yours", "expected", "difference"]
    mine, _, theirs, _, away, _ = rows(html)
    assert mine == ["0.2442", "0.2873≠", "0.2261", "0.2724"]
    assert theirs == ["0.2442", "0.2573≠", "0.2261", "0.2724"]
    assert away == ["0", "+0.0300≠", "0", "0"]
    assert "2 places differ, marked ≠." in html
    assert "at [0, 0, 1]: yours 0.2873, expected 0.2573" in html
    shades = re.findall(r'<td class="h(\d)[^"]*">(0\.\d+)', html)
    assert {shade for shade, value in shades if value == "0.2442"} == {"3"}  # on both sides


def test_booleans_have_no_difference(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "visible"), say)
    assert re.findall("<caption>(.*?)</caption>", html) == ["yours", "expected"]
    assert rows(html)[0] == ["1", "1≠", "1≠", "1≠", "1≠", "1≠"]
    assert rows(html)[6] == ["1", "0≠", "0≠", "0≠", "0≠", "0≠"]


def test_a_large_tensor_is_drawn_in_part_and_says_so(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "gradient"), say)
    assert "The part at [0] of a tensor of shape (3, 10, 12)." in html
    assert "Rows 0 to 7 of 10 and columns 0 to 5 of 12 are shown." in html
    assert 'class="n' in html  # below zero the other colour, and a minus


def test_sums_are_bars_against_one(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "row sums"), say)
    assert "3 of 6 sums are not 1." in html
    assert html.count('<rect class="bad"') == 3
    assert html.count('<rect class="good"') == 3
    assert "[1, 1]: nan" in html
    longest = max(float(width) for width in re.findall(r'<rect class="bad"[^>]* width="([\d.]+)"', html))
    usual = {float(width) for width in re.findall(r'<rect class="good"[^>]* width="([\d.]+)"', html)}
    assert len(usual) == 1
    assert longest / usual.pop() == pytest.approx(1.3, abs=0.01)


def test_shares_stand_beside_their_intervals(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "shares"), say)
    assert "[MASK]: 0.7897 of 7600, allowed 0.7763 to 0.8224; random: 0.0224 of 7600, allowed 0.0855 to 0.1132" in html
    assert html.count('<path class="good"') == html.count('<path class="bad"') == 1
    assert "0.0224 ≠" in html


def test_losses_are_curves_with_the_bar(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "losses"), say)
    assert len(re.findall(r'<polyline class="(?:yours|reference)" points="(?:[\d.]+,[\d.]+ ?){30}"', html)) == 2
    assert ">bar 0.3000</text>" in html
    assert "They part at epoch 1." in html
    assert "The bar is 0.3000; your last loss" in html


def test_losses_that_explode_stay_in_the_drawing(say: Words) -> None:
    losses = [1.0, math.inf, 1e30, math.nan, 5.0]
    sides = [tensor_to_json("float64", (5,), side) for side in ([1.0, 0.9, 0.8, 0.7, 0.6], losses)]
    html = drawn(Observation("losses", "curve", *sides, "off", {"rtol": 0, "atol": 1e-3, "bar": 0.3}), say)
    places = [float(y) for points in re.findall('points="(.*?)"', html) for y in re.findall(r",([\d.]+)", points)]
    assert len(places) == 8
    assert all(0 <= y <= 240 for y in places)
    assert "They part at epoch 2." in html


def test_shapes_are_boxes(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "output"), say)
    assert re.findall(r'class="size"[^>]*>(.*?)</text>', html) == ["2", "32 ≠", "6 ≠", "2", "6 ≠", "32 ≠"]
    assert "Your shape is (2, 32, 6), expected is (2, 6, 32)." in html
    other = drawn(by_name(seen, "logits"), say)
    assert "Your shape is (1, 1), expected is (2,)." in other


def test_parameters_are_laid_beside_each_other(seen: list[Observation], say: Words) -> None:
    html = drawn(by_name(seen, "parameters"), say)
    assert rows(html) == [["out.bias [32]", "out.bias [32]"], ["≠ missing", "qkv.weight [96, 32]"]]


@pytest.mark.parametrize("kind", [*FIGURES, "raises", "that", "dtype"])
@pytest.mark.parametrize(
    "actual",
    [
        None,
        HOSTILE,
        [HOSTILE] * 3,
        [[1]] * 4,
        {"dtype": HOSTILE, "shape": [2], "data": ["nan", "inf"]},
        {"dtype": "float32", "shape": [512, 512], "data": [0.5] * 512**2},
        {"dtype": "int64", "shape": [3], "data": [10**400, -(10**400), 0]},
        {"dtype": "float32", "shape": [2], "data": None},
        {"dtype": "float32", "shape": [], "data": [1.0]},
        {"dtype": "float32", "shape": [0, 3], "data": []},
    ],
    ids=lambda value: str(value)[:30],
)
def test_nothing_observed_breaks_a_page_or_acts_in_it(kind: str, actual: Any, say: Words) -> None:
    expected: Any = tensor_to_json("float32", (2,), [1.0, 2.0]) if kind != "same" else [HOSTILE, "b"]
    if kind == "proportions":
        return  # both sides are counts of the judge's own
    if isinstance(actual, dict) and kind in ("close", "unchanged", "curve"):
        expected = {**actual, "dtype": "float32"}
    markup = str(figure(Observation(HOSTILE, kind, expected, actual, "off", {"bound": 0.0}), say) or "")
    assert "<script" not in markup
    assert "\u202e" not in markup
    assert len(markup) < MOST_CHARACTERS


def test_hidden_checks_draw_nothing(make_figures: Any, templates: tuple[Path, ...]) -> None:
    result = make_figures()
    for visibility in ("hidden", "after_due_date", "after_published"):
        checks = [msgspec.structs.replace(check, visibility=visibility) for check in result.checks]
        html = student_html(student_view(msgspec.structs.replace(result, checks=checks)), templates)
        assert '<figure class="seen">' not in html
        assert all(check_view(check).seen is None for check in checks)


def test_figures_leave_room_in_a_report(make_figures: Any, templates: tuple[Path, ...]) -> None:
    result = make_figures()
    checks = [msgspec.structs.replace(check, id=f"{n}-{check.id}") for n in range(12) for check in result.checks]
    html = student_html(student_view(msgspec.structs.replace(result, checks=checks)), templates)
    assert len(html.encode()) <= MAX_REPORT_BYTES
    assert "A figure is left out here, to keep the page small." in html
    assert html.count('<figure class="seen">') >= 3
