"""`grader init`: a student's working folder. Runs in the command; copies public files, never over existing ones."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.options import course_option
from grader.content import course_folder, load_assignment, public_files
from grader.errors import UsageProblem


@click.command(name="init")
@click.argument("assignment")
@click.argument("dest", required=False, type=click.Path(path_type=Path))
@course_option
def command(assignment: str, dest: Path | None, course: Path | None) -> None:
    """Make a working folder for ASSIGNMENT in DEST (else ./ASSIGNMENT): the stub, the handout, the public checks.

    Existing files are never overwritten.
    """
    found = load_assignment(course_folder(course), assignment)
    folder = dest or Path(assignment)
    wanted = public_files(found)
    there = [name for _, name in wanted if (folder / name).exists() or (folder / name).is_symlink()]
    if folder.exists() and not folder.is_dir():
        raise UsageProblem(f"{folder} is a file; name a folder.")
    if there:
        raise UsageProblem(f"{folder} already holds {', '.join(there[:3])}; nothing was written. Name another folder.")
    try:
        for path, name in wanted:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(path.read_bytes())
    except OSError as error:
        raise UsageProblem(f"{folder} cannot be written to: {error.strerror}.") from None
    click.echo(f"{folder / found.main_file}")
    click.echo(f"Read {folder / 'README.md'}, edit {found.main_file}, then run: grader check {folder}", err=True)
