"""Sentences about imports: why nothing could be graded, and what a student should know of what could."""

from __future__ import annotations

from typing import Any

import pytest

from grader.judge import import_text
from grader.judge.load_report import LoadReport
from grader.judge.places import Work
from grader.model.assignment import Limits
from grader.sandbox.base import Place, StudentGone, StudentLied, StudentTimeout, StudentTrouble
from grader.sandbox.facts import ExitFacts
from grader.wire.calls import OUT_OF_PROCESSOR_TIME, OUT_OF_TIME, ErrorReport

LIMITS = Limits(import_seconds=20, memory_mb=1536, cpu_seconds=120)
MAIN = "attention.py"
WORK = Work({MAIN: "import os\n\nreturn 1 / 0\n"}, MAIN)
SEGFAULT = StudentGone(ExitFacts(-11, 1.0, 5000))


def report(kind: str = "ValueError", text: str = "no", **fields: Any) -> ErrorReport:
    """An exception on line 3 of f."""
    place = {"file": MAIN, "line": 3, "function": "f", "source": "return 1 / 0"} | fields
    return ErrorReport((kind, "Exception", "BaseException"), text, **place)


def placed(trouble: StudentTrouble) -> StudentTrouble:
    """A trouble with a place."""
    trouble.place = Place(MAIN, 7, None, "train()")
    return trouble


def load(required: tuple[str, ...] = (), error: ErrorReport | None = None, **flags: Any) -> LoadReport:
    """A report on an import."""
    values = {"left": False, "late": False, "definitions_only": False} | flags
    return LoadReport(required, ("os", "g"), error, **values)


@pytest.mark.parametrize(
    ("loaded", "words"),
    [
        (load(("f",)), None),
        (load(("f",), report()), None),
        (load(), "attention.py defines none of the names that are graded (f, Model); it defines os, g."),
        (load(error=report("SyntaxError", "invalid syntax")), "attention.py cannot be imported. SyntaxError at"),
        (load(error=report("SystemExit", "0"), left=True), "attention.py ends the program while it is imported at"),
        (
            load(error=report(OUT_OF_TIME, ""), late=True),
            "attention.py does not finish importing within 20 s at attention.py, line 3",
        ),
        (
            load(error=report(OUT_OF_PROCESSOR_TIME, ""), late=True),
            "attention.py does not finish importing within 120 s of processor time at attention.py, line 3",
        ),
        (
            load(error=report("PermissionError", "[Errno 1] Operation not permitted")),
            "\nThe grader runs your code without network",
        ),
    ],
)
def test_why_nothing_can_be_graded(loaded: LoadReport, words: str | None) -> None:
    found = import_text.reason_not_loadable(loaded, WORK, ["f", "Model"], LIMITS)
    assert found is None if words is None else words in (found or "")


@pytest.mark.parametrize(
    ("loaded", "words"),
    [
        (
            load(("f",), report()),
            "attention.py stops with an exception; graded on what it defines all the same. ValueError at",
        ),
        (load(("f",), report(), left=True), "attention.py calls exit at attention.py, line 3, in f"),
        (load(("f",), report(), late=True), "was still running at attention.py, line 3, in f when the 20 s"),
        (
            load(("f",), report("MemoryError", "")),
            "more memory than the limit of 1536 MB allows at attention.py, line 3",
        ),
        (load(("f",), definitions_only=True), "only its definitions, imports and assignments were run"),
        (
            load(("f",), definitions_only=True, trouble=placed(StudentTimeout("import"))),
            "attention.py does not finish importing within 20 s (at attention.py, line 7); only its definitions",
        ),
        (
            load(("f",), definitions_only=True, trouble=placed(StudentTimeout("processor"))),
            "within 120 s of processor time (at attention.py, line 7); only its definitions",
        ),
        (
            load(("f",), definitions_only=True, trouble=SEGFAULT),
            "ended its process while it was imported: it touched memory that is not its own (SIGSEGV); only its",
        ),
        (
            load(("f",), definitions_only=True, trouble=StudentLied("x")),
            "ended its process while it was imported; only",
        ),
    ],
)
def test_notices_about_an_import(loaded: LoadReport, words: str) -> None:
    (notice,) = import_text.load_notices(loaded, WORK, LIMITS)
    assert words in notice


def test_no_notice_about_a_good_import() -> None:
    assert import_text.load_notices(load(("f",)), WORK, LIMITS) == []


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (
            placed(StudentTimeout("import")),
            "does not finish importing within 20 s (at attention.py, line 7). Code that",
        ),
        (StudentTimeout("processor"), "does not finish importing within 120 s of processor time. Code that"),
        (StudentTimeout("total"), "does not finish importing within 300 s. Code that"),
        (
            StudentGone(ExitFacts(-9, 1.0, 5000)),
            "while it is imported: it was ended by SIGKILL. Want of memory (the limit",
        ),
        (placed(StudentGone(ExitFacts(-8, 1.0, 5000))), "while it is imported (at attention.py, line 7): it divided"),
        (StudentLied("x"), "disturbs the channel to the grader"),
    ],
)
def test_trouble_at_import(trouble: StudentTrouble, words: str) -> None:
    assert words in import_text.reason_trouble(trouble, MAIN, LIMITS)


def test_staff_are_told_how_an_import_ended() -> None:
    (notice,) = import_text.staff_notices(SEGFAULT, LIMITS)
    assert notice.startswith("At import: Ended by SIGSEGV.\n")
    assert import_text.staff_notices(None, LIMITS) == []
