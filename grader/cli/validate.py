"""`grader validate`: the proof that an assignment's tests are good.

Runs in the command. `grader.batch.proof` says what is graded and what would be a surprise: the reference scores 100 in
any order of the checks, the stub 0, each right variant 100, each wrong one less, every hidden check is failed by a
wrong variant, and mutants of the reference are killed. This module grades, prints tables and writes public values.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from rich.table import Table
from rich.text import Text

from grader.batch.crew import Batch, Crew
from grader.batch.local import processors
from grader.batch.proof import Proof, failing
from grader.batch.survivors import MutantReport, told
from grader.batch.variants import Variant, misconceptions_from
from grader.cli.options import course_option
from grader.content import assignment_ids, course_folder, load_assignment, misconceptions_file
from grader.errors import UsageProblem
from grader.model.assignment import Assignment
from grader.render.talk import say
from grader.render.terminal import Progress, output_console, shown
from grader.sandbox.modes import choose, slots_at_once
from grader.store import write_atomically


@click.command(name="validate")
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Slots at once (else one a processor).")
@click.option("--isolation", type=click.Choice(["auto", "strict", "plain"]), default="auto", show_default=True)
@click.option("--write", is_flag=True, help="Write the record and the values for public checks.")
@click.option("--complete", is_flag=True, help="Run every check on every wrong variant; --write does so too.")
@click.option(
    "--mutants/--no-mutants",
    default=True,
    show_default=True,
    help="Grade the reference with one small mistake after the other as well.",
)
@course_option
def command(
    assignments: tuple[str, ...],
    jobs: int | None,
    isolation: str,
    write: bool,
    complete: bool,
    mutants: bool,
    course: Path | None,
) -> None:
    """Prove that the tests of ASSIGNMENTs (else of all) are good; exit status 1 if something surprises.

    Of a wrong variant whose failures are recorded in variants/failures.json, only those checks run that it is recorded
    to fail: should it pass one of them, that is a surprise. With --complete all checks run, and a record that is out of
    date is a surprise. With --write they do too; if nothing else surprises, the record is written, and for grader
    check the values that wrong variants give on the public checks, into the handout.
    """
    folder = course_folder(course)
    names = dict.fromkeys(assignments or assignment_ids(folder))
    proofs = {name: Proof(_private(folder, name), mutants, write, complete or write) for name in names}
    _grade(folder, list(proofs.values()), jobs or processors(), isolation)
    surprises: list[str] = []
    for name, proof in proofs.items():
        found = proof.surprises()
        _print_table(proof)
        if (report := proof.mutant_report()) is not None:
            _print_mutants(report)
        surprises += [f"{name}: {text}" for text in found]
        if write and not found:
            _write_public_values(proof)
            proof.write_record()
    for text in surprises:
        click.echo(f"SURPRISE  {text}")
    if surprises:
        raise click.exceptions.Exit(1)
    click.echo("No surprises.")


def _private(folder: Path, name: str) -> Assignment:
    assignment = load_assignment(folder, name)
    if assignment.reference_file is None or assignment.hidden_dir is None:
        raise UsageProblem(f"The private part of {name} is not in {folder}; there is nothing to prove it with.")
    return assignment


def _grade(folder: Path, proofs: Sequence[Proof], jobs: int, isolation: str) -> None:
    """Grade everything that the proofs ask for; tells on standard error how long that took."""
    batches, count = [], jobs
    for proof in proofs:
        about = proof.assignment.about
        mode = choose(isolation, about.isolation.minimum, about.sandbox.profile)
        batches.append(Batch(proof.assignment, mode, proof.gradings))
        count = min(count, slots_at_once(mode, jobs, about.sandbox.profile))
    by_name = {proof.assignment.id: proof for proof in proofs}
    started = time.monotonic()
    number = sum(len(batch.gradings) for batch in batches)
    with Crew(folder, count) as crew, Progress("validating", number) as progress:
        with contextlib.closing(crew.grade_all(batches)) as graded:
            for one in graded:
                by_name[one.assignment].take(one.grading, one.result)
                progress.advance()
        for name, (working, starting) in crew.seconds().items():
            gradings = next(len(batch.gradings) for batch in batches if batch.assignment.id == name)
            say(f"{name}: {gradings} gradings, {working:.1f} s of slots, and {starting:.1f} s to start them.")
    say(f"Validated in {time.monotonic() - started:.1f} s.")


def _print_table(proof: Proof) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold", title=proof.assignment.id, title_justify="left")
    table.add_column("variant", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("fails (without skipped checks)", ratio=1)
    for variant in proof.variants:
        result = proof.results[variant.kind, variant.slug]
        fails = Text(", ".join(failing(result)) or "nothing")
        table.add_row(f"{variant.kind} {variant.slug}", _score(proof, variant), fails)
    console = output_console()
    console.print(table)
    wrong = [variant for variant in proof.variants if variant.kind == "wrong"]
    if partly := sum(proof.left_out(variant) for variant in wrong):
        console.print(
            shown(
                f"On {partly} of {len(wrong)} wrong variants only the checks were run that they are recorded to fail: "
                "≤ is what they score at most. --complete runs all checks."
            ),
            soft_wrap=True,
        )


def _score(proof: Proof, variant: Variant) -> str:
    """A variant's score; where checks were left out, what is known of it."""
    result = proof.results[variant.kind, variant.slug]
    if result.score is None:
        return "–"
    if not proof.left_out(variant):
        return f"{result.score:g}"
    return f"≤ {result.max_score - sum(check.max_points - check.points for check in result.checks):g}"


def _print_mutants(report: MutantReport) -> None:
    console = output_console()
    console.print(shown(f"{report.total} mutants of the reference, {report.killed} killed: {report.share:.1%}"))
    for survivor in report.survivors:
        console.print(shown(f"  survives: {told(survivor.mutant)}"), soft_wrap=True)
        console.print(shown(f"            {survivor.reason or 'no reason is known'}"), soft_wrap=True)
    console.print()


def _write_public_values(proof: Proof) -> None:
    """What wrong variants give on the public checks, for `grader check`."""
    reference = next(result for (kind, _), result in proof.results.items() if kind == "reference")
    public = [check.id for check in reference.checks if check.visibility == "visible"]
    known = misconceptions_from(proof.assignment, proof.variants, proof.values).for_checks(public)
    slim = msgspec.structs.replace(known, fingerprint="public")
    content = msgspec.json.format(msgspec.json.encode(slim), indent=0)
    write_atomically(misconceptions_file(proof.assignment), content + b"\n")
