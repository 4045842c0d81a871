"""Views: what a student sees of a result, and what staff see of a class."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.observation import Observation
from grader.model.result import CheckResult, Diagnosis, GradeResult, Printed, StudentError
from grader.model.view import check_view, student_view

MakeCheck = Callable[..., CheckResult]
MakeResult = Callable[..., GradeResult]

SCALE = Diagnosis("scale", "You divide by the wrong width.")
MASK = Diagnosis("mask", "You hide the queries.")
BAD = ["failed", "error", "timeout", "memory", "crashed", "skipped"]


def shown(value: Any) -> str:
    """Everything that a view holds, as text."""
    return msgspec.json.encode(value).decode()


@pytest.mark.parametrize("visibility", ["hidden", "after_due_date", "after_published"])
@pytest.mark.parametrize("status", BAD)
def test_hidden_checks_show_no_values(
    secrets_everywhere: MakeCheck, make_result: MakeResult, status: str, visibility: str
) -> None:
    error = StudentError("SECRETError", "attention.py", 7) if status in ("error", "memory") else None
    check = secrets_everywhere(status, visibility=visibility, error=error, hint="Look at the axis.", diagnosis=SCALE)
    result = make_result("a", [check], stdout="SECRET", stderr="SECRET", printed_for_student=Printed("mine", ""))
    view = student_view(result)
    assert "SECRET" not in shown(view)
    (seen,) = view.groups[0].checks
    assert (seen.hidden, seen.status, seen.title) == (True, status, "Title of hidden")
    assert seen.feedback != ""
    assert seen.diagnosis == SCALE
    assert seen.hint == ("Look at the axis." if status in ("failed", "error") else "")  # it is about answers
    assert view.printed.stdout == "mine"


@pytest.mark.parametrize("kind", ["ValueError", "KeyError", "ZeroDivisionError", "OutOfMemoryError", "RuntimeError"])
def test_known_exceptions_have_their_name_and_line(secrets_everywhere: MakeCheck, kind: str) -> None:
    check = secrets_everywhere("error", error=StudentError(kind, "attention.py", 7))
    assert check_view(check).feedback == f"Your code raised {kind} at attention.py, line 7."


@pytest.mark.parametrize("status", ["error", "timeout", "memory", "crashed"])
def test_lines_far_down_could_be_a_message(secrets_everywhere: MakeCheck, status: str) -> None:
    near = check_view(secrets_everywhere(status, error=StudentError("KeyError", "attention.py", 2000))).feedback
    far = check_view(secrets_everywhere(status, error=StudentError("KeyError", "attention.py", 2001))).feedback
    assert "attention.py, line 2000" in near
    assert "attention.py" not in far
    assert "2001" not in far


@pytest.mark.parametrize("name", ["int", "dict", "Ellipsis", "print"])
def test_other_names_of_python_are_no_exceptions(secrets_everywhere: MakeCheck, name: str) -> None:
    feedback = check_view(secrets_everywhere("error", error=StudentError(name, "attention.py", 7))).feedback
    assert feedback.startswith("Your code raised an exception at attention.py, line 7.")


KNOWN = {*vars(builtins), "OutOfMemoryError"}


@given(st.text(min_size=1, max_size=40).filter(lambda name: name not in KNOWN))
def test_other_names_of_exceptions_are_the_students_text(name: str) -> None:
    check = CheckResult("a", "A", "G", "error", "student", 0, 1, "hidden", error=StudentError(name, "attention.py", 7))
    assert check_view(check).feedback == "Your code raised an exception at attention.py, line 7."


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("RecursionError", "base case"),
        ("PermissionError", "without network"),
        ("FileNotFoundError", "only the Python files"),
        ("OSError", "too many open files"),
        ("EOFError", "input()"),
        ("SystemExit", "must return"),
    ],
)
def test_exceptions_that_limits_bring_about_have_their_usual_cause(
    secrets_everywhere: MakeCheck, kind: str, cause: str
) -> None:
    feedback = check_view(secrets_everywhere("error", error=StudentError(kind, "attention.py", 7))).feedback
    assert feedback.startswith(f"Your code raised {kind} at attention.py, line 7. ")
    assert cause in feedback


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (
            "timeout",
            "check",
            "Your code did not finish within the time that a check may take (at attention.py, line 7).",
        ),
        (
            "timeout",
            "processor",
            "used up the processor time that all checks together may take (at attention.py, line 7).",
        ),
        ("timeout", "total", "was up before this one had finished (at attention.py, line 7)."),
        ("timeout", "import", "could not be imported again within its time (at attention.py, line 7)."),
        ("memory", "MemoryError", "needed more memory than the limit allows (at attention.py, line 7)."),
        ("crashed", "SIGSEGV", "Your code ended its process (at attention.py, line 7)."),
    ],
)
def test_limits_have_their_kind_their_line_and_their_usual_cause(
    secrets_everywhere: MakeCheck, status: str, kind: str, words: str
) -> None:
    feedback = check_view(secrets_everywhere(status, error=StudentError(kind, "attention.py", 7))).feedback
    assert words in feedback
    assert feedback.count("usual cause") == 1
    nowhere = check_view(secrets_everywhere(status, error=StudentError(kind))).feedback
    assert nowhere == feedback.replace(" (at attention.py, line 7)", "")


@given(st.sampled_from(["timeout", "memory", "crashed"]), st.text(min_size=1, max_size=40))
def test_the_words_for_a_limit_come_from_a_closed_list(status: Any, kind: str) -> None:
    check = CheckResult("a", "A", "G", status, "student", 0, 1, "hidden", "SECRET", error=StudentError(kind, "a.py", 7))
    other = msgspec.structs.replace(check, error=StudentError("other", "a.py", 7))
    if kind not in ("processor", "total", "import"):
        assert check_view(check).feedback == check_view(other).feedback


@pytest.mark.parametrize("kind", ["SIGSEGV", "SIGABRT", "SIGTERM", "exit"])
def test_which_signal_ended_a_hidden_check_is_not_told(secrets_everywhere: MakeCheck, kind: str) -> None:
    seen = check_view(secrets_everywhere("crashed", error=StudentError(kind)))
    assert kind not in shown(seen).replace("os._exit", "")


def test_an_exception_without_a_place(secrets_everywhere: MakeCheck) -> None:
    assert check_view(secrets_everywhere("error")).feedback == "Your code raised an exception."
    nowhere = secrets_everywhere("error", error=StudentError("ValueError", None, None))
    assert check_view(nowhere).feedback == "Your code raised ValueError."


@pytest.mark.parametrize("status", BAD)
def test_visible_checks_show_their_feedback(make_check: MakeCheck, status: str) -> None:
    check = make_check("a", status=status, feedback="expected 3, got 4", hint="Count.", staff_detail="SECRET")
    seen = check_view(check)
    assert (seen.hidden, seen.feedback) == (False, "expected 3, got 4")
    assert "SECRET" not in shown(seen)


@pytest.mark.parametrize("visibility", ["visible", "hidden"])
def test_passed_checks_need_no_words(make_check: MakeCheck, visibility: str) -> None:
    seen = check_view(make_check("a", visibility=visibility, feedback="SECRET", hint="SECRET"))
    assert (seen.feedback, seen.hint) == ("", "")


@pytest.mark.parametrize("visibility", ["visible", "hidden"])
@pytest.mark.parametrize("fault", ["author", "machine"])
@pytest.mark.parametrize("status", ["error", "skipped", "timeout"])
def test_faults_of_ours_say_so(make_check: MakeCheck, fault: str, visibility: str, status: str) -> None:
    check = make_check("a", status=status, fault=fault, visibility=visibility, feedback="SECRET", staff_detail="SECRET")
    seen = check_view(check)
    assert "not your doing" in seen.feedback
    assert "SECRET" not in shown(seen)


def test_an_ungraded_student_reads_no_reason_of_staffs(make_check: MakeCheck, make_result: MakeResult) -> None:
    check = make_check("a", status="error", fault="author", feedback="SECRET")
    reason = "A check itself broke: SECRET in /srv/hidden"
    view = student_view(make_result("a", [check], status="ungraded", score=None, reason=reason))
    assert (view.status, view.score) == ("ungraded", None)
    assert "not your doing" in (view.reason or "")
    assert "SECRET" not in shown(view)


def test_an_invalid_student_reads_why(make_result: MakeResult) -> None:
    view = student_view(make_result("a", [], status="invalid", score=0.0, reason="attention.py is empty."))
    assert (view.reason, view.score, view.groups) == ("attention.py is empty.", 0.0, [])


def test_a_view_keeps_the_order_and_sums_groups(make_check: MakeCheck, make_result: MakeResult) -> None:
    checks = [
        make_check("a", group="Two", points=0.1, max_points=0.1),
        make_check("b", group="One", status="failed", diagnosis=SCALE),
        make_check("c", group="Two", points=0.2, max_points=0.2),
        make_check("d", group="Two", status="failed", diagnosis=SCALE, max_points=1.0),
        make_check("e", group="One", status="failed", diagnosis=MASK),
    ]
    view = student_view(make_result("a", checks, notices=["renamed"]), ["rows", "masks"])
    assert [(g.name, g.points, g.max_points, [c.id for c in g.checks]) for g in view.groups] == [
        ("Two", 0.3, 1.3, ["a", "c", "d"]),
        ("One", 0.0, 20.0, ["b", "e"]),
    ]
    assert view.diagnoses == [SCALE, MASK]
    assert view.notices == ["renamed"]
    assert view.hidden_topics == ["rows", "masks"]
    assert (view.graded_file, view.file_sha256) == ("attention.py", "cd" * 32)


def test_real_students_see_no_observation(real_results: dict[str, GradeResult]) -> None:
    for result in real_results.values():
        view = student_view(result)
        assert sum(len(group.checks) for group in view.groups) == len(result.checks)
        assert "observations" not in shown(view)
        assert "staff_detail" not in shown(view)


def test_visible_checks_show_what_they_counted(make_check: MakeCheck, make_counted: Callable[..., Observation]) -> None:
    for status in ("passed", "failed"):
        seen = check_view(make_check("a", status=status, observations=[make_counted("masked")]))
        assert [(one.name, one.count, one.total, one.held) for one in seen.measured] == [
            ("masked", 70, 100, False),
            ("b", 14, 100, True),
            ("c", 16, 100, False),
        ]
        assert seen.measured[0].sentence == "masked: 0.7000 of 100, allowed 0.7500 to 0.8500"
    many = Observation("x", "proportions", {"of": ["a"] * 40}, {"count": [1] * 40, "total": [2] * 40})
    assert check_view(make_check("a", observations=[many])).measured == []


def test_hidden_checks_show_no_counts(make_check: MakeCheck, make_counted: Callable[..., Observation]) -> None:
    for visibility in ("hidden", "after_due_date", "after_published"):
        assert check_view(make_check("a", visibility=visibility, observations=[make_counted("x")])).measured == []
