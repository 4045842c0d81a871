"""Slots that die, judges that get lost, runs that are stopped: the batch goes on and says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from grader.batch.local import Slots, processors
from grader.content import load_assignment
from grader.errors import GraderError
from grader.judge.diagnosis import Misconceptions
from grader.model.assignment import Assignment
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.pipeline import ATTEMPTS, Course, Unjudged, fingerprint, grade, judged, ungraded

ROOT = Path(__file__).parent.parent
COURSE = ROOT / "tests" / "course"
MODE = "B" if os.geteuid() == 0 else "A1"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"


def submission(name: str = "s", text: str = RIGHT) -> Submission:
    """A submission for the tiny course."""
    return Submission(name, name, (), "tiny.py", {"tiny.py": text}, graded_file="tiny.py")


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    """The tiny assignment."""
    return load_assignment(COURSE, "tiny")


@pytest.fixture(scope="module")
def slots() -> Iterator[Slots]:
    """One slot."""
    with Slots(COURSE, "tiny", MODE, 1) as running:
        yield running


class Scripted:
    """A judge that does what it is told to: results, or losses by their text."""

    def __init__(self, *script: GradeResult | Unjudged) -> None:
        self._script = list(script)
        self.asked = 0

    def judge(self, _: Submission) -> GradeResult:
        """The next of the script."""
        self.asked += 1
        step = self._script.pop(0)
        if isinstance(step, Unjudged):
            raise step
        return step


def test_a_slot_that_is_killed_is_replaced(slots: Slots, assignment: Assignment) -> None:
    (slot,) = slots._slots
    assert judged(submission(), slot, assignment, MODE).score == 100
    assert slot._process is not None
    first = slot._process.pid
    os.kill(first, signal.SIGKILL)
    assert judged(submission(), slot, assignment, MODE).score == 100
    assert slot._process.pid != first


def test_results_come_for_every_submission(slots: Slots) -> None:
    work = [lambda name=f"s{number}": submission(name) for number in range(9)]
    found = {result.submission.id: result.score for result in slots.grade_all(work, lambda s, slot: slot.judge(s))}
    assert found == {f"s{number}": 100 for number in range(9)}


def test_a_reader_that_raises_reaches_the_caller(slots: Slots) -> None:
    def broken() -> Submission:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(slots.grade_all([broken], lambda s, slot: slot.judge(s)))


def test_a_retired_slot_starts_no_more(assignment: Assignment) -> None:
    with Slots(COURSE, "tiny", MODE, 1) as running:
        (slot,) = running._slots
    with pytest.raises(Unjudged, match="stopped"):
        slot.judge(submission())
    assert slot._process is None


def test_broken_checks_end_the_start(tiny_course: Path) -> None:
    path = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    path.write_text(path.read_text().replace("import torch", "import no_such_module"))
    with pytest.raises(GraderError, match="no_such_module") as problem, Slots(tiny_course, "tiny", MODE, 2):
        pass
    assert problem.value.exit_status == 2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("@points(40)", "@points('many')", "needs @points"),
        ("@points(40)", "@points(41)", "public checks of tiny sum to 41, not 40"),
        ('@hint("Twice', '@visibility("hiden")\n@hint("Twice', "visibility 'hiden'"),
        ('@hint("Twice', '@needs("test_nothing")\n@hint("Twice', "needs nothing, which is no check"),
        ("def test_double(student, expect)", "def test_double(student, expect, reference)", "students do not have"),
    ],
)
def test_authors_mistakes_are_sentences(tiny_course: Path, old: str, new: str, words: str) -> None:
    path = tiny_course / "assignments" / "tiny" / "handout" / "check_tiny.py"
    text = path.read_text().replace("import group, hint, points", "import group, hint, needs, points, visibility")
    path.write_text(text.replace(old, new))
    with pytest.raises(GraderError, match=words) as problem, Slots(tiny_course, "tiny", MODE, 1):
        pass
    assert problem.value.exit_status == 2


def test_losses_are_tried_again_and_then_told(assignment: Assignment) -> None:
    course = Course(assignment, MODE, Misconceptions("", []))
    good = ungraded(submission(), assignment, MODE, "x")
    good = msgspec.structs.replace(good, status="graded", score=100.0)
    patient = Scripted(Unjudged("one"), Unjudged("two"), good)
    assert grade(submission(), patient, course).score == 100
    lost = Scripted(*(Unjudged(f"loss {number}") for number in range(ATTEMPTS)))
    result = grade(submission(), lost, course)
    assert (result.status, result.score, lost.asked) == ("ungraded", None, ATTEMPTS)
    assert f"loss {ATTEMPTS - 1}" in (result.reason or "")
    final = Scripted(Unjudged("took all its time", final=True))
    assert grade(submission(), final, course).status == "ungraded"
    assert final.asked == 1


def test_a_bug_of_ours_costs_nobody_else(assignment: Assignment) -> None:
    class Broken:
        def judge(self, _: Submission) -> GradeResult:
            raise KeyError("ours")

    result = grade(submission(), Broken(), Course(assignment, MODE, Misconceptions("", [])))
    assert (result.status, result.score) == ("ungraded", None)
    assert "KeyError" in (result.reason or "")


def test_the_fingerprint_knows_student_files_and_assignment(assignment: Assignment) -> None:
    base = fingerprint(submission(), assignment)
    assert fingerprint(submission(), assignment) == base
    assert fingerprint(submission("other"), assignment) != base
    assert fingerprint(submission(), msgspec.structs.replace(assignment, fingerprint="x")) != base


def test_unreadable_files_are_not_the_students(slots: Slots, assignment: Assignment) -> None:
    lost = Submission("s", "s", (), None, {}, "cannot be read", unreadable=True)
    assert judged(lost, slots._slots[0], assignment, MODE).status == "ungraded"
    assert judged(msgspec.structs.replace(lost, unreadable=False), slots._slots[0], assignment, MODE).score == 0


def test_switches_of_hidden_checks_are_for_staff(slots: Slots, assignment: Assignment) -> None:
    text = "import torch\n" + RIGHT.replace(
        "    return x.sum()", "    torch.set_default_dtype(torch.float64)\n    return x.sum()"
    ).replace("    return 2 * x", "    if x[0] < 0:\n        torch.set_flush_denormal(True)\n    return 2 * x")
    result = judged(submission(text=text), slots._slots[0], assignment, MODE)
    assert result.notices == []
    assert [notice for notice in result.staff_notices if "set_flush_denormal" in notice]


def test_the_package_loads_where_there_is_no_fork() -> None:
    """As on Windows: no `resource`, no `fcntl`, no libc to be had by ctypes at import."""
    code = (
        "import sys, ctypes\n"
        "for name in ('resource', 'fcntl'):\n    sys.modules[name] = None\n"
        "def refuse(*_, **__):\n    raise OSError('no libc')\n"
        "ctypes.CDLL = refuse\n"
        "from grader.sandbox.backends.plain import PlainBackend\n"
        "from grader.sandbox.backends.linux import LinuxBackend\n"
        "from grader.model.assignment import Limits, SandboxNeeds\n"
        "sandbox = PlainBackend(fork=False).open(Limits(), SandboxNeeds(), 0)\n"
        "process = sandbox.spawn(5)\n"
        "print(process.layers)\n"
        "sandbox.close()\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=100)
    assert ran.returncode == 0, ran.stderr
    assert "time limits" in ran.stdout


def test_processors_are_those_that_may_be_used() -> None:
    assert processors() >= 1
    if hasattr(os, "sched_getaffinity"):
        assert processors() == len(os.sched_getaffinity(0))
