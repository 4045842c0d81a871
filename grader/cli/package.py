"""`grader package`: the autograder that a platform takes, with hidden tests and pinned versions.

Runs in the command, on the instructor's machine. The same files make the same package, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

import click

from grader import registry
from grader.batch.kit import common_files
from grader.cli.learning import learned_here
from grader.cli.options import course_option, lang_option
from grader.cli.platform_options import attempts_options, hidden_checks_option, isolation_option, platform_option
from grader.content import course_folder, load_private_assignment, templates_folders
from grader.errors import UsageProblem
from grader.exporters.base import HiddenChecks, Kit, Platform, require_repeating
from grader.exporters.packing import zipped
from grader.render.html import check_language
from grader.render.talk import say
from grader.store import write_atomically

_PRIVATE_MODE = 0o600


@click.command(name="package")
@click.argument("assignment_id", metavar="ASSIGNMENT")
@platform_option
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The file to write.")
@click.option(
    "--seconds", type=click.IntRange(30, 36_000), metavar="S", help="The platform's time-out, if you changed it."
)
@click.option("--memory-mb", type=click.IntRange(512), metavar="MB", help="The container's memory, if you chose it.")
@hidden_checks_option
@attempts_options
@isolation_option
@lang_option
@course_option
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    assignment_id: str,
    platform: str,
    out: Path,
    seconds: int | None,
    memory_mb: int | None,
    hidden_checks: HiddenChecks,
    attempts: int | None,
    hours: float,
    isolation: str,
    lang: str | None,
    course: Path | None,
) -> None:
    """Build the autograder of ASSIGNMENT that a platform takes, and say what to do with it.

    It holds hidden tests and the reference: it is for staff and the platform, never for students. In the container it
    installs the versions of torch and of everything else that are installed here.
    """
    folder = course_folder(course)
    assignment = load_private_assignment(folder, assignment_id).in_language(lang)
    check_language(assignment.about.lang, templates_folders(folder))
    if out.is_dir():
        raise UsageProblem(f"{out} is a folder; --out names the file to write.")
    speaker: Platform = registry.load(registry.PLATFORMS[platform])()
    known = learned_here(folder, assignment, isolation)
    time_out = speaker.seconds if seconds is None else seconds
    options = ["--assignment", assignment.id, "--for", platform, "--seconds", str(time_out)]
    options += ["--hidden-checks", hidden_checks, "--isolation", isolation]
    options += [] if lang is None else ["--lang", lang]
    options += [] if memory_mb is None else ["--memory-mb", str(memory_mb)]
    options += [] if attempts is None else _limited(speaker, attempts, hours)
    about = assignment.about
    kit = Kit(
        assignment=assignment.id,
        title=about.title,
        names=tuple(about.files),
        seconds=time_out,
        memory_mb=speaker.memory_mb if memory_mb is None else memory_mb,
        options=tuple(options),
        common=common_files(folder, assignment, known),
    )
    package = speaker.package(kit)
    content = zipped(package.members)
    _write(out, content)
    click.echo(out)
    say(f"{len(package.members)} files, {len(content) / 1e6:.1f} MB, for {speaker.title}. Hidden tests are in it.")
    for line in package.advice:
        say(f"- {line}")


def _limited(speaker: Platform, attempts: int, hours: float) -> list[str]:
    """The options that limit how often the same people are graded.

    Raises:
        UsageProblem: the platform does not tell of earlier submissions.
    """
    require_repeating(speaker)
    return ["--attempts", str(attempts), "--hours", f"{hours:g}"]


def _write(out: Path, content: bytes) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, content)
        out.chmod(_PRIVATE_MODE)
    except OSError as error:
        raise UsageProblem(f"{out} cannot be written to: {error.strerror}.") from None
