"""`grader release`: the kit that an instructor hands out. Runs in the command; public files only, by allow-list."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.options import course_option
from grader.content import course_folder, load_assignment, public_description, public_files
from grader.errors import UsageProblem
from grader.store import write_atomically


@click.command(name="release")
@click.argument("assignment")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the kit is written.")
@course_option
def command(assignment: str, out: Path, course: Path | None) -> None:
    """Write the kit for students of ASSIGNMENT to DIR: public files only.

    The kit is a small course folder: students name it with --course, and `grader init` and `grader check` find in it
    the description, the handout and the public checks. Hidden tests, variants and the reference are not in it.
    """
    found = load_assignment(course_folder(course), assignment)
    folder = out / "assignments" / found.id
    if folder.exists() and any(folder.iterdir()):
        raise UsageProblem(f"{folder} is not empty; nothing was written. Name another folder.")
    description, handout = public_description(found), public_files(found)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / "assignment.toml", description.encode("utf-8"))
        for path, name in handout:
            target = folder / "handout" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, path.read_bytes())
    except OSError as error:
        raise UsageProblem(f"{out} cannot be written to: {error.strerror}.") from None
    click.echo(f"{folder}")
    click.echo(f"{len(handout) + 1} public files written.", err=True)
