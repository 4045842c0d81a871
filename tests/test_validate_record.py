"""`variants/failures.json`: what `grader validate` leaves out because of it, and how it tells that it is wrong."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.batch.proof import Proof
from grader.batch.record import FILE, mutant_key, read_record, write_record
from grader.content import load_assignment
from grader.errors import UsageProblem

Command = Callable[..., subprocess.CompletedProcess[str]]

STATEFUL = '''# CANARY-PRIVATE-tiny-wrong-stateful
"""You keep the last double; the total needs none."""

last = 0.0


def double(x):
    global last
    last = float(x.sum())
    return 2 * x


def total(x):
    return x.sum() + last
'''
"""A wrong variant that fails `total` only after `double`, which the order of its name's seed has first."""


@pytest.fixture(scope="module")
def written(grader: Command, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], None]:
    """Puts into a copy of the tiny course the variant `stateful` and the record that validate writes."""
    records: list[bytes] = []

    def write(course: Path) -> None:
        (variants(course) / "wrong" / "stateful.py").write_text(STATEFUL)
        if records:
            (variants(course) / FILE).write_bytes(records[0])
            return
        ran = validate(grader, course, "--write")
        assert (ran.returncode, surprises(ran)) == (0, []), ran.stdout + ran.stderr
        records.append((variants(course) / FILE).read_bytes())

    return write


def variants(course: Path) -> Path:
    """The folder with the variants of the tiny assignment."""
    return course / "assignments" / "tiny" / "variants"


def validate(grader: Command, course: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Without mutants, which have nothing to do with the record but for their order."""
    return grader("validate", "tiny", "--no-mutants", *options, "--course", course)


def surprises(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """The sentences that it prints."""
    return [line.removeprefix("SURPRISE  tiny: ") for line in ran.stdout.splitlines() if line.startswith("SURPRISE")]


def edit(course: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what is recorded of the wrong variants."""
    path = variants(course) / FILE
    record = msgspec.json.decode(path.read_bytes())
    change(record["wrong"])
    path.write_bytes(msgspec.json.encode(record))


@pytest.mark.full
def test_only_recorded_failures_run_and_the_table_says_so(
    grader: Command, tiny_course: Path, written: Callable[[Path], None]
) -> None:
    written(tiny_course)
    record = msgspec.json.decode((variants(tiny_course) / FILE).read_bytes())
    assert record["canary"] == "CANARY-" + "PRIVATE-tiny-failures"
    assert {slug: (entry["fails"], entry["alone"]) for slug, entry in record["wrong"].items()} == {
        "absolute": (["double_negative"], True),
        "mean": (["total"], True),
        "square": (["double"], True),
        "stateful": (["total"], False),
    }
    ran = validate(grader, tiny_course)
    assert (ran.returncode, surprises(ran)) == (0, []), ran.stdout + ran.stderr
    for row in ("absolute ≤ 70 double_negative", "mean ≤ 70 total", "stateful 70 total", "square ≤ 60 double"):
        assert re.search(rf"^wrong {row}$".replace(" ", " +"), re.sub(" +$", "", ran.stdout, flags=re.M), re.M), row
    assert "On 3 of 4 wrong variants only the checks were run that they are recorded to fail" in ran.stdout
    ran = validate(grader, tiny_course, "--complete")
    assert (ran.returncode, surprises(ran)) == (0, []), ran.stdout + ran.stderr
    assert "≤" not in ran.stdout


@pytest.mark.full
def test_what_is_recorded_and_does_not_fail_is_a_surprise_and_so_is_the_contrary(
    grader: Command, tiny_course: Path, written: Callable[[Path], None]
) -> None:
    written(tiny_course)
    path = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    path.write_text(path.read_text().replace("[-SECRET_INPUT, -1.5]", "[SECRET_INPUT, 1.5]"))
    edit(tiny_course, lambda wrong: wrong["square"].update(fails=["double_negative"]))
    ran = validate(grader, tiny_course)
    again = "; if that is as it should be, run: grader validate tiny --write"
    assert ran.returncode == 1
    assert {text.removesuffix(again) for text in surprises(ran)} == {
        "wrong absolute is recorded to fail double_negative but does not",
        "wrong square is recorded to fail double_negative but does not",  # it is skipped now
        "wrong square fails double, which it is recorded to pass",
        "no wrong variant fails the hidden check double_negative",
    }


@pytest.mark.full
def test_a_changed_variant_runs_completely(grader: Command, tiny_course: Path, written: Callable[[Path], None]) -> None:
    written(tiny_course)
    path = variants(tiny_course) / "wrong" / "mean.py"
    path.write_text(path.read_text().replace("x + x", "x * x"))
    ran = validate(grader, tiny_course)
    assert (ran.returncode, surprises(ran)) == (0, []), ran.stdout + ran.stderr
    assert re.search(r"^wrong mean +0 +double, total\b", ran.stdout, re.M)
    assert "On 2 of 4 wrong variants" in ran.stdout


@pytest.mark.full
def test_a_complete_run_finds_a_record_that_is_out_of_date(
    grader: Command, tiny_course: Path, written: Callable[[Path], None]
) -> None:
    written(tiny_course)

    def change(wrong: dict[str, Any]) -> None:
        wrong["mean"]["text"] = "another"
        wrong["gone"] = wrong.pop("absolute")

    edit(tiny_course, change)
    ran = validate(grader, tiny_course, "--complete")
    assert ran.returncode == 1
    assert surprises(ran) == [
        f"{FILE} is out of date for absolute, gone, mean; if that is as it should be, run: grader validate tiny --write"
    ]


def test_mutants_meet_first_what_killed_them_before(tiny_course: Path) -> None:
    assignment = load_assignment(tiny_course, "tiny")
    mutants = Proof(assignment, True, False)._mutants
    assert mutants is not None
    write_record(assignment, {}, {mutant_key(mutants[-1]): "total"})
    *_, other, last = Proof(assignment, True, False).gradings
    assert last.plan().first == ("total",)
    assert other.plan().first == ()


def test_a_record_that_cannot_be_read_is_named(tiny_course: Path) -> None:
    assignment = load_assignment(tiny_course, "tiny")
    assert read_record(assignment) is None
    (variants(tiny_course) / FILE).write_text('{"wrong": 1}')
    with pytest.raises(UsageProblem, match=rf"{FILE}: .*\$\.wrong"):
        read_record(assignment)
