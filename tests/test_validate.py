"""`grader validate` end to end on the tiny course, and what its proof calls a surprise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from grader.batch.crew import Grading
from grader.batch.proof import ORDERS, Proof, order_seed
from grader.content import load_assignment
from grader.model.observation import Observation
from grader.model.result import CheckResult, GradeResult
from grader.pipeline import ungraded

ROOT = Path(__file__).parent.parent
COURSE = ROOT / "tests" / "course"
Command = Callable[..., subprocess.CompletedProcess[str]]

MANY_MUTANTS = f"""import math

FACTORS = ({", ".join(["2", *["1"] * 27])})


def double(x):
    return 2 * x[:]


def total(x):
    return x.sum() * math.prod(FACTORS) / 2
"""
"""A reference of which one mutant cannot be told from it: that without `[:]`."""

ENTRY = """
[[mutant]]
function = "{function}"
operator = "index"
before = "return 2 * x[:]"
after = "return 2 * x"
reason = "Nobody sees whether it was copied."
"""


def reasons(course: Path, *functions: str) -> None:
    """Write a reason for the mutant without `[:]`, in each of these functions."""
    path = course / "assignments" / "tiny" / "variants" / "equivalent.toml"
    path.write_text("".join(ENTRY.format(function=function) for function in functions))


def surprises(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """The sentences that it prints."""
    return [line.removeprefix("SURPRISE  ") for line in ran.stdout.splitlines() if line.startswith("SURPRISE")]


def test_all_mutants_of_a_small_reference_are_killed(grader: Command) -> None:
    ran = grader("validate", "tiny", "--course", COURSE)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "8 mutants of the reference, 8 killed: 100.0%" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "No surprises."
    assert "tiny: 17 gradings" in ran.stderr
    assert " s." not in ran.stdout  # how long it took is no result


@pytest.mark.full
def test_the_course_proves_itself(grader: Command) -> None:
    ran = grader("validate", seconds=1200)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == "No surprises."
    shares = re.findall(r"mutants of the reference, \d+ killed: ([\d.]+)%", ran.stdout)
    assert len(shares) == len(list((ROOT / "assignments").glob("*/assignment.toml")))
    assert all(float(share) >= 98 for share in shares)


@pytest.mark.full
def test_a_survivor_without_a_reason_is_a_surprise_and_so_is_a_stale_reason(grader: Command, tiny_course: Path) -> None:
    (tiny_course / "reference" / "tiny.py").write_text(MANY_MUTANTS)
    reasons(tiny_course, "total")
    ran = grader("validate", "tiny", "--course", tiny_course)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    stale, unknown = sorted(surprises(ran), key=lambda text: "has no reason" in text)
    assert unknown == (
        "tiny: a mutant passes everything, and equivalent.toml has no reason for it: "
        "double, line 7, index: return 2 * x[:] -> return 2 * x"
    )
    assert stale == (
        "tiny: equivalent.toml excuses a mutant that does not survive or does not exist: "
        "total, index: return 2 * x[:] -> return 2 * x"
    )


@pytest.mark.full
def test_a_survivor_with_a_reason_is_listed(grader: Command, tiny_course: Path) -> None:
    (tiny_course / "reference" / "tiny.py").write_text(MANY_MUTANTS)
    reasons(tiny_course, "double")
    ran = grader("validate", "tiny", "--course", tiny_course)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "survives: double, line 7, index: return 2 * x[:] -> return 2 * x\n" in ran.stdout
    assert "Nobody sees whether it was copied." in ran.stdout


@pytest.mark.full
def test_too_many_survivors_are_a_surprise_whatever_their_reasons(grader: Command, tiny_course: Path) -> None:
    path = tiny_course / "reference" / "tiny.py"
    path.write_text(path.read_text().replace("2 * x", "2 * x[:]"))
    reasons(tiny_course, "double")
    ran = grader("validate", "tiny", "--course", tiny_course)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert surprises(ran) == ["tiny: 10 of 11 mutants are killed: 90.9%, not 98%"]


@pytest.mark.full
def test_a_check_that_needs_another_to_have_run_is_found(grader: Command, tiny_course: Path) -> None:
    path = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    text = path.read_text().replace("SECRET_INPUT = ", "SEEN = []\nSECRET_INPUT = ")
    text = text.replace("    x = torch.tensor([-SECRET", "    SEEN.append(student)\n    x = torch.tensor([-SECRET")
    path.write_text(text.replace("    x = torch.tensor([SECRET", "    assert SEEN\n    x = torch.tensor([SECRET"))
    ran = grader("validate", "tiny", "--no-mutants", "--course", tiny_course)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    found = [text for text in surprises(ran) if "the order of the checks matters" in text]
    assert found
    assert "on the reference, total found something else" in found[0]
    assert "mutants" not in ran.stdout


@pytest.mark.full
def test_public_values_are_those_of_the_usual_order(grader: Command, tiny_course: Path) -> None:
    """As `grade` and `check` observe them."""
    folder = tiny_course / "assignments" / "tiny"
    text = (folder / "variants" / "wrong" / "square.py").read_text()
    text = text.replace("def double", "calls = 0\n\n\ndef double")
    text = text.replace("    return x * x", "    global calls\n    calls += 1\n    return x * x + 1000 * calls")
    (folder / "variants" / "wrong" / "square.py").write_text(text.replace("x.sum()", "double(x).sum()"))
    ran = grader("validate", "tiny", "--no-mutants", "--write", "--course", tiny_course)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    written = msgspec.json.decode((folder / "handout" / "misconceptions.json").read_bytes())
    (square,) = (variant for variant in written["variants"] if variant["slug"] == "square")
    assert square["checks"]["double"]["observations"][-1]["actual"]["data"] == [1001.0, 1004.0, 1009.0]


# bench/stability.py


def stability(course: Path, runs: int) -> subprocess.CompletedProcess[str]:
    """Grade the reference of the tiny assignment with so many seeds."""
    command = [sys.executable, str(ROOT / "bench" / "stability.py"), "--runs", str(runs), "tiny"]
    environment = {**os.environ, "GRADER_COURSE": str(course)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)


@pytest.mark.full
def test_a_check_that_fails_for_some_draws_is_not_stable(tiny_course: Path) -> None:
    ran = stability(tiny_course, 3)
    assert (ran.returncode, ran.stdout) == (0, "tiny         3 of 3 results are 100.00 with every check passed\n")
    path = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    text = path.read_text().replace("(student, expect, reference)", "(student, expect, reference, rng)")
    path.write_text(text + "    expect.above(torch.randn(2, generator=rng), 0.0, 'what was drawn')\n")
    ran = stability(tiny_course, 12)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    flaws = [line for line in ran.stdout.splitlines() if line.startswith("tiny, seed ")]
    assert 0 < len(flaws) < 12
    assert ran.stdout.startswith(f"tiny         {12 - len(flaws)} of 12 results are 100.00")
    assert all("total (" in line and "what was drawn" in line for line in flaws)


# the proof, without slots


def check(name: str, status: str = "passed", actual: float = 1.0, visibility: str = "hidden") -> CheckResult:
    """A check's result with one observation."""
    passed = status == "passed"
    return CheckResult(
        id=name,
        title=name,
        group="g",
        status=status,  # type: ignore[arg-type]
        fault=None if passed else "student",
        points=50.0 if passed else 0.0,
        max_points=50.0,
        visibility=visibility,  # type: ignore[arg-type]
        feedback="",
        hint="",
        observations=[Observation("value", "close", 1.0, actual, "")],
        seconds=0.5,
    )


def result(grading: Grading, *checks: CheckResult, status: str = "graded") -> GradeResult:
    """A result of these checks."""
    assignment = load_assignment(COURSE, "tiny")
    score = None if status == "ungraded" else sum(one.points for one in checks)
    made = ungraded(grading.submission, assignment, "B", "none")
    return msgspec.structs.replace(made, status=status, score=score, checks=list(checks), reason=None)


Answer = Callable[[Grading], GradeResult | None]


def proof_with(answer: Answer, mutants: bool = False) -> Proof:
    """A finished proof of the tiny assignment; where `answer` gives nothing, everything is as it must be."""
    proof = Proof(load_assignment(COURSE, "tiny"), mutants, False)
    for grading in proof.gradings:
        failing = {"stub": ("a", "b"), "wrong": ("a", "b"), "mutant": ("b",)}.get(grading.kind, ())
        usual = result(grading, *(check(name, "failed" if name in failing else "passed") for name in ("a", "b")))
        proof.take(grading, answer(grading) or usual)
    return proof


def on(kind: str, *checks: CheckResult, status: str = "graded", slug: str | None = None) -> Answer:
    """Answers gradings of one kind with these checks."""
    return lambda one: result(one, *checks, status=status) if one.kind == kind and slug in (None, one.slug) else None


def test_the_proof_of_a_good_assignment_has_no_surprise() -> None:
    assert proof_with(lambda _: None, mutants=True).surprises() == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (on("right", check("a"), check("b", "failed")), "right adds scores 50, not 100: it fails b"),
        (on("stub", check("a"), check("b", "failed")), "the stub scores 50, not 0"),
        (on("wrong", check("a"), check("b"), slug="mean"), "wrong mean passes everything"),
        (on("wrong", check("a", "failed"), check("b")), "no wrong variant fails the hidden check b"),
        (on("wrong", check("a", "failed"), check("b", "skipped")), "no wrong variant fails the hidden check b"),
        (on("right", status="ungraded"), "right adds is ungraded"),
        (on("order", check("a"), check("b", actual=2.0)), "on the reference, b found something else"),
        (on("order", check("a"), check("b", "error")), "on the reference, b found something else"),
        (on("order", status="invalid"), "on the reference, a, b found something else"),
    ],
)
def test_surprises(answer: Answer, words: str) -> None:
    found = proof_with(answer).surprises()
    assert any(words in text for text in found), found


def test_the_stub_may_be_no_python() -> None:
    assert proof_with(on("stub", status="invalid")).surprises() == []


def test_what_checks_share_may_be_observed_by_either() -> None:
    shared = Observation("drawn once", "that", True, True, "")
    first, second = check("a"), check("b")

    def answer(grading: Grading) -> GradeResult | None:
        both = {"reference": (first, second), "order": (second, first)}.get(grading.kind)
        if both is None:
            return None
        more = msgspec.structs.replace(both[0], observations=[shared, *both[0].observations])
        return result(grading, *sorted((more, both[1]), key=lambda one: one.id))

    assert proof_with(answer).surprises() == []


def test_mutants_that_cannot_be_loaded_are_killed_and_ungraded_ones_are_told() -> None:
    assert proof_with(on("mutant", status="invalid"), mutants=True).surprises() == []
    assert proof_with(on("mutant", check("a", "timeout")), mutants=True).surprises() == []
    found = proof_with(on("mutant", status="ungraded", slug="3"), mutants=True).surprises()
    assert any("was not graded" in text for text in found), found
    report = proof_with(on("mutant", check("a"), check("b"), slug="3"), mutants=True).mutant_report()
    assert report is not None
    assert (report.total, report.killed, len(report.survivors)) == (8, 7, 1)


def test_every_variant_has_an_order_of_its_own_and_always_the_same() -> None:
    proof = Proof(load_assignment(COURSE, "tiny"), True, True)
    plans = {(one.kind, one.slug): one.plan() for one in proof.gradings}
    seeds = [plan.order_seed for (kind, _), plan in plans.items() if kind in ("order", "right", "wrong", "stub")]
    assert None not in seeds
    assert len(set(seeds)) == len(seeds) == ORDERS + 5
    assert plans["wrong", "mean"].order_seed == order_seed("mean") == 2_186_428_334
    assert plans["reference", "tiny"].order_seed is plans["values", "mean"].order_seed is None
    assert all(plan.until_failure for (kind, _), plan in plans.items() if kind == "mutant")


def test_mutants_meet_first_what_fails_most_for_its_time() -> None:
    proof = Proof(load_assignment(COURSE, "tiny"), True, False)
    gradings = {(one.kind, one.slug): one for one in proof.gradings}
    mutant = gradings["mutant", "0"]
    assert mutant.plan().first == ()
    slow = msgspec.structs.replace(check("a"), seconds=5.0)
    reference = gradings["reference", "tiny"]
    proof.take(reference, result(reference, slow, check("b")))
    assert mutant.plan().first == ("b", "a")
    proof.take(mutant, result(mutant, *[check("a", "failed")] * 3))
    proof.take(gradings["wrong", "mean"], result(mutant, check("b", "failed")))
    assert mutant.plan().first == ("a", "b")
