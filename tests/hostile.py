"""Results with every text that may harm a platform's file: what students name, print and raise, and authors' own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
from made import made_result

from grader.exporters.base import Graded, Told
from grader.model.result import AssignmentInfo, CheckResult, Diagnosis, GradeResult, Lateness, Printed
from grader.model.view import student_view

TEXTS = (
    "\0NUL \x1b[31mred\x1b[0m \x07 \r\n.. raw:: html\n\n   <script>alert(1)</script>",
    "::error file=x::boom\n::set-output name=score::1\n##[error]\nScore: 100 Grade :=>> 100\n--|>\n<|--\n]]>",
    "\ud800 lone \udfff surrogates, \N{PILE OF POO} emoji, \u202eturned\u202c, \u2028 line, \ufeff",
    "*bold `role` |sub|_ link_ \\ ** `` {{#points}} {{{x}}} {% x %} & < > \" ' \t tab",
    ".. include:: /etc/passwd\n\n====\nTitle\n====\n\n    indented\n  less\nnot",
    '{"fractionalScore": 1} </pre></textarea><img src=x onerror=alert(1)>',
    "",
    "   ",
    "\n\n\n",
)
HUGE = "x\N{PILE OF POO}" * 20_000


def check(name: str, text: str, **fields: Any) -> CheckResult:
    """A visible check of 10 points that failed, with `text` wherever there is text."""
    values: dict[str, Any] = {
        "id": name,
        "title": text or "A title",
        "group": text or "A group",
        "status": "failed",
        "fault": "student",
        "points": 2.5,
        "max_points": 10.0,
        "visibility": "visible",
        "feedback": text,
        "hint": text,
        "diagnosis": Diagnosis("slug", text),
    }
    return CheckResult(**(values | fields))


def result(checks: list[CheckResult], text: str = "", **fields: Any) -> GradeResult:
    """A result of these checks, with `text` wherever there is text."""
    values: dict[str, Any] = {
        "assignment": AssignmentInfo("tiny", "1", text or "Tiny"),
        "max_score": round(sum(one.max_points for one in checks), 2) or 100.0,
        "notices": [text] * 3,
        "stdout": text,
        "stderr": text,
        "printed_for_student": Printed(text, text),
    }
    made = made_result(tuple(checks), round(sum(one.points for one in checks), 2))
    return msgspec.structs.replace(made, **(values | fields))


def graded(of: GradeResult, report: str = "<!doctype html><title>Report</title>") -> Graded:
    """What an exporter is given of a result."""
    return Graded(student_view(of), Told(), report)


def passed(name: str, **fields: Any) -> CheckResult:
    """A check of 10 points that passed."""
    return check(name, "", **({"status": "passed", "fault": None, "points": 10.0, "diagnosis": None} | fields))


def hidden(name: str, secret: str, **fields: Any) -> CheckResult:
    """A hidden check that failed, whose feedback only staff may read."""
    return check(name, "A title", **({"visibility": "hidden", "feedback": secret, "hint": ""} | fields))


def invalid(reason: str) -> GradeResult:
    """A file that could not be loaded."""
    return result([], status="invalid", reason=reason, score=0.0)


def late(of: GradeResult, deduction: float) -> GradeResult:
    """The same result, handed in late."""
    assert of.score is not None
    times = ("2026-02-03T23:59:00+00:00", "2026-02-04T14:31:11+00:00")
    about = Lateness(*times, True, 1, deduction, of.score, f"One day late costs {deduction:g} points.")
    return msgspec.structs.replace(of, lateness=about, score=of.score - deduction)


def hostile_results() -> Iterator[GradeResult]:
    """Results full of such texts: each of them everywhere, all of them shuffled, huge ones, and very many checks."""
    for text in TEXTS:
        yield result([check(f"test_{number}", text) for number in range(3)], text)
        yield invalid(text or "Nothing was handed in.")
    shuffle = random.Random(7)
    for _ in range(12):
        text = "".join(shuffle.choices("".join(TEXTS) + "\n\n  ", k=200))
        yield result([check("test_a", text), hidden("test_b", text)], text)
    yield result([check(f"test_{number}", HUGE) for number in range(4)], HUGE)
    yield result([check(f"test_{number}", "\N{PILE OF POO}" * 4_000) for number in range(70)])
    yield result([passed(f"test_{number}") for number in range(700)])
