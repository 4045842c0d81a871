"""`grader validate`: the proof that an assignment's tests are good.

Runs in the command. Grades the reference (100), the stub (0), each right variant (100) and each wrong one (less), and
demands that every hidden check is failed by at least one wrong variant.
"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from rich.table import Table
from rich.text import Text

from grader.batch.local import Slots, processors
from grader.batch.variants import Variant, grade_variants, misconceptions_from, read_variants
from grader.cli.options import course_option
from grader.content import assignment_ids, course_folder, load_assignment, misconceptions_file
from grader.errors import UsageProblem
from grader.model.assignment import Assignment
from grader.model.result import GradeResult
from grader.render.terminal import Progress, output_console
from grader.sandbox.modes import choose, slots_at_once
from grader.store import write_atomically

Results = dict[tuple[str, str], GradeResult]


@click.command(name="validate")
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Slots at once (else one a processor).")
@click.option("--isolation", type=click.Choice(["auto", "strict", "plain"]), default="auto", show_default=True)
@click.option("--write", is_flag=True, help="Write the values for diagnosing public checks into the handout.")
@course_option
def command(assignments: tuple[str, ...], jobs: int | None, isolation: str, write: bool, course: Path | None) -> None:
    """Prove that the tests of ASSIGNMENTs (else of all) are good; exit status 1 if a variant surprises."""
    folder = course_folder(course)
    surprises: list[str] = []
    for name in assignments or assignment_ids(folder):
        assignment = load_assignment(folder, name)
        if assignment.reference_file is None or assignment.hidden_dir is None:
            raise UsageProblem(f"The private part of {name} is not in {folder}; there is nothing to prove it with.")
        variants = read_variants(assignment, ("reference", "stub", "right", "wrong"))
        mode = choose(isolation, assignment.about.isolation.minimum, assignment.about.sandbox.profile)
        count = min(slots_at_once(mode, jobs or processors(), assignment.about.sandbox.profile), len(variants))
        with (
            Slots(folder, name, mode, count) as slots,
            Progress(f"validating {name}", len(variants)) as progress,
        ):
            results = grade_variants(slots, assignment, variants, progress.advance)
        found = _surprises(variants, results)
        _print_table(assignment, variants, results)
        surprises += [f"{name}: {text}" for text in found]
        if write and not found:
            _write_public_values(assignment, variants, results)
    for text in surprises:
        click.echo(f"SURPRISE  {text}")
    if surprises:
        raise click.exceptions.Exit(1)
    click.echo("No surprises.")


def _surprises(variants: list[Variant], results: Results) -> list[str]:
    """Everything that is not as it must be, a sentence each."""
    found = []
    failed_by_wrong: set[str] = set()
    for variant in variants:
        result = results[variant.kind, variant.slug]
        what = f"{variant.kind} {variant.slug}"
        if result.status != "graded" and not (variant.kind == "stub" and result.status == "invalid"):
            found.append(f"{what} is {result.status}: {result.reason}")
            continue
        failing = [check.id for check in result.checks if check.status != "passed"]
        if variant.kind in ("reference", "right") and result.score != result.max_score:
            found.append(f"{what} scores {result.score:g}, not {result.max_score:g}: it fails {', '.join(failing)}")
        if variant.kind == "stub" and result.score != 0:
            found.append(f"the stub scores {result.score:g}, not 0")
        if variant.kind == "wrong":
            if not failing:
                found.append(f"{what} passes everything")
            if not variant.explanation:
                found.append(f"{what} has no docstring: students would read nothing")
            failed_by_wrong.update(check.id for check in result.checks if check.status not in ("passed", "skipped"))
    reference = next((results[v.kind, v.slug] for v in variants if v.kind == "reference"), None)
    for check in reference.checks if reference is not None else []:
        if check.visibility != "visible" and check.id not in failed_by_wrong:
            found.append(f"no wrong variant fails the hidden check {check.id}")
    return found


def _print_table(assignment: Assignment, variants: list[Variant], results: Results) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold", title=assignment.id, title_justify="left")
    table.add_column("variant", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("fails (without skipped checks)", ratio=1)
    for variant in variants:
        result = results[variant.kind, variant.slug]
        failing = [check.id for check in result.checks if check.status not in ("passed", "skipped")]
        score = "–" if result.score is None else f"{result.score:g}"
        table.add_row(f"{variant.kind} {variant.slug}", score, Text(", ".join(failing) or "nothing"))
    output_console().print(table)


def _write_public_values(assignment: Assignment, variants: list[Variant], results: Results) -> None:
    """What wrong variants give on the public checks, for `grader check`."""
    reference = next(results[v.kind, v.slug] for v in variants if v.kind == "reference")
    public = [check.id for check in reference.checks if check.visibility == "visible"]
    known = misconceptions_from(assignment, variants, results).for_checks(public)
    slim = msgspec.structs.replace(known, fingerprint="public")
    content = msgspec.json.format(msgspec.json.encode(slim), indent=0)
    write_atomically(misconceptions_file(assignment), content + b"\n")
