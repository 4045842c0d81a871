"""Sentences about what went wrong: whose fault, where, and what to do."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.content import course_folder, load_assignment
from grader.judge import outcome
from grader.judge.conversation import BudgetSpent, LoadReport
from grader.model.assignment import Limits
from grader.sandbox.base import StudentGone, StudentLied, StudentTimeout, StudentTrouble
from grader.sandbox.facts import ExitFacts
from grader.wire.calls import ErrorReport

LIMITS = Limits(check_seconds=10, memory_mb=1536)
MAIN = "attention.py"


def report(kind: str = "ValueError", text: str = "no", **fields: Any) -> ErrorReport:
    """An exception on line 3 of f."""
    place = {"file": MAIN, "line": 3, "function": "f", "source": "return 1 / 0"} | fields
    return ErrorReport((kind, "Exception", "BaseException"), text, **place)


def test_an_exception() -> None:
    found = outcome.of_error(report(), LIMITS)
    assert (found.status, found.fault) == ("error", "student")
    assert found.feedback == "ValueError at attention.py, line 3, in f: no\n    return 1 / 0"
    assert found.error is not None
    assert (found.error.type, found.error.file, found.error.line) == ("ValueError", MAIN, 3)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (report(text=""), "ValueError at attention.py, line 3, in f\n    return 1 / 0"),
        (report(source=None), "ValueError at attention.py, line 3, in f: no"),
        (report(function="<module>", source=None), "ValueError at attention.py, line 3: no"),
        (report(file=None, source=None), "ValueError: no"),
        (report(line=None, source=None), "ValueError: no"),
        (
            report("NotImplementedError", "no kernel for Long"),
            "NotImplementedError at attention.py, line 3, in f: no kernel for Long\n    return 1 / 0",
        ),
        (
            report("NotImplementedError", "todo", source="raise NotImplementedError('todo')"),
            "This part is not written yet at attention.py, line 3, in f: it raises NotImplementedError.",
        ),
    ],
)
def test_sentences_of_exceptions(error: ErrorReport, sentence: str) -> None:
    assert outcome.sentence_of_error(error) == sentence


@pytest.mark.parametrize(
    "error",
    [
        report("MemoryError", ""),
        ErrorReport(("_ArrayMemoryError", "MemoryError", "Exception"), "Unable to allocate"),
        report("RuntimeError", "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried 400 bytes"),
    ],
)
def test_want_of_memory(error: ErrorReport) -> None:
    found = outcome.of_error(error, LIMITS)
    assert (found.status, found.fault) == ("memory", "student")
    assert "limit of 1536 MB" in found.feedback


@pytest.mark.parametrize(
    ("trouble", "status", "words"),
    [
        (StudentTimeout(), "timeout", "no answer within 10 s"),
        (StudentTimeout("it used up its 120 s of processor time"), "timeout", "120 s of processor time"),
        (BudgetSpent("all"), "timeout", "used up by earlier checks"),
        (StudentGone(ExitFacts(-11, 1.0, 5000)), "crashed", "SIGSEGV"),
        (StudentGone(ExitFacts(3, 1.0, 5000)), "crashed", "exited with status 3"),
        (StudentLied("it sent \x1b[31mtwo replies"), "error", "disturbed the channel"),
        (StudentTrouble("something"), "error", "something"),
    ],
)
def test_trouble_is_the_students(trouble: StudentTrouble, status: str, words: str) -> None:
    found = outcome.of_trouble(trouble, LIMITS)
    assert (found.status, found.fault) == (status, "student")
    assert words in found.feedback
    assert "\x1b" not in found.feedback + found.staff_detail


TEXTS = st.text(st.characters(), max_size=40)


@given(
    TEXTS.filter(bool), TEXTS, TEXTS | st.none(), st.integers(-9, 9) | st.none(), TEXTS | st.none(), TEXTS | st.none()
)
def test_what_a_process_says_is_cleaned(
    kind: str, text: str, file: str | None, line: int | None, function: str | None, source: str | None
) -> None:
    error = ErrorReport((kind,), text, file, line, function, source)
    for words in (
        outcome.sentence_of_error(error),
        outcome.of_error(error, LIMITS).feedback,
        outcome.of_trouble(StudentLied(text), LIMITS).staff_detail,
        *outcome.load_notices(LoadReport(("f",), (), error, False, False, False), MAIN),
    ):
        words.encode("utf-8")
        assert not any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in words)


def test_what_a_process_says_is_cut() -> None:
    long = "x" * 4000
    error = ErrorReport((long,), long, long, 3, long, long)
    assert len(outcome.sentence_of_error(error)) < 1500


@example("\ud800", MAIN)
@example("ValueError", "\udfff.py")
@given(st.text(st.characters(), min_size=1, max_size=20), st.text(st.characters(), max_size=20))
def test_the_record_of_an_exception_can_be_written(kind: str, file: str) -> None:
    found = outcome.of_error(ErrorReport((kind,), "", file, 3), LIMITS)
    assert found.error is not None
    assert found.error.type.encode("utf-8")
    assert (found.error.file or "").encode("utf-8") is not None


def test_a_missing_name() -> None:
    text = outcome.missing_name("attention_weights", MAIN, ["attention_weight", "os"])
    assert text == "attention.py does not define attention_weights. It defines attention_weight: is that it?"
    assert outcome.missing_name("f", MAIN, ["Model"]) == "attention.py does not define f."


def load(required: tuple[str, ...] = (), error: ErrorReport | None = None, **flags: bool) -> LoadReport:
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
            load(error=report("X", ""), late=True),
            "attention.py does not finish importing in time at attention.py, line 3",
        ),
    ],
)
def test_why_nothing_can_be_graded(loaded: LoadReport, words: str | None) -> None:
    found = outcome.reason_not_loadable(loaded, MAIN, ["f", "Model"])
    assert found is None if words is None else words in (found or "")


@pytest.mark.parametrize(
    ("loaded", "words"),
    [
        (load(("f",), report()), "attention.py stops with an exception; graded on what it had defined. ValueError at"),
        (load(("f",), report(), left=True), "attention.py calls exit at attention.py, line 3, in f"),
        (load(("f",), report(), late=True), "was still running at attention.py, line 3, in f when the time"),
        (load(("f",), definitions_only=True), "only its definitions, imports and assignments were run"),
    ],
)
def test_notices_about_an_import(loaded: LoadReport, words: str) -> None:
    (notice,) = outcome.load_notices(loaded, MAIN)
    assert words in notice


def test_no_notice_about_a_good_import() -> None:
    assert outcome.load_notices(load(("f",)), MAIN) == []


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (StudentTimeout(), "does not finish importing within 20 s"),
        (StudentGone(ExitFacts(-9, 1.0, 5000)), "ends its process while it is imported: it was ended by SIGKILL"),
        (StudentLied("x"), "disturbs the channel to the grader"),
    ],
)
def test_trouble_at_import(trouble: StudentTrouble, words: str) -> None:
    assignment = load_assignment(course_folder(), "attention")
    assert words in outcome.reason_trouble_at_import(trouble, MAIN, assignment)
