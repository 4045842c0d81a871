"""Sentences about what went wrong: whose fault, where, and what to do."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.judge import import_text, outcome
from grader.judge.conversation import BudgetSpent
from grader.judge.load_report import LoadReport
from grader.judge.places import Work
from grader.model.assignment import Limits
from grader.sandbox.base import Place, StudentGone, StudentLied, StudentTimeout, StudentTrouble
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


def gone(status: int, over_memory: bool = False) -> StudentGone:
    """A process that ended."""
    return StudentGone(ExitFacts(status, 1.0, 5000, over_memory))


@pytest.mark.parametrize(
    ("trouble", "status", "struck", "words"),
    [
        (StudentTimeout(), "timeout", "check", "did not finish within 10 s"),
        (StudentTimeout("processor"), "timeout", "processor", "used up the 120 s of processor time"),
        (StudentTimeout("total"), "timeout", "total", "the 300 s that all checks together may take are up"),
        (StudentTimeout("import"), "timeout", "import", "did not finish importing within 20 s"),
        (BudgetSpent("all"), "timeout", "total", "earlier checks used up the time"),
        (gone(-11), "crashed", "SIGSEGV", "SIGSEGV"),
        (gone(-9), "crashed", "SIGKILL", "the limit is 1536 MB"),
        (gone(3), "crashed", "exit", "exited with status 3"),
        (gone(-9, over_memory=True), "memory", "SIGKILL", "more memory together than the limit of 1536 MB"),
        (StudentLied("it sent \x1b[31mtwo replies"), "error", None, "disturbed the channel"),
        (StudentTrouble("something"), "error", None, "something"),
    ],
)
def test_trouble_is_the_students(trouble: StudentTrouble, status: str, struck: str | None, words: str) -> None:
    found = outcome.of_trouble(trouble, LIMITS)
    assert (found.status, found.fault) == (status, "student")
    assert words in found.feedback
    assert "\x1b" not in found.feedback + found.staff_detail
    assert (found.error.type if found.error else None) == struck


@pytest.mark.parametrize("trouble", [StudentTimeout(), gone(-11), gone(3)])
def test_trouble_has_a_place(trouble: StudentTrouble) -> None:
    trouble.place = Place(MAIN, 12, "full_visibility", "while True:")
    found = outcome.of_trouble(trouble, LIMITS)
    assert " (at attention.py, line 12, in full_visibility)" in found.feedback
    assert found.feedback.endswith("\n    while True:")
    assert found.error is not None
    assert (found.error.file, found.error.line) == (MAIN, 12)


def test_a_time_out_in_full() -> None:
    trouble = StudentTimeout()
    trouble.place = Place(MAIN, 12, "full_visibility", "while True:")
    assert outcome.of_trouble(trouble, LIMITS).feedback == (
        "Your code did not finish within 10 s (at attention.py, line 12, in full_visibility). "
        "A loop whose condition never turns false is the usual cause.\n    while True:"
    )


def test_an_exception_that_a_limit_brought_about_names_it() -> None:
    found = outcome.of_error(report("PermissionError", "[Errno 1] Operation not permitted"), LIMITS)
    first, line, limit = found.feedback.split("\n")
    assert first == "PermissionError at attention.py, line 3, in f: [Errno 1] Operation not permitted"
    assert line == "    return 1 / 0"
    assert limit.startswith("The grader runs your code without network")


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
        *import_text.load_notices(LoadReport(("f",), (), error, False, False, False), Work({}, MAIN), LIMITS),
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
