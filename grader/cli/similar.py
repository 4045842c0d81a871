"""`grader similar`: which submissions of a class share code that nobody gave them.

Runs in the command. Submissions are read as `grader grade` reads them; student code is text here, and is neither
imported nor run. Writes pages for staff and nothing else: no result, no grade.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from grader.cli.class_talk import found_sentences
from grader.cli.grade import rules_of
from grader.cli.options import course_option, lang_option
from grader.cli.source_options import layout_option
from grader.content import course_folder, load_private_assignment, templates_folders
from grader.errors import unwritable
from grader.intake.roster import read_roster
from grader.intake.source import find_submissions
from grader.model.submission import Submission
from grader.render.html import pair_address
from grader.render.similar import pair_html, similar_html
from grader.render.talk import say
from grader.render.terminal import Progress
from grader.similar.compare import Comparer
from grader.similar.folder import INDEX, put, refuse_strange
from grader.similar.overview import About, Compared, compared
from grader.similar.works import given_texts, works_of
from grader.store import Run


@click.command(name="similar")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--assignment", "assignment_id", required=True, metavar="ID", help="The assignment it was written for.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="A run's folder, or any.")
@click.option(
    "--above",
    type=click.IntRange(0, 100),
    default=50,
    show_default=True,
    metavar="PERCENT",
    help="List pairs of which one shares at least so much of its own code.",
)
@click.option(
    "--roster",
    "roster_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The people of the course, to tell who is who and which groups there are (else the run's).",
)
@layout_option
@lang_option
@course_option
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    source: Path,
    assignment_id: str,
    out: Path,
    above: int,
    roster_file: Path | None,
    layout: str,
    lang: str | None,
    course: Path | None,
) -> None:
    """Compare the submissions in SOURCE with each other, and write DIR/similar/index.html for staff.

    Code of the handout and the reference, comments, docstrings and names do not count. What it lists is a hint for a
    person, never a mark: nothing is written into results or grades. Needs the extra `similar`.
    """
    folder = course_folder(course)
    assignment = load_private_assignment(folder, assignment_id).in_language(lang)
    run = Run(out)
    run.refuse_file()
    run.refuse_other_assignment(assignment.id)
    refuse_strange(out)
    given, right = given_texts(assignment)
    comparer = Comparer(given, right)
    roster = read_roster(roster_file) if roster_file else run.load_roster()
    rules = rules_of(assignment, layout, roster)
    found = find_submissions(source, assignment.main_file, out, run.known_ids(), rules)
    for sentence in found_sentences(found, layout):
        say(sentence)
    with Progress("reading", len(found.submissions)) as progress:

        def submissions() -> Iterator[Submission]:
            for _, read in found.submissions:
                yield read()
                progress.advance()

        works, left_out = works_of(submissions(), given, run.has_report)
    with Progress("comparing", max(0, len(works) - 1)) as progress:
        about = About(assignment.id, assignment.about.title, assignment.about.lang)
        outcome = compared(about, works, left_out, comparer, above / 100, progress.advance)
    try:
        index = put(out, _pages(outcome, templates_folders(folder)))
    except OSError as error:
        raise unwritable(error, out) from None
    view = outcome.view
    say(
        f"{view.compared} submissions, {view.all_pairs} pairs compared; at {above} % or more: "
        f"{len(view.pairs) + view.beyond}. Not compared: {len(view.left_out)}. A hint for a person, never a mark."
    )
    _tell_of_the_link(run)
    click.echo(f"{index}")


def _tell_of_the_link(run: Run) -> None:
    if run.ids() and not run.is_anonymous():
        say(f"The class page links to it once it is written again: grader report {run.folder}")


def _pages(outcome: Compared, templates: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    for page in outcome.pages():
        yield pair_address(page.pair.number), pair_html(page, templates)
    yield INDEX, similar_html(outcome.view, templates)
