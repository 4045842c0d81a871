"""`grader report`: render a run again, after templates changed. Runs in the command; grades nothing."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from grader.cli.options import anonymous_option, course_option, lang_option
from grader.content import course_folder, load_assignment, templates_folders
from grader.errors import UsageProblem
from grader.model.result import in_language
from grader.pipeline import publish_class, publish_reports, veil_over
from grader.store import Run


@click.command(name="report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@anonymous_option
@lang_option
@course_option
def command(folder: Path, anonymous: bool, lang: str | None, course: Path | None) -> None:
    """Render the HTML of the run in DIR again, from the results that are there.

    With --anonymous people are called Student 001 and so on: in index.html, in reports/ID.html, and in a copy of that
    as anonymous/student-001.html. Without it all have their names again, and that folder goes.
    """
    if not (folder / "results").is_dir():
        raise UsageProblem(f"{folder} holds no run: there is no folder `results` in it.")
    run = Run(folder)
    run.prepare()
    place = course_folder(course)
    templates = templates_folders(place)
    veil = veil_over(run, _asked_for(run, place)) if anonymous else None
    count = publish_reports(run, templates, veil, lang)
    publish_class([in_language(result, lang) for result in run.summaries()], run, templates, veil, lang or "")
    click.echo(f"{folder / 'index.html'}")
    click.echo(f"{count} report{'' if count == 1 else 's'} rendered.", err=True)


def _asked_for(run: Run, course: Path) -> list[str]:
    """The file names that the run's assignment asks for; none if this course does not have it."""
    for result in run.results():
        with contextlib.suppress(UsageProblem):
            return load_assignment(course, result.assignment.id).about.files
        break
    return []
