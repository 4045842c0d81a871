"""The two pages that people read: a student's report and the class page, each one self-contained HTML file.

Runs in the command's process, after grading, on records alone: no file of a submission is opened, no student code is
near. The templates, the style and the script come from the course's `reports/` folder and are trusted; everything
that a view holds is not. It promises:

- What a student reads is made from a `StudentView`, which holds nothing hidden.
- Text cannot act. Each string is stripped of control, bidirectional and invisible characters when it is printed
  (`finalize`), then escaped (`autoescape`); an undefined name in a template is an error, never a blank.
- A page asks for nothing and runs nothing but its own inlined style and script: its Content-Security-Policy allows
  these two by their SHA-256 and no other source.
- A student's report stays within 150 KB as long as the assignment's own texts do: texts of students are cut, with a
  note of how much is left out, and cut shorter until the page fits.

Words stand in the templates, numbers come from here.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from grader.errors import UsageProblem
from grader.model.cohort import CohortView
from grader.model.observation import Observation
from grader.model.text import plain_ends, plain_line, plain_text
from grader.model.view import CheckView, StudentView
from grader.render.figures.base import Words
from grader.render.figures.choose import figure

MAX_REPORT_BYTES = 150_000
"""Bytes of one student's report."""
DRAWN_AT_FIRST = 500
"""Rows of the class page that a browser draws before all are asked for: drawing ten thousand takes seconds."""
NAMES_SHOWN, PEOPLE_SHOWN, LINES_SHOWN = 60, 200, 5
"""Names in a list of who did not pass a check, people who are missing, and misconceptions told of one check."""


class _Caps(NamedTuple):
    """Characters that each text of a student, and all figures, may take in a report, and how many notices are shown."""

    feedback: int = 4_000
    printed: int = 20_000
    notice: int = 500
    notices: int = 20
    figures: int = 80_000

    def divided(self, by: int) -> _Caps:
        return _Caps(
            self.feedback // by,
            self.printed // by,
            max(80, self.notice // by),
            max(3, self.notices // by),
            self.figures // by,
        )


class _Site:
    """A templates folder, read once: the environment, and style and script with the hashes that allow them."""

    def __init__(self, templates: tuple[Path, ...]) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(templates),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_finalize,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "line": plain_line,
            "text": plain_text,
            "ends": plain_ends,
            "prose": _prose,
            "number": _localised,
            "fixed": _fixed,
            "report_address": _report_address,
            "pair_address": pair_address,
        }
        style, script = self._text("style.css"), self._text("sort.js")
        self._environment.globals |= {
            "style": Markup(style),
            "style_hash": csp_hash(style),
            "script": Markup(script),
            "script_hash": csp_hash(script),
        }

    def words(self, lang: str) -> Words:
        """The language file of this language.

        Raises:
            UsageProblem: there is none.
        """
        try:
            words: Any = self._environment.get_template(f"lang/{lang}.html.j2").module
        except TemplateNotFound:
            names = self._environment.list_templates(filter_func=lambda name: name.startswith("lang/"))
            known = ", ".join(name.removeprefix("lang/").removesuffix(".html.j2") for name in names)
            raise UsageProblem(f"There is no language file reports/lang/{lang}.html.j2; there is {known}.") from None
        return cast(Words, words)

    def _text(self, name: str) -> str:
        loader = self._environment.loader
        assert loader is not None
        return loader.get_source(self._environment, name)[0]

    def render(self, template: str, context: dict[str, Any]) -> str:
        return self._environment.get_template(template).render(context)


@lru_cache(maxsize=8)
def _site(templates: tuple[Path, ...]) -> _Site:
    return _Site(templates)


def student_html(view: StudentView, templates: tuple[Path, ...]) -> str:
    """The report of one submission as its student may read it, made with the templates in these folders.

    Raises:
        UsageProblem: there is no language file for the language of the view.
    """
    site = _site(templates)
    say = site.words(view.lang)
    context = _student_context(view) | {"say": say}
    drawn = _figures(view, say)
    html = ""
    for divisor in (1, 2, 4, 8, 16, 32):
        caps = _Caps().divided(divisor)
        printed = _shares(len(view.printed.stdout), len(view.printed.stderr), caps.printed)
        figures = _that_fit(drawn, caps.figures, say)
        html = site.render("student.html.j2", context | {"caps": caps, "printed_caps": printed, "figures": figures})
        if len(html.encode("utf-8")) <= MAX_REPORT_BYTES:
            break
    return html


def cohort_html(view: CohortView, templates: tuple[Path, ...]) -> str:
    """The class page, for staff, made with the templates in these folders.

    It links each submission to its report, in the folder that the view names.

    Raises:
        UsageProblem: there is no language file for the language of the view.
    """
    return page_html("cohort.html.j2", _cohort_context(view), templates, view.lang)


def check_language(lang: str, templates: tuple[Path, ...]) -> None:
    """Whether pages can be made in this language.

    Raises:
        UsageProblem: there is no language file for it.
    """
    _site(templates).words(lang)


def page_html(template: str, context: dict[str, Any], templates: tuple[Path, ...], lang: str) -> str:
    """A page of another module's, made with one of the templates, under the promises of this one.

    Raises:
        UsageProblem: there is no language file for this language.
    """
    site = _site(templates)
    return site.render(template, context | {"say": site.words(lang)})


def csp_hash(text: str) -> str:
    """The source expression by which a Content-Security-Policy allows the inline style or script `text`."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _student_context(view: StudentView) -> dict[str, Any]:
    checks = [check for group in view.groups for check in group.checks]
    showing: dict[str, list[CheckView]] = {d.slug: [] for d in view.diagnoses}
    for check in checks:
        if check.diagnosis is not None and check.diagnosis.slug in showing:
            showing[check.diagnosis.slug].append(check)
    return {
        "view": view,
        "passed": sum(check.status == "passed" for check in checks),
        "total": len(checks),
        "skipped": sum(check.status == "skipped" for check in checks),
        "check_numbers": {check.id: number for number, check in enumerate(checks, start=1)},
        "diagnosis_numbers": {d.slug: number for number, d in enumerate(view.diagnoses, start=1)},
        "showing": showing,
    }


def _figures(view: StudentView, say: Words) -> dict[str, Markup]:
    """By the id of a check, the figure of what differs."""
    seen = {check.id: check.seen for group in view.groups for check in group.checks if check.seen is not None}
    drawn = {name: _drawn(observation, say) for name, observation in seen.items()}
    return {name: markup for name, markup in drawn.items() if markup is not None}


def _drawn(seen: Observation, say: Words) -> Markup | None:
    try:
        return figure(seen, say)
    except Exception:  # a report without a figure is worth more than none, and a student is owed the mark
        return None


def _that_fit(figures: dict[str, Markup], most: int, say: Words) -> dict[str, Markup]:
    """The first figures that have `most` characters together, and a sentence in the place of each other one."""
    kept, used = {}, 0
    for name, markup in figures.items():
        used += len(markup)
        kept[name] = markup if used <= most else Markup('<p class="gap">{}</p>').format(say.figure_left_out())
    return kept


def _cohort_context(view: CohortView) -> dict[str, Any]:
    return {
        "view": view,
        "scored": sum(row.score is not None for row in view.rows),
        "drawn_at_first": DRAWN_AT_FIRST,
        "names_shown": NAMES_SHOWN,
        "people_shown": PEOPLE_SHOWN,
        "lines_shown": LINES_SHOWN,
        "names": {row.id: row.called or row.student for row in view.rows},
        "diagnosis_numbers": {m.diagnosis.slug: n for n, m in enumerate(view.misconceptions, start=1)},
    }


def _shares(first: int, second: int, cap: int) -> tuple[int, int]:
    """How many characters each of two texts may take of `cap`: half each, and what one leaves goes to the other."""
    half = cap // 2
    return cap - min(second, half), cap - min(first, half)


def _finalize(value: object) -> object:
    return plain_text(value, len(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def _prose(text: str) -> Markup:
    """A text of the assignment's author, with what stands in backticks set as code."""
    parts = plain_text(text).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else escape(p) for n, p in enumerate(parts))


def pair_address(number: int) -> str:
    """The file of a pair's page about similar work, beside their overview."""
    return f"pair-{number:03}.html"


def _report_address(id: str, folder: str = "reports") -> str:
    """Where a submission's report lies, seen from the class page."""
    return f"{folder}/{quote(id, safe='', errors='replace')}.html"


@pass_context
def _localised(context: Context, value: float, digits: int = 2) -> str:
    """A number as people write it in the page's language: at most `digits` decimals, and no trailing zero."""
    text = f"{value:,.{digits}f}"
    return _with_signs_of(context, text.rstrip("0").rstrip(".") if "." in text else text)


@pass_context
def _fixed(context: Context, value: float, digits: int = 2) -> str:
    """A number in the page's language with exactly `digits` decimals, for a column."""
    return _with_signs_of(context, f"{value:,.{digits}f}")


def _with_signs_of(context: Context, text: str) -> str:
    say = context.get("say")  # a language file's own macros have its signs about them
    decimal = context["decimal"] if say is None else say.decimal
    thousands = context["thousands"] if say is None else say.thousands
    return text.translate({ord("."): decimal, ord(","): thousands})
