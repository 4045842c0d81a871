"""The language files: each says all that the pages ask for, and what is German is German."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jinja2 import Environment, nodes

from grader.errors import UsageProblem
from grader.model.causes import fixed_sentences
from grader.model.result import GradeResult, StudentError
from grader.model.view import student_view
from grader.render.html import student_html

LANG = Path(__file__).parents[2] / "reports" / "lang"
LANGUAGES = sorted(path.name.removesuffix(".html.j2") for path in LANG.iterdir())


def defined(language: str) -> dict[str, Any]:
    """What a language file defines: macros with their arguments, tables with their keys."""
    tree = Environment().parse((LANG / f"{language}.html.j2").read_text("utf-8"))
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, nodes.Macro):
            found[node.name] = [argument.name for argument in node.args]
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
            table = node.node.as_const()
            found[node.target.name] = sorted(table) if isinstance(table, dict) else type(table).__name__
    return found


def in_language(result: GradeResult, lang: str) -> GradeResult:
    """A result of an assignment in this language."""
    return msgspec.structs.replace(result, assignment=msgspec.structs.replace(result.assignment, lang=lang))


def test_two_languages_ship() -> None:
    assert LANGUAGES == ["de", "en"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_word(language: str) -> None:
    mine, english = defined(language), defined("en")
    assert len(english) > 40
    assert mine.keys() == english.keys()
    assert {k: v for k, v in mine.items() if k != "sentences"} == {k: v for k, v in english.items() if k != "sentences"}


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en"}))
def test_a_language_has_every_fixed_sentence(language: str) -> None:
    assert set(defined(language)["sentences"]) == fixed_sentences()


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_use_nothing_that_languages_lack(language: str) -> None:
    used: set[str] = set()
    for page in LANG.parent.glob("*.j2"):
        used |= set(re.findall(r"\bsay\.(\w+)", page.read_text("utf-8")))
    for module in (LANG.parents[1] / "grader" / "render").rglob("*.py"):
        used |= set(re.findall(r"\bsay\.(\w+)", module.read_text("utf-8")))
    assert len(used) > 30
    assert used <= defined(language).keys()


def test_a_report_in_german(templates: tuple[Path, ...], make_result: Any, make_check: Any) -> None:
    error = StudentError("ValueError", "attention.py", 41)
    hidden = {"visibility": "hidden", "feedback": "SECRET"}
    checks = [
        make_check(1, "Gewichte", "Zeilen ergeben 1", status="error", error=error, **hidden),
        make_check(2, "Gewichte", "Werte", status="timeout", error=StudentError("total", None, None), **hidden),
        make_check(3, "Gewichte", "Form"),
        make_check(4, "Gewichte", "Richtig", status="failed", feedback="weights: expected 1.5, got 2.5."),
    ]
    result = in_language(make_result(checks=checks, score=1047.5, max_score=2000), "de")
    page = student_html(student_view(result), templates)
    assert '<html lang="de">' in page
    assert "1.047,5 <span>von 2.000 Punkten</span>" in page
    assert "1 von 4 Prüfungen ist bestanden." in page
    assert "Dein Code hat ValueError ausgelöst in attention.py, Zeile 41." in page
    assert "Die Zeit für alle Prüfungen zusammen war abgelaufen" in page
    assert '<pre lang="en">weights: expected 1.5, got 2.5.</pre>' in page
    visible = re.sub(r"(?s)<style>.*?</style>|<[^>]*>", "", page)
    assert not re.search(r"\b(check|checks|points|Passed|Hint)\b", visible)


def test_lateness_in_german(templates: tuple[Path, ...], make_timed: Any) -> None:
    page = student_html(student_view(in_language(make_timed("2026-12-03T10:59:00Z"), "de")), templates)
    assert "Wegen Verspätung wurden 20 Punkte abgezogen:" in page
    assert "Verspätet abgegeben, 2 Tage angebrochen: 20 Punkte Abzug von 47,5." in page


def test_a_language_without_a_file_is_named(templates: tuple[Path, ...], make_result: Any) -> None:
    with pytest.raises(UsageProblem, match=r"no language file reports/lang/tlh\.html\.j2; there is de, en\."):
        student_html(student_view(in_language(make_result(), "tlh")), templates)


def test_another_language_is_one_file(templates: tuple[Path, ...], tmp_path: Path, make_result: Any) -> None:
    (tmp_path / "lang").mkdir()
    english = (LANG / "en.html.j2").read_text("utf-8")
    (tmp_path / "lang" / "fr.html.j2").write_text(english.replace('"Passed"', '"Réussi"'), "utf-8")
    page = student_html(student_view(in_language(make_result(), "fr")), (tmp_path, *templates))
    assert '<html lang="fr">' in page
    assert "<strong>Réussi</strong>" in page
