"""Every cheat of `tests/attacks/`, graded in one class with honest submissions, on every kind of machine there is here.

A cheat may cost its author points and nobody else anything: no points that its code does not deserve, no submission
left ungraded, the honest ones at 100 before, between and after, no process or file left or changed, nothing private in
what a student reads. A line that begins with `BREACH:` in what a cheat printed means that it got somewhere it must not.
What a cheat must come to instead stands in its docstring, see `attack_outcomes.py`.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from attack_outcomes import CLASSES, CORPUS, Outcomes, answered, documented, owner
from attack_traces import ACTS, acting, hidden_values, running, shared_files, told_values, tree
from machines import MACHINES, Machine, Place

ROOT = Path(__file__).parent.parent
CANARY = "CANARY-" + "PRIVATE"
HONEST = {
    "attention": ("class/s01", ("00_honest", "mm_honest", "zz_honest")),
    "mlm_loss": ("class-mlm/m01", ("00_honest", "zz_honest")),
}
DESERVED = {
    "fitted_sum": 86,  # all but the checks of the sum
    "constant_answers": 21,  # right answers to public checks, whose inputs are public
    "table_of_public_answers": 30,  # the same, from a table
    "forged_unchanged": 64,  # right code but for its arguments, which only its own process can tell
    "global_switches": 60,  # three of four parts are right; settings are put back, but not within a check
    "plausible_weights": 18,  # properties that wrong answers may have: sums, signs, shapes, parameters
    "nan_poison": 7,  # a module with the right parameters, and a result of the right shape
    "many_tensors_observed": 4,  # each of these three answers one check rightly
    "observation_without_length": 4,
    "wide_integer_observed": 4,
    "switches_tell_inputs": 100,  # right code, that tries to tell inputs to its author
    "sum_of_nothing": 11,  # zero where nothing is selected, rows that sum to 1, logits left alone
}
"""Points that a cheat's code earns honestly; all others must score 0."""
KNOWN = {
    ("stats_private_files", "C"): "who guesses a path can look up size and date of a file there",
    ("prints_mountinfo", "C"): "the paths of the interpreter and of the grader are what they are there",
}
"""(cheat, mode) -> what is known to remain there, and stands in docs/security.md."""
LIMITS = "\n[limits]\nimport_seconds = 3\ncheck_seconds = 2\ntotal_seconds = 8\ncpu_seconds = 20\n"
OUR_SCRIPT = f"<script>{(ROOT / 'reports' / 'sort.js').read_text('utf-8')}</script>"
CHECKED = ("prints_inputs", "markup_everywhere", "escapes_in_names", "forged_log_lines", "surrogate_error_kind")
"""Cheats that a student checks on a machine of their own, too: harmless without confinement."""


@dataclass
class Run:
    """What a run on one machine came to: results by cheat, and all that it wrote, said and left."""

    machine: Machine
    results: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    honest: dict[str, dict[str, Any]] = field(default_factory=dict)
    strangers: list[str] = field(default_factory=list)
    reports: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    grades: str = ""
    pages: str = ""
    said: str = ""
    changed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    private: tuple[str, ...] = ()
    hidden: set[tuple[str, ...]] = field(default_factory=set)


@pytest.fixture(scope="module", params=[pytest.param(name, marks=pytest.mark.full) for name in MACHINES])
def run(request: pytest.FixtureRequest) -> Run:
    """The whole corpus, graded on one machine with short limits, which many cheats wait for."""
    machine = MACHINES[request.param]
    if reason := machine.reason_missing():
        pytest.skip(f"needs the layer: {reason}")
    return _graded(machine)


def _graded(machine: Machine) -> Run:
    shared = shared_files()
    with machine.open() as place:
        folders = _prepare(place)
        before = tree(folders)
        run = Run(machine)
        # In mode C student code sees the packages where they lie, below the same folder as its home.
        run.private = (str(place.folder if machine.mode == "C" else place.folder.parent), str(ROOT), "/tmp/pytest-of")
        if not sys.base_prefix.startswith("/usr"):
            run.private += (sys.base_prefix,)
        for assignment in HONEST:
            _grade(place, assignment, run)
        after = tree(folders)
        run.changed = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    run.hidden = hidden_values([*run.honest.values(), *(result for each in run.results.values() for result in each)])
    run.running = running()
    run.left = sorted(shared_files() - shared)
    return run


def _prepare(place: Place) -> list[Path]:
    """Course and class folders on the machine; returns what nobody may change."""
    course = place.folder / "course"
    for name in ("assignments", "reference", "reports"):
        shutil.copytree(ROOT / name, course / name)
    for assignment, (example, honest) in HONEST.items():
        with (course / "assignments" / assignment / "assignment.toml").open("a") as file:
            file.write(LIMITS)
        for variant in sorted((course / "assignments" / assignment / "variants").glob("*/*.py"))[5:]:
            variant.unlink()  # five are enough for hostile values to meet
        folder = place.folder / assignment
        folder.mkdir()
        for name in honest:
            shutil.copy(ROOT / "examples" / example / f"{assignment}.py", folder / f"{name}.py")
        for cheat in CORPUS.values():
            if cheat.assignment == assignment:
                cheat.hand_in(folder)
    return [path for path in place.folder.iterdir() if path.is_dir()]


def _grade(place: Place, assignment: str, run: Run) -> None:
    out = place.folder / f"{assignment}-out"
    arguments = ("--assignment", assignment, "--out", out, "--course", place.folder / "course", "--jobs", 2)
    ran = place.grader("grade", place.folder / assignment, *arguments, seconds=600)
    assert ran.returncode in (0, 3), ran.stderr[-3000:]  # 3: something is ungraded, which its own test tells
    run.said += ran.stdout + ran.stderr
    run.grades += (out / "grades.csv").read_bytes().decode("utf-8")
    run.pages += (out / "index.html").read_text("utf-8")
    for path in out.glob("r*/*"):
        run.sizes[path.name] = path.stat().st_size
    for path in (out / "results").glob("*.json"):
        result = json.loads(path.read_text("utf-8"))
        run.reports[f"{assignment} {path.stem}"] = (out / "reports" / f"{path.stem}.html").read_text("utf-8")
        if path.stem in HONEST[assignment][1]:
            run.honest[f"{assignment} {path.stem}"] = result
        elif cheat := owner(path.stem):
            run.results.setdefault(cheat, []).append(result)
        else:
            run.strangers.append(path.stem)


@pytest.fixture(scope="module")
def outcomes() -> Iterator[Outcomes]:
    """Collects what becomes of the cheats; writes the table of it if that is asked for and everything ran."""
    outcomes = Outcomes((machine.name, machine.mode) for machine in MACHINES.values())
    yield outcomes
    if os.environ.get("GRADER_WRITE_ATTACK_TABLE") == "1" and outcomes.complete():
        outcomes.write()


@pytest.mark.parametrize("name", list(CORPUS))
def test_a_cheat_gains_nothing(run: Run, outcomes: Outcomes, name: str) -> None:
    cheat, results = CORPUS[name], run.results.get(name, [])
    problems = [] if results else ["there is no result"]
    kinds = [answered(cheat, result) for result in results]
    for result, kind in zip(results, kinds, strict=True):
        who = result["submission"]["id"]
        if result["status"] not in ("graded", "invalid"):
            problems.append(f"{who}: {result['status']}: {result['reason']}")
            continue
        if kind is None:
            told = [f"{c['id']}: {c['status']}: {c['feedback']} {c['staff_detail']}"[:300] for c in result["checks"]]
            problems.append(f"{who}: shows none of {cheat.verdicts}: {result['reason']} {told[:3]}")
        if result["score"] > DESERVED.get(name, 0):
            problems.append(f"{who}: scored {result['score']}, deserved {DESERVED.get(name, 0)}")
        if breaches := re.findall("BREACH:.*", result["stdout"] + result["stderr"]):
            problems.append(f"{who}: {breaches[:5]}")
        if result["isolation"]["mode"] != run.machine.mode:
            problems.append(f"{who}: graded in mode {result['isolation']['mode']}")
        if blamed := {c["fault"] for c in result["checks"] if c["status"] != "passed"} - {"student"}:
            problems.append(f"{who}: not the student's fault but of {blamed}")
        problems += [f"{who}: its report tells {leak}" for leak in _leaks(run, result)]
    outcomes.add(run.machine.name, cheat, not problems, [kind for kind in kinds if kind])
    if problems and (name, run.machine.mode) in KNOWN:
        pytest.xfail(KNOWN[name, run.machine.mode])
    assert not problems, "\n".join(problems)


def _leaks(run: Run, result: dict[str, Any]) -> list[str]:
    """What a student reads in a report and must not: private words and paths, values that hidden checks expect."""
    report = run.reports[f"{result['assignment']['id']} {result['submission']['id']}"]
    found = [word for word in (CANARY, "BREACH", "LEAK", *run.private) if word in report]
    return found + [" ".join(three) for three in sorted(told_values(report) & run.hidden)[:3]]


def test_the_honest_keep_their_marks(run: Run) -> None:
    scores = {name: result["score"] for name, result in run.honest.items()}
    assert scores == {f"{name} {honest}": 100 for name, (_, all_) in HONEST.items() for honest in all_}


def test_every_result_has_its_submission(run: Run) -> None:
    assert run.strangers == []
    assert [len(run.results["lookalike_id"]), len(run.results["csv_formula_folder"])] == [10, 6]


def test_nothing_was_changed(run: Run) -> None:
    assert run.changed == []


def test_nothing_is_left_behind(run: Run) -> None:
    assert run.left == []


def test_nothing_is_leftrunning(run: Run) -> None:
    assert run.running == []


def test_results_stay_small(run: Run) -> None:
    assert max(run.sizes.values()) < 2_000_000, run.sizes
    assert max(len(report.encode()) for report in run.reports.values()) <= 150_000


def test_reports_of_the_honest_tell_nothing_private(run: Run) -> None:
    assert len(run.hidden) > 100
    assert {name: _leaks(run, result) for name, result in run.honest.items()} == {name: [] for name in run.honest}


def test_no_text_of_a_student_acts(run: Run) -> None:
    assert len(run.reports) == len(run.honest) + sum(map(len, run.results.values()))
    for name, page in {**run.reports, "class page": run.pages}.items():
        assert re.findall(ACTS, page.replace(OUR_SCRIPT, ""), re.IGNORECASE) == [], name
    for name, text in {**run.reports, "class page": run.pages, "terminal": run.said, "grades": run.grades}.items():
        assert acting(text.replace("\r\n", "\n")) == [], name
        assert not re.search(r"^\W*(FORGED|100/100)", text, re.MULTILINE) or name not in ("terminal", "grades"), name


def test_nothing_of_theirs_ran_in_the_grader(run: Run) -> None:
    assert "BREACH" not in run.said + run.pages + run.grades


def test_no_cell_of_the_grades_is_a_formula(run: Run) -> None:
    rows = list(csv.reader(io.StringIO(run.grades, newline="")))
    assert {len(row) for row in rows} == {7}
    assert [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []


@pytest.mark.full
@pytest.mark.parametrize("name", CHECKED)
def test_a_students_own_check_tells_nothing_private(
    grader: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, name: str
) -> None:
    file, page, told = tmp_path / f"{name}.py", tmp_path / "report.html", tmp_path / "result.json"
    shutil.copy(CORPUS[name].path, file)
    ran = grader("check", file, "--assignment", "attention", "--html", page, "--json", told)
    assert ran.returncode == 1, ran.stderr
    assert acting(ran.stdout) == []
    assert {check["visibility"] for check in json.loads(told.read_text("utf-8"))["checks"]} == {"visible"}
    for text in (ran.stdout, ran.stderr, page.read_text("utf-8"), told.read_text("utf-8")):
        assert CANARY not in text
    assert str(tmp_path) not in ran.stdout + page.read_text("utf-8") + told.read_text("utf-8")
    assert not re.search(ACTS, page.read_text("utf-8"), re.IGNORECASE)


def test_every_cheat_says_what_it_is() -> None:
    assert all(cheat.verdicts and cheat.letter for cheat in CORPUS.values())
    assert {*DESERVED, *CHECKED, *(name for name, _ in KNOWN)} <= CORPUS.keys()


@pytest.mark.parametrize("letter", list(CLASSES))
def test_the_table_of_cheats_is_not_out_of_date(letter: str) -> None:
    there = sum(cheat.letter == letter for cheat in CORPUS.values())
    assert there >= 5
    assert documented()[letter] == {there}, "GRADER_WRITE_ATTACK_TABLE=1 make test-full writes the table anew"
