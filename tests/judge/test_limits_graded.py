"""Whole gradings of submissions that strike limits: what the result says to the student and to staff."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.batch.local import Slots
from grader.model.result import CheckResult, GradeResult, Incident
from grader.model.submission import Submission
from grader.model.view import student_view

COURSE = Path(__file__).parent.parent / "course"
CONFINED = "B" if os.geteuid() == 0 else "A1"
HEAD = "import ctypes, os, sys, time, torch\n"
SECRET = "271828"
"""A hidden input of the tiny course."""


@pytest.fixture(scope="module")
def slots() -> Iterator[Slots]:
    """One slot."""
    with Slots(COURSE, "tiny", CONFINED, 1) as running:
        yield running


def graded(slots: Slots, double: str = "return 2 * x", total: str = "return x.sum()", top: str = "") -> GradeResult:
    """The result of a submission with these bodies; `double` begins in line 4, `total` two lines after its end."""
    text = f"{HEAD}{top}\ndef double(x):\n    {double}\n\ndef total(x):\n    {total}\n"
    submission = Submission("s", "s", (), "tiny.py", {"tiny.py": text}, graded_file="tiny.py")
    (result,) = slots.grade_all([lambda: submission], lambda made, slot: slot.judge(made))
    return result


def check(result: GradeResult, name: str) -> CheckResult:
    """One check of a result."""
    return next(check for check in result.checks if check.id == name)


def shown(result: GradeResult, name: str) -> str:
    """What the student reads of a check."""
    view = student_view(result)
    assert SECRET not in msgspec.json.encode(view).decode()
    return next(check.feedback for group in view.groups for check in group.checks if check.id == name)


def test_a_visible_and_a_hidden_time_out(slots: Slots) -> None:
    result = graded(slots, double="while True: x = x + 1", total="return sum(range(10**13))")
    assert shown(result, "double") == (
        "Your code did not finish within 1 s (at tiny.py, line 4, in double). "
        "A loop whose condition never turns false is the usual cause.\n    while True: x = x + 1"
    )
    assert shown(result, "total") == (
        "Your code did not finish within the time that a check may take (at tiny.py, line 7). "
        "A loop whose condition never turns false is the usual cause."
    )
    assert "Limits: 1 s for a check, 2 s for the import" in check(result, "total").staff_detail
    assert result.staff_notices == ["Over the time of a check in checks double, total."]
    assert result.notices == []


def test_a_crash(slots: Slots) -> None:
    result = graded(slots, total="ctypes.string_at(int(x[0] * 0))")
    total = check(result, "total")
    assert (total.status, total.fault) == ("crashed", "student")
    assert "(at tiny.py, line 7, in total): it touched memory that is not its own (SIGSEGV)" in total.feedback
    assert "Process: ended by itself (SIGSEGV)." in total.staff_detail
    assert shown(result, "total").startswith("Your code ended its process (at tiny.py, line 7). ")
    assert "SIGSEGV" not in shown(result, "total")
    assert result.staff_notices == ["Ended by SIGSEGV in check total."]
    assert result.incidents == [Incident("ended", ["total"])]


def test_want_of_memory_costs_its_check_alone(slots: Slots) -> None:
    hoards = "while True: kept.append(torch.empty(100 << 20))"
    needs_some = "return x.sum() + torch.empty(100 << 20)[:0].sum()"
    result = graded(slots, double=hoards, total=needs_some, top="kept = []")
    double = check(result, "double")
    assert double.status == "memory"
    assert "limit of 1536 MB" in double.feedback
    assert "Process: ended by the grader." in double.staff_detail
    assert check(result, "total").status == "passed"
    assert result.staff_notices == ["Out of memory in check double."]
    assert result.incidents == []


def test_a_protocol_violation_is_for_staff(slots: Slots) -> None:
    result = graded(slots, total="os.write(3, b'GRW2 not a frame at all')\n    return x.sum()")
    assert "disturbed the channel" in check(result, "total").feedback
    assert check(result, "total").staff_detail.startswith("Protocol violation: the reply does not begin like a frame.")
    assert result.staff_notices == ["Protocol violation in check total."]
    assert result.incidents == [Incident("protocol", ["total"])]
    assert "Protocol" not in msgspec.json.encode(student_view(result)).decode()


def test_output_that_is_cut_is_told_once_and_for_visible_checks_alone(slots: Slots) -> None:
    flood = "sys.stdout.write('x' * 200_000)\n    return"
    visible = graded(slots, double=f"{flood} 2 * x")
    assert [notice for notice in visible.notices if "more than the 64 KB" in notice] == visible.notices
    assert len(visible.notices) == 1
    assert graded(slots, total=f"{flood} x.sum()").notices == []


@pytest.mark.parametrize(
    ("total", "kind"),
    [
        ("raise PermissionError(str(x))", "PermissionError"),
        ("raise type('E' + str(float(x[0])), (Exception,), {})()", "an exception"),
        ("raise type('processor' , (BaseException,), {})()", "an exception"),
    ],
)
def test_hidden_exceptions_tell_nothing_of_the_students(slots: Slots, total: str, kind: str) -> None:
    assert shown(graded(slots, total=total), "total").startswith(f"Your code raised {kind} at tiny.py, line 7.")


def test_hidden_output_and_forged_stacks_tell_nothing(slots: Slots) -> None:
    forged = (
        "told = str(int(x[0]))\n"
        "    os.write(2, f'Stack (most recent call first):\\n  File \"{told}\", line {told} in {told}\\n'.encode())\n"
        "    os._exit(int(x[0]) % 50)"
    )
    result = graded(slots, total=forged)
    assert check(result, "total").status == "crashed"
    assert shown(result, "total").startswith("Your code ended its process")


def test_an_import_that_ends_badly(slots: Slots) -> None:
    result = graded(slots, top="here = ctypes.string_at(0)")
    assert result.status == "invalid"
    assert "(at tiny.py, line 2): it touched memory that is not its own (SIGSEGV)" in (result.reason or "")
    assert result.staff_notices[0].startswith("At import: Ended by SIGSEGV.")
    graded_anyway = graded(slots, top="ctypes.string_at(0)")
    assert graded_anyway.score == 100
    assert "(at tiny.py, line 2)" in graded_anyway.notices[0]
    assert graded_anyway.staff_notices[0].startswith("At import: Ended by SIGSEGV.")
    assert result.incidents == graded_anyway.incidents == [Incident("ended", at_import=True)]


def test_what_python_was_refused_is_told_to_staff(slots: Slots) -> None:
    connects = "__import__('socket').socket()"
    result = graded(slots, double=f"{connects}\n    return 2 * x", top=f"try: {connects}\nexcept OSError: pass")
    assert check(result, "double").status == "error"
    assert result.incidents == [Incident("refused", ["double"])]
    left = graded(slots, top="raise PermissionError('no')")
    assert left.incidents == [Incident("refused", at_import=True)]


def test_two_gradings_are_identical_but_for_their_seconds(slots: Slots) -> None:
    def comparable(result: GradeResult) -> Any:
        found = msgspec.to_builtins(msgspec.structs.replace(result, seconds=0.0))
        for seen in found["checks"]:
            seen["seconds"] = 0
        return found

    bodies = {
        "double": "print('x', file=sys.stderr, flush=True)\n    return sum(range(10**13))",
        "total": "print('y', file=sys.stderr, flush=True)\n    ctypes.string_at(0)",
    }
    first, second = (comparable(graded(slots, **bodies)) for _ in range(2))
    assert first == second
    assert first["stderr"] == "x\ny\n"
