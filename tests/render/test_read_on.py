"""Where to read on, as the pages and the terminal say it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.model.cohort import cohort_view
from grader.model.result import Diagnosis, GradeResult, ReadOn
from grader.model.view import StudentView, student_view
from grader.render.html import cohort_html, student_html
from grader.render.terminal_check import print_check

PLACE = ReadOn("Weights & <b>heads</b>", "Why divide by sqrt(d)?")


@pytest.fixture
def diagnosed(make_result: Any, make_check: Any) -> Any:
    """Makes a result with a diagnosis that says to read on at a place, in a language."""

    def make(place: ReadOn | None, lang: str = "en") -> GradeResult:
        diagnosis = Diagnosis("scale", "You divide by the wrong width.", place)
        result: GradeResult = make_result(
            checks=[make_check(1, "Weights", "Rows", status="failed", diagnosis=diagnosis)]
        )
        return msgspec.structs.replace(result, assignment=msgspec.structs.replace(result.assignment, lang=lang))

    return make


def test_both_pages_say_it_in_their_language(diagnosed: Any, templates: tuple[Path, ...]) -> None:
    english = "Read on in README.md: “Weights &amp; &lt;b&gt;heads&lt;/b&gt;”, at “Why divide by sqrt(d)?”"
    german = "Weiterlesen in README.md: „Weights &amp; &lt;b&gt;heads&lt;/b&gt;“, bei „Why divide by sqrt(d)?“"
    for words, result in ((english, diagnosed(PLACE)), (german, diagnosed(PLACE, "de"))):
        assert words in student_html(student_view(result), templates)
        assert words in cohort_html(cohort_view([result]), templates)


def test_a_heading_alone_is_said_alone(diagnosed: Any, templates: tuple[Path, ...]) -> None:
    page = student_html(student_view(diagnosed(ReadOn("Weights"))), templates)
    assert "Read on in README.md: “Weights”</p>" in page


def test_without_a_place_nothing_is_said(
    diagnosed: Any, templates: tuple[Path, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    view: StudentView = student_view(diagnosed(None))
    assert "You divide by the wrong width." in student_html(view, templates)
    assert "Read on" not in student_html(view, templates)
    print_check(view)
    assert "Read on" not in capsys.readouterr().out


def test_the_terminal_says_it_below_the_explanation(diagnosed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    print_check(student_view(diagnosed(PLACE)))
    lines = capsys.readouterr().out.splitlines()
    where = lines.index("  You divide by the wrong width.")
    assert " ".join(" ".join(lines[where + 1 : where + 3]).split()).startswith(
        "Read on in README.md: “Weights & <b>heads</b>”, at “Why divide by sqrt(d)?”"
    )
