"""Slots that die, judges that get lost, runs that are stopped: the batch goes on and says so."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest

from grader.batch.crew import Batch, Crew, Grading
from grader.batch.local import Slots, processors
from grader.batch.single import _Timed
from grader.content import load_assignment
from grader.errors import GraderError
from grader.judge.diagnosis import Misconceptions
from grader.judge.plan import USUAL, Plan
from grader.model import result as records
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


def test_a_slot_that_expects_many_gives_the_same_results(slots: Slots, assignment: Assignment) -> None:
    texts = [RIGHT, RIGHT.replace("2 * x", "3 * x"), "import sys\nsys.exit()\n", "def double(x:\n"]

    def results(running: Slots) -> list[GradeResult]:
        found = [judged(submission(text=text), running._slots[0], assignment, MODE) for text in texts]
        without_times = [[msgspec.structs.replace(check, seconds=0) for check in result.checks] for result in found]
        return [
            msgspec.structs.replace(result, seconds=0, checks=checks)
            for result, checks in zip(found, without_times, strict=True)
        ]

    with Slots(COURSE, "tiny", MODE, 1, expected=1000) as prepared:
        assert results(prepared) == results(slots)


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


def killed_with(score: float, assignment: Assignment) -> GradeResult:
    """A result of work whose process was killed in a check."""
    killed = records.StudentError("SIGKILL")
    check = records.CheckResult("total", "Total.", "Checks", "crashed", "student", 0, 30, "visible", error=killed)
    result = ungraded(submission(), assignment, MODE, "x")
    return msgspec.structs.replace(result, status="graded", reason=None, score=score, checks=[check])


@pytest.mark.parametrize("second", ["lost", "less", "more"])
def test_a_second_try_after_a_kill_takes_nothing_away(assignment: Assignment, second: str) -> None:
    """It has less time: a process that ends itself late must not make its work ungraded, nor bad luck a worse mark."""
    first = killed_with(70, assignment)
    again = {
        "lost": Unjudged("the time is up", final=True),
        "less": msgspec.structs.replace(first, score=40.0, checks=[]),
        "more": msgspec.structs.replace(first, score=100.0, checks=[]),
    }
    judge = Scripted(first, again[second])
    found = judged(submission(), judge, assignment, MODE)
    assert (found.status, found.score) == ("graded", 100 if second == "more" else 70)
    assert judge.asked == 2


def test_starting_that_took_most_of_the_time_is_the_machines_fault() -> None:
    """Of the 60 s that a platform gives 10 are left: whatever ran out of them would look like the student's fault."""
    slot = Mock()
    with pytest.raises(Unjudged, match="too slow") as problem:
        _Timed(slot, time.monotonic() + 10, least=15).judge(submission())
    assert problem.value.final
    assert not slot.judge.called
    _Timed(slot, time.monotonic() + 20, least=15).judge(submission())
    assert slot.judge.called


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


# plans

COUNTS = """
import torch

print("seed", torch.initial_seed())
doubled = 0


def double(x):
    global doubled
    doubled += 1
    return 2 * x


def total(x):
    return x.sum() * (1 if doubled else 2)
"""
"""Its total is wrong unless `double` was called before."""


def test_a_plan_sets_the_order_and_results_keep_theirs(slots: Slots) -> None:
    (slot,) = slots._slots
    usual = slot.judge(submission(text=COUNTS))
    assert [(check.id, check.status) for check in usual.checks] == [
        ("double", "passed"),
        ("double_negative", "passed"),
        ("total", "passed"),
    ]
    other = slot.judge(submission(text=COUNTS), Plan(first=("total",)))
    assert [(check.id, check.status) for check in other.checks] == [
        ("double", "passed"),
        ("double_negative", "passed"),
        ("total", "failed"),
    ]


def test_orders_are_shuffled_by_their_seed(slots: Slots) -> None:
    (slot,) = slots._slots
    scores = {seed: slot.judge(submission(text=COUNTS), Plan(order_seed=seed)).score for seed in range(12)}
    assert set(scores.values()) == {70, 100}
    assert scores[3] == slot.judge(submission(text=COUNTS), Plan(order_seed=3)).score


def test_a_run_until_failure_ends_with_it(slots: Slots) -> None:
    (slot,) = slots._slots
    wrong = RIGHT.replace("2 * x", "x * x")
    result = slot.judge(submission(text=wrong), Plan(until_failure=True))
    assert [(check.id, check.status) for check in result.checks] == [("double", "failed")]
    result = slot.judge(submission(text=wrong), Plan(until_failure=True, first=("total",)))
    assert [(check.id, check.status) for check in result.checks] == [("double", "failed"), ("total", "passed")]
    assert len(slot.judge(submission(), Plan(until_failure=True)).checks) == 3
    assert len(slot.judge(submission(text=wrong)).checks) == 3


def test_a_plan_sets_the_seed_of_checks_and_student(tiny_course: Path) -> None:
    path = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    text = path.read_text().replace(
        "test_total(student, expect, reference)", "test_total(student, expect, reference, rng)"
    )
    path.write_text(text.replace("torch.tensor([SECRET_INPUT, 1.0, 2.0])", "torch.randn(3, generator=rng)"))
    with Slots(tiny_course, "tiny", MODE, 1) as running:
        (slot,) = running._slots
        results = [slot.judge(submission(text=COUNTS), plan) for plan in (USUAL, Plan(seed=0), Plan(seed=5), USUAL)]
    assert {result.score for result in results} == {100}
    totals = [result.checks[2].observations[0].expected for result in results]
    assert totals[0] == totals[1] == totals[3] != totals[2]  # the assignment's own seed is 0
    assert [result.stdout.splitlines()[0] for result in results] == ["seed 0", "seed 0", "seed 5", "seed 0"]


# several assignments


def gradings(*texts: str) -> list[Grading]:
    """Gradings of these sources, named by their number."""
    return [
        Grading("right", str(number), submission(f"s{number}", text), lambda: USUAL)
        for number, text in enumerate(texts)
    ]


def batch(course: Path, name: str, *texts: str) -> Batch:
    """A batch for an assignment of the tiny course."""
    return Batch(load_assignment(course, name), MODE, gradings(*texts))


@pytest.fixture
def two_assignments(tiny_course: Path) -> Path:
    """A course with a second assignment like the first."""
    shutil.copytree(tiny_course / "assignments" / "tiny", tiny_course / "assignments" / "more")
    shutil.copy(tiny_course / "reference" / "tiny.py", tiny_course / "reference" / "more.py")
    return tiny_course


@pytest.mark.full
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_crew_grades_several_assignments(two_assignments: Path, workers: int) -> None:
    wrong = RIGHT.replace("2 * x", "x * x")
    batches = [batch(two_assignments, "tiny", RIGHT, wrong, RIGHT), batch(two_assignments, "more", wrong)]
    with Crew(two_assignments, workers) as crew:
        found = {
            (one.assignment, one.grading.slug): (one.result.assignment.id, one.result.score)
            for one in crew.grade_all(batches)
        }
        assert crew.seconds().keys() == {"tiny", "more"}
    assert found == {
        ("tiny", "0"): ("tiny", 100),
        ("tiny", "1"): ("tiny", 30),
        ("tiny", "2"): ("tiny", 100),
        ("more", "0"): ("more", 30),
    }
    assert all(slot._process is None for slot in crew._slots)


@pytest.mark.full
def test_workers_help_where_much_is_left(tiny_course: Path) -> None:
    with Crew(tiny_course, 2) as crew:
        assert len(list(crew.grade_all([batch(tiny_course, "tiny", *[RIGHT] * 14)]))) == 14
        assert len(crew._slots) == 2
    with Crew(tiny_course, 2) as crew:
        assert len(list(crew.grade_all([batch(tiny_course, "tiny", *[RIGHT] * 4)]))) == 4
        assert len(crew._slots) == 1


def test_a_crew_whose_checks_are_broken_says_so(two_assignments: Path) -> None:
    path = two_assignments / "assignments" / "more" / "hidden" / "test_tiny.py"
    path.write_text(path.read_text().replace("import torch", "import no_such_module"))
    batches = [batch(two_assignments, "tiny", *[RIGHT] * 300), batch(two_assignments, "more", RIGHT)]
    with pytest.raises(GraderError, match="no_such_module"), Crew(two_assignments, 2) as crew:
        list(crew.grade_all(batches))
    assert all(slot._process is None for slot in crew._slots)


def test_a_plan_is_asked_for_when_its_turn_comes(tiny_course: Path) -> None:
    finished: list[str] = []
    first, second = gradings(RIGHT, RIGHT)
    seen: list[list[str]] = []

    def plan() -> Plan:
        seen.append(list(finished))
        return USUAL

    late = Grading(second.kind, second.slug, second.submission, plan)
    with Crew(tiny_course, 1) as crew:
        for one in crew.grade_all([Batch(load_assignment(tiny_course, "tiny"), MODE, [first, first, late])]):
            finished.append(one.grading.slug)
    assert seen[0][:1] == ["0"]
