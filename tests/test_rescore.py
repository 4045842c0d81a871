"""`grader rescore`: marks computed again from observations are those that a grading would give.

The strongest test here changes the course, rescores a class, grades the same class anew with the changed course, and
compares: whatever was not left for a run must be equal to the letter, but for times and misconceptions.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.batch.local import Slots
from grader.content import load_assignment, reference_submission, templates_folders
from grader.judge.diagnosis import Misconceptions
from grader.judge.rescoring import Left, Today, rescore
from grader.model.result import GradeResult
from grader.model.submission import Submission
from grader.pipeline import Course, grade, publish, publish_class
from grader.store import Run

ROOT = Path(__file__).parent.parent
MODE = "B" if os.geteuid() == 0 else "A1"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
MORE = '''
"""Further hidden checks."""

import torch

from grader.judge.marks import group, hint, points

TOLERANCE = 1e-3
BOUND = 10.0


@points(7)
@group("Summing")
def test_two_sums(student, expect):
    """total is exact on both sides of zero."""
    for sign in (1, -1):
        expect.close(student.total(torch.tensor([1.5, 2.0, 2.5]) * sign), 6.0 * sign, f"sum {sign}", atol=TOLERANCE)


@points(3)
@group("Summing")
def test_small(student, expect):
    """total of ones is small."""
    expect.below(student.total(torch.ones(4)), BOUND, "sum of ones")
'''
DEADLINE = '\n[deadline]\ndue = 2026-12-01T23:59\nzone = "America/Los_Angeles"\nper_day = 10\n'
TEXTS = {
    "right": RIGHT,
    "square": RIGHT.replace("2 * x", "x * x"),
    "raises": RIGHT.replace("return x.sum()", "raise ValueError(f'not {x}')"),
    "hangs": RIGHT.replace("return x.sum()", "while len(x) == 4:\n        pass\n    return x.sum()"),
    "unreadable": "def double(x)\n    return x\n",
    "late": RIGHT,
    "unnamed": "def double(x):\n    return 2 * x\n",
    "off": RIGHT.replace("x.sum()", "x.sum() + 4e-3"),
    "off-below-zero": RIGHT.replace("x.sum()", "x.sum() + 4e-3 * (x.sum() < 0)"),
    "nearly": RIGHT.replace("x.sum()", "x.sum() + 9e-4"),
    "large": RIGHT.replace("x.sum()", "x.sum() * (3 if len(x) == 4 else 1)"),
}
Edit = tuple[str, str, str]
Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]
TOML, PUBLIC, HIDDEN, EXTRA = "assignment.toml", "handout/check_tiny.py", "hidden/test_tiny.py", "hidden/test_more.py"
CHANGES: dict[str, tuple[list[Edit], set[str]]] = {
    "points": ([(HIDDEN, "@points(20)", "@points(15)"), (EXTRA, "@points(7)", "@points(12)")], set()),
    # `off` fails at the first of two sums: what it does at the second is not known.
    "a looser constant": ([(EXTRA, "TOLERANCE = 1e-3", "TOLERANCE = 1e-2")], {"off"}),
    "a tighter constant": ([(EXTRA, "TOLERANCE = 1e-3", "TOLERANCE = 1e-4")], set()),
    "a new amount": ([(HIDDEN, '"total(x)")', '"total(x)", rtol=0.0, atol=1e-3)')], set()),
    "a bound": ([(EXTRA, "BOUND = 10.0", "BOUND = 12.5")], set()),
    "an amount in a check that others need": ([(PUBLIC, '"double(x)")', '"double(x)", rtol=10.0)')], {"square"}),
    "labels": (
        [
            (PUBLIC, '@hint("Twice two is four.")', '@hint("Two twos.")\n@visibility("after_due_date")'),
            (PUBLIC, "import group", "import visibility, group"),
            (HIDDEN, '"""total(x) is the sum of x."""', '"""The sum."""  # said shortly'),
            (HIDDEN, '@group("Summing")', '@group("Sums")'),
            (TOML, 'version = "7"', 'version = "8"'),
        ],
        set(),
    ),
    "a deadline": ([(TOML, "per_day = 10", "per_day = 25.5")], set()),
    "no deadline": ([(TOML, DEADLINE, "")], set()),
    "a prerequisite": (
        [
            (EXTRA, '@points(3)\n@group("Summing")', '@points(3)\n@needs("two_sums")'),
            (EXTRA, "import group", "import needs, group"),
        ],
        set(),
    ),
    "no prerequisite": ([(HIDDEN, '@needs("double")\n', "")], {"square"}),
    "a check less": (
        [(EXTRA, r"\n\n@points\(3\).*", ""), (EXTRA, "@points(7)", "@points(10)")],
        set(),
    ),
    "a new check": (
        [
            (HIDDEN, "@points(20)", "@points(15)"),
            (EXTRA, r"\Z", '\n\n@points(5)\ndef test_new(expect):\n    expect.same(1, 1, "one")\n'),
        ],
        set(TEXTS) - {"unreadable"},
    ),
    "another question": ([(EXTRA, "torch.ones(4)", "torch.ones(3)")], set(TEXTS) - {"unreadable"}),
    "limits": ([(TOML, "check_seconds = 1", "check_seconds = 1.5")], {"hangs", "unreadable", "unnamed"}),
}


def submission(name: str) -> Submission:
    """Work as intake hands it on; `late` is one day late."""
    when = "2026-12-02T20:00:00-08:00" if name == "late" else "2026-12-01T10:00:00-08:00"
    return Submission(name, name, (), "tiny.py", {"tiny.py": TEXTS[name]}, graded_file="tiny.py", submitted_at=when)


def grade_class(course: Path, out: Path) -> Today:
    """Grade everybody into `out`, and the reference for what today's checks are."""
    assignment, templates, run = load_assignment(course, "tiny"), templates_folders(course), Run(out)
    run.prepare()
    known = Course(assignment, MODE, Misconceptions("", []))
    with Slots(course, "tiny", MODE, 1) as slots:
        work = [lambda given=given: given for given in [reference_submission(assignment), *map(submission, TEXTS)]]
        today, *results = slots.grade_all(work, lambda given, slot: grade(given, slot, known))
    for result in results:
        publish(result, run, templates)
    publish_class(run.results(), run, templates)
    return Today(today.assignment, assignment.about.deadline, today.checks)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The tiny course with more checks and a deadline, and a class that was graded with it."""
    folder = tmp_path_factory.mktemp("graded")
    course = Path(shutil.copytree(ROOT / "tests" / "course", folder / "course"))
    tiny = course / "assignments" / "tiny"
    (tiny / "hidden" / "test_more.py").write_text(MORE)
    hidden = tiny / "hidden" / "test_tiny.py"
    hidden.write_text("@points(20)".join(hidden.read_text().rsplit("@points(30)", 1)))
    with (tiny / "assignment.toml").open("a") as file:
        file.write(DEADLINE)
    grade_class(course, folder / "out")
    return course, folder / "out"


@pytest.fixture
def copied(graded: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """A copy of course and run that a test may change."""
    return Path(shutil.copytree(graded[0], tmp_path / "course")), Path(shutil.copytree(graded[1], tmp_path / "out"))


def change(course: Path, edits: list[Edit]) -> None:
    """Edit files of the assignment; each edit has to find its place."""
    for file, old, new in edits:
        path = course / "assignments" / "tiny" / file
        text = path.read_text("utf-8")
        if old in text:
            changed = new.join(text.rsplit(old, 1))
        else:
            changed = re.sub(old, lambda _, new=new: new, text, count=1, flags=re.DOTALL)
        assert changed != text, (file, old)
        path.write_text(changed, "utf-8")


def without_times(result: GradeResult) -> dict[str, Any]:
    """A result without what differs between two gradings, and between a grading and a rescoring."""
    found = msgspec.to_builtins(result)
    for key in ("graded_at", "rescored_at", "fingerprint", "seconds"):
        del found[key]
    del found["assignment"]["conditions"]
    # How processes ended is told of the run that was: checks that are skipped or gone today took part in it.
    found["staff_notices"] = [notice for notice in found["staff_notices"] if notice.startswith("Deadline: ")]
    for check in found["checks"]:
        del check["seconds"], check["asked_on"]
    return found


QUICK = ("a looser constant",)


@pytest.mark.parametrize(
    "what", [what if what in QUICK else pytest.param(what, marks=pytest.mark.full) for what in CHANGES]
)
def test_rescoring_gives_what_grading_gives(copied: tuple[Path, Path], tmp_path: Path, what: str) -> None:
    course, out = copied
    edits, left = CHANGES[what]
    change(course, edits)
    today = grade_class(course, tmp_path / "fresh")
    for name in TEXTS:
        before, fresh = Run(out).load_whole(name), Run(tmp_path / "fresh").load_whole(name)
        assert before is not None
        assert fresh is not None
        if name in left:
            with pytest.raises(Left):
                rescore(before, today)
        else:
            assert without_times(rescore(before, today)) == without_times(fresh), name


def test_reports_and_table_are_written_again_and_results_kept(
    grader: Command, copied: tuple[Path, Path], read_results: Results
) -> None:
    course, out = copied
    old = {path.name: path.read_bytes() for path in (out / "results").iterdir()}
    change(course, CHANGES["a tighter constant"][0])
    ran = grader("rescore", out, "--course", course, "--accept-lower")
    assert ran.returncode == 0, ran.stderr
    words = "two_sums: allowed difference 0.0001 instead of 0.001, now failed, 0 points instead of 7"
    assert words in unwrapped(ran.stdout)
    (kept,) = out.glob("results.before-*")
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == old
    assert str(kept) in ran.stderr
    assert read_results(out)["nearly"]["score"] == 93
    assert "nearly,nearly,graded,93" in (out / "grades.csv").read_text("utf-8")
    assert "93" in (out / "reports" / "nearly.html").read_text("utf-8")


@pytest.mark.full
def test_a_dry_run_tells_and_writes_nothing(grader: Command, copied: tuple[Path, Path]) -> None:
    course, out = copied
    old = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    change(course, CHANGES["a bound"][0])
    ran = grader("rescore", out, "--course", course, "--dry-run")
    assert ran.returncode == 0, ran.stderr
    assert "small: bound 12.5 instead of 10, now passed, 3 points instead of 0" in unwrapped(ran.stdout)
    assert "Would be rescored: 1 with other points or verdicts" in ran.stderr
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == old


@pytest.mark.full
def test_nothing_changed(grader: Command, copied: tuple[Path, Path]) -> None:
    course, out = copied
    ran = grader("rescore", out, "--course", course)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "Nothing changes; nothing was written." in ran.stderr
    assert not list(out.glob("results.before-*"))


def unwrapped(text: str) -> str:
    """A printed table without the breaks in its last column."""
    return " ".join(text.split())


@pytest.mark.full
def test_nobodys_mark_falls_unasked(grader: Command, copied: tuple[Path, Path], read_results: Results) -> None:
    course, out = copied
    before = read_results(out)
    change(course, CHANGES["a tighter constant"][0] + CHANGES["a bound"][0])
    ran = grader("rescore", out, "--course", course)
    assert ran.returncode == 0, ran.stderr
    assert "Not taken, since marks would fall: nearly" in ran.stderr
    after = read_results(out)
    assert after["nearly"] == before["nearly"]
    assert (before["large"]["score"], after["large"]["score"]) == (97, 100)


@pytest.mark.full
def test_a_rescored_class_is_graded_again_when_asked(
    copied: tuple[Path, Path], grader: Command, read_results: Results
) -> None:
    """Its results pass for those of no grading: neither of today's course nor of the one before."""
    course, out = copied
    change(course, CHANGES["points"][0])
    assert grader("rescore", out, "--course", course, "--accept-lower").returncode == 0
    assert {result["fingerprint"] for name, result in read_results(out).items() if result["rescored_at"]} == {""}


@pytest.mark.full
def test_a_skipped_check_that_would_run_is_named(grader: Command, copied: tuple[Path, Path]) -> None:
    course, out = copied
    change(course, CHANGES["no prerequisite"][0])
    ran = grader("rescore", out, "--course", course)
    assert ran.returncode == 3
    assert "Left as before, since double_negative was skipped and would run now: square." in ran.stderr
    assert f"--assignment tiny --out {out} --only square" in ran.stderr


@pytest.mark.full
def test_what_cannot_be_read_is_left(grader: Command, copied: tuple[Path, Path]) -> None:
    course, out = copied
    (out / "results" / "late.json").write_text("{")
    old = json.loads((out / "results" / "right.json").read_text("utf-8"))
    for check in old["checks"]:
        del check["asked"]
    (out / "results" / "right.json").write_text(json.dumps(old))
    change(course, CHANGES["a bound"][0])
    ran = grader("rescore", out, "--course", course)
    assert ran.returncode == 3
    assert "since its result cannot be read: late." in ran.stderr
    assert "since it was graded by a version of the grader that kept too little: right." in ran.stderr
    assert json.loads((out / "results" / "right.json").read_text("utf-8")) == old


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([(EXTRA, "BOUND = 10.0", "BOUND = 1.0")], "The reference of tiny does not pass small; nothing was rescored."),
        ([(EXTRA, "@points(7)", "@points(8)")], "The points of the checks of tiny sum to 101, not 100."),
    ],
)
def test_a_broken_course_changes_nothing(
    grader: Command, copied: tuple[Path, Path], read_results: Results, edits: list[Edit], words: str
) -> None:
    course, out = copied
    before = read_results(out)
    change(course, edits)
    ran = grader("rescore", out, "--course", course)
    assert ran.returncode == 2
    assert words in ran.stderr
    assert read_results(out) == before
    assert not list(out.glob("results.before-*"))


def test_a_folder_without_a_run(grader: Command, tmp_path: Path) -> None:
    ran = grader("rescore", tmp_path)
    assert ran.returncode == 2
    assert "holds no run" in ran.stderr


@pytest.mark.full
def test_the_example_class(grader: Command, tmp_path: Path) -> None:
    """A real assignment with drawn inputs and large tensors: rescored, marks and verdicts are those of a grading."""
    course = tmp_path / "course"
    for part in ("assignments", "reference", "reports"):
        shutil.copytree(ROOT / part, course / part)
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    arguments = ("grade", ROOT / "examples" / "class", "--assignment", "attention", "--course", course, "--out")
    assert grader(*arguments, out, seconds=600).returncode in (0, 3)
    hidden = course / "assignments" / "attention" / "hidden"
    for file, old, new in (
        ("test_module.py", "LARGE_INPUT_ATOL = 0.1", "LARGE_INPUT_ATOL = 0.2"),
        ("test_weights.py", "LARGE_SCORE_ATOL = 1e-3", "LARGE_SCORE_ATOL = 2e-3"),
    ):
        text = (hidden / file).read_text("utf-8")
        assert old in text
        (hidden / file).write_text(text.replace(old, new), "utf-8")
    ran = grader("rescore", out, "--course", course, seconds=600)
    assert grader(*arguments, fresh, seconds=600).returncode in (0, 3)
    compared = 0
    for name in Run(fresh).ids():
        mine, theirs = Run(out).load(name), Run(fresh).load(name)
        assert mine is not None
        assert theirs is not None
        if f" {name}" in ran.stderr:
            continue
        compared += 1
        verdicts = [[(check.id, check.status, check.points) for check in result.checks] for result in (mine, theirs)]
        assert (mine.status, mine.score, verdicts[0]) == (theirs.status, theirs.score, verdicts[1]), name
    assert compared >= 5
