"""`grader check`: the public checks on a student's own file or notebook.

Runs on the student's machine. The command's process is the judge; the student's code runs in a plain subprocess of it:
on Linux a fork that is made after torch is imported and before any check is, elsewhere an interpreter of its own. No
protection is needed from one's own code, and none is claimed.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.alive import sign_of_life
from grader.cli.options import course_option, lang_option
from grader.content import assignment_ids, course_folder, load_assignment, misconceptions_file, templates_folders
from grader.errors import MachineProblem, UsageProblem
from grader.intake.working import find_main_file, main_file_of, read_working_file
from grader.model.assignment import Assignment
from grader.render.talk import say
from grader.sandbox.base import Sandbox, SandboxBroken
from grader.sandbox.modes import backend_for

if TYPE_CHECKING:
    from grader.judge.session import Judge
    from grader.model.result import GradeResult
    from grader.model.view import StudentView

NOT_ALL_PASSED = 1
NOT_GRADED = 3


@click.command(name="check")
@click.argument("path", required=False, default=Path(), type=click.Path(path_type=Path))
@click.option("--assignment", "assignment_id", metavar="ID", help="The assignment (else told by the file's name).")
@click.option("--watch", is_flag=True, help="Check again after each save, until Ctrl-C.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the result as JSON.")
@click.option("--html", "html_file", type=click.Path(path_type=Path), metavar="FILE", help="Write a report as HTML.")
@lang_option
@click.option(
    "--beside", type=click.Path(path_type=Path), hidden=True
)  # PATH is a live session that was in this folder
@course_option
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    path: Path,
    assignment_id: str | None,
    watch: bool,
    json_file: Path | None,
    html_file: Path | None,
    lang: str | None,
    beside: Path | None,
    course: Path | None,
) -> None:
    """Run the public checks on PATH, a Python file, a notebook or a folder (else the current folder).

    Exit status: 0 all public checks passed, 1 some did not, 2 unusable input, 3 a check could not be run.
    """
    folder = course_folder(course)
    file, assignment = _what_to_check(path, assignment_id, folder)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # before torch and numpy are imported: a process with threads cannot be forked
    assignment = _in_language(assignment, lang, folder, html_file)
    outputs = _Outputs(json_file, html_file, templates_folders(folder))
    statuses: list[int] = []

    def serve(judge: Judge) -> None:
        seen = ""
        for _ in _occasions(file, watch):
            try:
                submission = read_working_file(file, assignment.main_file, assignment.about.names, beside)
            except UsageProblem as problem:
                if not watch:
                    raise
                say(str(problem))  # editors replace files: it may be back in a moment
                continue
            if submission.sha256 == seen:  # saved without a change, or an editor's second event of one save
                continue
            seen = submission.sha256
            _separate(bool(statuses))
            with sign_of_life(f"Checking; each check may take {assignment.about.limits.check_seconds:g} s"):
                result = judge.judge(submission, sandbox)
            sandbox.sweep()
            statuses.append(outputs.show(result, assignment))

    try:
        sandbox = _open_sandbox(assignment)
        try:
            _collect(assignment, serve)
        finally:
            sandbox.close()
    except SandboxBroken as broken:
        raise MachineProblem(f"No process for your code could be started: {broken}") from None
    raise click.exceptions.Exit(statuses[-1] if statuses else NOT_GRADED)


def _what_to_check(path: Path, assignment_id: str | None, course: Path) -> tuple[Path, Assignment]:
    """The file, and the assignment that it is for."""
    if assignment_id is not None:
        assignment = load_assignment(course, assignment_id)
        return find_main_file(path, [assignment.main_file], assignment.about.names), assignment
    by_file = {load_assignment(course, name).main_file: name for name in assignment_ids(course)}
    file = find_main_file(path, list(by_file))
    main_file = main_file_of(file, list(by_file))
    if main_file is None:
        raise UsageProblem(
            f"{file.name} is the file of no assignment; name one with --assignment ({', '.join(by_file.values())})."
        )
    return file, load_assignment(course, by_file[main_file])


def _in_language(assignment: Assignment, lang: str | None, course: Path, html_file: Path | None) -> Assignment:
    """The assignment with its report in a language that there is."""
    if lang is not None:
        from grader.render.html import check_language

        check_language(lang, templates_folders(course))
        if html_file is None:
            say("--lang is for the page that --html writes; the terminal speaks English.")
    return assignment.in_language(lang)


def _open_sandbox(assignment: Assignment) -> Sandbox:
    limits, needs = assignment.about.limits, assignment.about.sandbox.with_modules("numpy", "torch")
    if sys.platform != "linux":  # elsewhere a fork of a process that uses system libraries is not dependable
        return backend_for("plain").open(limits, needs, slot=0)
    from grader.sandbox.backends.plain import PlainBackend

    for name in needs.preload:
        importlib.import_module(name)
    return PlainBackend().open_here(limits, needs)


def _collect(assignment: Assignment, serve: Callable[[Judge], None]) -> None:
    from grader.judge.session import collect_checks

    collect_checks(assignment, True, serve)


def _occasions(file: Path, watch: bool) -> Iterator[None]:
    """Once, or once now and again after each change of a Python file or notebook there, until interrupted."""
    yield
    if not watch:
        return
    import watchfiles

    say(f"Watching {file}; Ctrl-C ends it.")
    folder, filters = file.resolve().parent, watchfiles.PythonFilter(extra_extensions=(".ipynb",))
    for _ in watchfiles.watch(folder, watch_filter=filters, debounce=100, recursive=False, raise_interrupt=True):
        yield


def _separate(again: bool) -> None:
    if again:
        say("")
        say("─" * 40)


class _Outputs:
    """Where a result goes: the terminal, and files if they were asked for."""

    def __init__(self, json_file: Path | None, html_file: Path | None, templates: tuple[Path, ...]) -> None:
        self._json = json_file
        self._html = html_file
        self._templates = templates
        self._last: StudentView | None = None
        self._worked: StudentView | None = None
        """The last one whose file could be checked."""

    def show(self, result: GradeResult, assignment: Assignment) -> int:
        """Print and write one result, with what changed since the last; returns the exit status that it stands for."""
        from grader.judge.diagnosis import diagnose, read_misconceptions
        from grader.model.view import student_view
        from grader.render.terminal_check import print_changes, print_check

        diagnosed = diagnose(result, read_misconceptions(misconceptions_file(assignment)))
        view = student_view(diagnosed, assignment.about.hidden_topics, public=True)
        print_check(view)
        if self._last is not None:
            print_changes(self._last, view, self._worked)
        self._last = view
        self._worked = view if view.status == "graded" else self._worked
        try:
            self._write(diagnosed, view)
        except OSError as error:
            raise UsageProblem(f"{error.filename} cannot be written: {error.strerror}.") from None
        if result.status == "ungraded":
            return NOT_GRADED
        return 0 if result.status == "graded" and result.score == result.max_score else NOT_ALL_PASSED

    def _write(self, result: GradeResult, view: StudentView) -> None:
        if self._json is not None:
            from grader.model.jsonform import result_to_json

            self._json.write_bytes(result_to_json(result))
        if self._html is not None:
            from grader.render.html import student_html

            html = student_html(view, self._templates)
            self._html.write_text(html, "utf-8")
            say(f"Report: {self._html.resolve()}")
