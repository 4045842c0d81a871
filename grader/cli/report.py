"""`grader report`: render a run again, after templates changed. Runs in the command; grades nothing."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.options import course_option
from grader.content import course_folder, templates_folders
from grader.errors import UsageProblem
from grader.pipeline import publish_class, publish_report
from grader.store import Run


@click.command(name="report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@course_option
def command(folder: Path, course: Path | None) -> None:
    """Render the HTML of the run in DIR again, from the results that are there."""
    if not (folder / "results").is_dir():
        raise UsageProblem(f"{folder} holds no run: there is no folder `results` in it.")
    run = Run(folder)
    run.prepare()
    templates = templates_folders(course_folder(course))
    count = 0
    for result in run.results():
        publish_report(result, run, templates)
        count += 1
    publish_class(run.summaries(), run, templates)
    click.echo(f"{folder / 'index.html'}")
    click.echo(f"{count} reports rendered.", err=True)
