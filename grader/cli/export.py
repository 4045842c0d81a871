"""`grader export`: the marks of a run into the gradebook of an LMS, and the reports into the zip that it takes back.

Runs in the command; grades nothing, and writes nothing into the run. Everything is read, matched and told before the
first byte is written; the gradebook that was given is not touched unless --out names it.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from grader import registry
from grader.cli.export_talk import filling_sentences, listed, mark_sentences, unmatched_sentences
from grader.cli.feedback import places_for, write_feedback
from grader.cli.options import course_option, lang_option
from grader.content import course_folder, templates_folders
from grader.errors import UsageProblem
from grader.exporters.gradebooks.comments import comment_of
from grader.exporters.gradebooks.filling import filling, with_comments
from grader.exporters.gradebooks.gradebook import Gradebook, Sheet, chosen_column
from grader.exporters.gradebooks.marks import Mark, marks_of
from grader.exporters.gradebooks.matching import Matched, matched
from grader.exporters.gradebooks.table import NoTable, filled, read_table
from grader.model.result import GradeResult, in_language
from grader.model.roster import standing
from grader.model.view import student_view
from grader.render.html import check_language, student_html
from grader.render.talk import say
from grader.store import Run, write_atomically

_MAX_BYTES = 50 << 20


@click.command(name="export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--to", "platform", required=True, type=click.Choice(list(registry.GRADEBOOKS)), help="Where marks go.")
@click.option(
    "--into", type=click.Path(path_type=Path), metavar="FILE", help="The gradebook that the LMS exported; it is filled."
)
@click.option("--column", metavar="NAME", help="The column, by title or id (else the one called as the assignment).")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the file goes (else beside FILE as NAME.filled.EXT; without --into to standard output).",
)
@click.option("--comments", is_flag=True, help="Fill Moodle's column of feedback comments as well, where it is empty.")
@click.option("--strict", is_flag=True, help="Write nothing unless everybody is on both sides and has a mark.")
@click.option("--feedback", type=click.Path(path_type=Path), metavar="ZIP", help="Write the students' reports, too.")
@lang_option
@course_option
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    folder: Path,
    platform: str,
    into: Path | None,
    column: str | None,
    out: Path | None,
    comments: bool,
    strict: bool,
    feedback: Path | None,
    lang: str | None,
    course: Path | None,
) -> None:
    """Put the marks of the run in DIR into the gradebook that an LMS exported; every other byte of it stays.

    People are found by ids, never by a guess; who is not, on either side, is told. Whoever was not graded gets nothing,
    and what Canvas calls EX stays. Marks are scaled where the column counts otherwise. With --feedback the reports are
    packed as Moodle, Canvas and Brightspace take them back. Without --into a file is made for csv, moodle, brightspace.
    Exit status: 0 written, 2 unusable input, or with --strict somebody who does not match; nothing was written then.
    """
    gradebook: Gradebook = registry.load(registry.GRADEBOOKS[platform])
    _refuse_odd(gradebook, into, column, out, comments, feedback)
    klass = _class_in(folder)
    templates = templates_folders(course_folder(course)) if feedback else ()
    if feedback:
        check_language(lang or klass.lang, templates)
    plan = _Plan(gradebook, klass, lang)
    content, found = (
        plan.into(into, column, comments) if into else (plan.table() if out or not feedback else None, None)
    )
    for sentence in mark_sentences(klass.marks, klass.unreadable):
        say(sentence)
    _refuse_unmatched(klass, found, strict)
    target = out or (into.with_name(f"{into.stem}.filled{into.suffix}") if into else None)
    if content is not None and target is not None:
        _write(target, content)
        click.echo(f"{target}")
    elif content is not None:
        click.echo(content, nl=False)
    if feedback:
        plan.feedback(feedback, found, templates)


def _refuse_odd(
    gradebook: Gradebook, into: Path | None, column: str | None, out: Path | None, comments: bool, feedback: Path | None
) -> None:
    """Raises UsageProblem for options that do not go together."""
    if into is None and (column is not None or comments):
        raise UsageProblem("--column and --comments tell what to fill in the file of --into; name that file.")
    if into is not None and gradebook.read is None:
        raise UsageProblem(f"{gradebook.title} has no gradebook to fill; leave out --into.")
    if feedback is not None and gradebook.feedback is None:
        raise UsageProblem(f"--feedback: {gradebook.no_feedback}")
    if into is None and gradebook.table is None and (out is not None or feedback is None):
        raise UsageProblem(gradebook.no_table)
    others = [path.resolve() for path in (into, out) if path is not None]
    if feedback is not None and feedback.resolve() in others:
        raise UsageProblem(f"--feedback {feedback} is another file of this command; name another.")
    for path in (out, feedback):
        if path is None:
            continue
        if path.exists() and not path.is_file():
            raise UsageProblem(f"{path} cannot be written: it is no file; name one.")
        if not path.absolute().parent.is_dir():
            raise UsageProblem(f"{path} cannot be written: its folder does not exist; make it, or name another.")


@dataclass(frozen=True)
class _Class:
    """A run as it is exported."""

    run: Run
    marks: list[Mark]
    unreadable: list[str]
    assignment: str
    title: str
    lang: str


def _refuse_unmatched(klass: _Class, found: Matched | None, strict: bool) -> None:
    """Raises UsageProblem where nobody matches, and if asked for where anybody does not."""
    if found is not None and found.strangers and not found.pairs:
        raise UsageProblem("Nobody of this run is in the gradebook, by the ids above; nothing was written.")
    unsettled = bool(klass.unreadable) or any(mark.score is None for mark in klass.marks)
    if strict and (unsettled or (found is not None and (found.strangers or found.without))):
        raise UsageProblem("--strict: not everybody is on both sides with a mark; nothing was written.")


def _class_in(folder: Path) -> _Class:
    if not (folder / "results").is_dir():
        raise UsageProblem(f"{folder} holds no run: there is no folder `results` in it.")
    run = Run(folder)
    results = list(run.summaries())
    if not results:
        raise UsageProblem(f"{folder} holds no result that can be read; grade the class first.")
    roster = run.load_roster()
    marks = marks_of(results, roster, standing(roster, results))
    read = {result.submission.id for result in results}
    about = results[0].assignment
    return _Class(run, marks, [id for id in run.ids() if id not in read], about.id, about.title, about.lang)


class _Plan:
    """One export: what is written, of whom."""

    def __init__(self, gradebook: Gradebook, klass: _Class, lang: str | None) -> None:
        self._gradebook = gradebook
        self._class = klass
        self._lang = lang

    def into(self, path: Path, wanted: str | None, comments: bool) -> tuple[bytes, Matched]:
        """The filled file, and who was found in it; tells what became of the column."""
        sheet = self._sheet(path)
        column = chosen_column(sheet, wanted, self._class.assignment, self._class.title)
        if comments and sheet.comments is None:
            raise UsageProblem(
                f"--comments: {path} has no column of comments; Moodle's grading worksheet may have one."
            )
        found = matched(sheet, self._class.marks, self._gradebook)
        done = filling(sheet, column, found.pairs)
        for sentence in (*filling_sentences(sheet, column, done), *unmatched_sentences(found)):
            say(sentence)
        cells = done.cells
        if comments:
            rows = {
                entry.row: mark.result for mark, entry in found.pairs if mark.score is not None and not entry.closed
            }
            texts = {row: comment_of(student_view(one)) for row, id in rows.items() if (one := self._result(id))}
            cells = with_comments(sheet, cells, texts)
        return filled(sheet.table, cells), found

    def _sheet(self, path: Path) -> Sheet:
        worth, read = self._gradebook.worth, self._gradebook.read
        assert worth is not None
        assert read is not None
        try:
            sheet = read(read_table(_content(path), worth))
        except NoTable as problem:
            raise UsageProblem(f"{path} is no gradebook of {self._gradebook.title}: {problem}.") from None
        if not sheet.entries:
            raise UsageProblem(f"{path} names nobody; export the gradebook with the people of the course.")
        return sheet

    def table(self) -> bytes:
        """A file of its own."""
        assert self._gradebook.table is not None
        return self._gradebook.table(self._class.marks, self._class.title).encode("utf-8", "replace")

    def feedback(self, path: Path, found: Matched | None, templates: tuple[Path, ...]) -> None:
        """Write the zip of reports; tells whose is not in it."""
        entries = None if found is None else dict(found.pairs)
        places, nowhere = places_for(self._gradebook, self._class.marks, entries)
        if nowhere:
            why = f"No report in {path.name}, since it is not known where {self._gradebook.title} would put it"
            say(listed(why, (mark.called for mark in nowhere)))
        if not places:
            raise UsageProblem(
                f"{path} was not written: no submission has a name of a {self._gradebook.title} download. Grade the "
                "download itself, as the platform packed it."
            )
        count = write_feedback(path, places, self._html(templates))
        click.echo(f"{path}")
        say(f"{count} report{'' if count == 1 else 's'} in {path.name}.")

    def _html(self, templates: tuple[Path, ...]) -> Callable[[str], str | None]:
        def html(id: str) -> str | None:
            result = self._result(id)
            return None if result is None else student_html(student_view(result), templates)

        return html

    def _result(self, id: str) -> GradeResult | None:
        found = self._class.run.load(id)
        return None if found is None else in_language(found, self._lang)


def _content(path: Path) -> bytes:
    """Bytes of the gradebook. Raises UsageProblem if it cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageProblem(f"{path} is not a regular file.")
        if path.stat().st_size > _MAX_BYTES:
            raise UsageProblem(f"{path} is larger than {_MAX_BYTES >> 20} MB.")
        return path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"{path} cannot be read: {error.strerror}.") from None


def _write(path: Path, content: bytes) -> None:
    try:
        write_atomically(path, content)
    except OSError as error:
        raise UsageProblem(f"{path} cannot be written: {error.strerror}.") from None
