"""`grader new`: an assignment to start from. Runs in the command; writes new files only, never over existing ones.

The skeleton lies in `grader/skeleton/`, as it is to lie in the course: `.txt` is cut off every name, `__ID__` stands
for the assignment's id and `__TITLE__` for its title, in names and in texts, and nothing else is replaced. Whatever is
private gets a first line of its own, to be searched for: no package, kit or report may hold it.
"""

from __future__ import annotations

import contextlib
import keyword
import shlex
import sys
from pathlib import Path

import click

import grader
from grader.cli.options import course_option
from grader.content import author_folder, is_assignment_id
from grader.errors import UsageProblem
from grader.render.talk import say

_SKELETON = Path(grader.__file__).resolve().parent / "skeleton"
_TAKEN = sys.stdlib_module_names | {"grader", "numpy", "pytest", "reference", "torch"}
"""Modules that a student's file of this name would hide, and the name under which checks see the reference."""
_PRIVATE = ("assignments/__ID__/hidden/", "assignments/__ID__/variants/", "reference/")
_CANARY = "CANARY-" + "PRIVATE"  # in two parts: this module is public


@click.command(name="new")
@click.argument("name", metavar="ID")
@course_option
def command(name: str, course: Path | None) -> None:
    """Make the assignment ID: a small example that `grader validate` accepts, to be replaced step by step.

    It has a handout with a stub and public checks, hidden checks, right and wrong variants and a reference. A folder
    named with --course is made if it is not there. Existing files are never overwritten.
    """
    if problem := _problem(name):
        raise UsageProblem(f"{name!r} cannot be an assignment's id: {problem}. Nothing was written.")
    folder = author_folder(course)
    home, reference = folder / "assignments" / name, folder / "reference" / f"{name}.py"
    for path in (home, reference):
        if path.exists() or path.is_symlink():
            raise UsageProblem(f"{path} is already there; nothing was written. Take another id.")
    files = _files(name)
    _write(folder, files)
    for place in sorted(files):
        click.echo(f"{folder / place}")
    option = "" if course is None else f" --course {shlex.quote(str(course))}"
    say(f"{name} works as it is. Read {home / 'handout' / 'README.md'}; change file by file.")
    say(f"Prove its tests after each change: grader validate {name}{option}")
    say(f"Try it as a student:               grader init {name}{option}")


def _write(folder: Path, files: dict[Path, str]) -> None:
    """Write files that are not there yet, all or none."""
    made: list[Path] = []
    try:
        for place, text in files.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                made.append(path)
                file.write(text)
    except OSError as error:
        _take_back(folder, made, path)
        raise UsageProblem(f"{error.filename or path} cannot be written: {error.strerror}. Nothing was kept.") from None


def _take_back(folder: Path, made: list[Path], failed: Path) -> None:
    """Remove what was written, and the folders in the course that are empty without it."""
    for path in made:
        path.unlink(missing_ok=True)
    for path in (*made, failed):
        with contextlib.suppress(OSError):  # the first that is not empty
            for number in range(len(path.relative_to(folder).parts) - 1):
                path.parents[number].rmdir()


def _problem(name: str) -> str:
    """What is wrong with an id; nothing if it will do."""
    if not is_assignment_id(name):
        return "take a small letter first, then small letters, digits and underscores, 41 at most"
    if keyword.iskeyword(name):
        return f"students hand in {name}.py, and {name} is a word of Python's own"
    return f"students hand in {name}.py, which would hide the module {name}" if name in _TAKEN else ""


def _files(name: str) -> dict[Path, str]:
    """The texts of an assignment of this id, by their places in the course."""
    found = {}
    for path in _SKELETON.rglob("*.txt"):
        place = path.relative_to(_SKELETON).as_posix().removesuffix(".txt")
        found[Path(_filled(place, name))] = _filled(_canary(place) + path.read_text("utf-8"), name)
    return found


def _filled(text: str, name: str) -> str:
    return text.replace("__ID__", name).replace("__TITLE__", name.replace("_", " ").capitalize())


def _canary(place: str) -> str:
    """The first line of a private file, no two of them alike; of a public one none."""
    if not place.startswith(_PRIVATE):
        return ""
    own = place.removeprefix("assignments/__ID__/").rpartition(".")[0].replace("/", "-")
    return f"# {_CANARY}-__ID__-{own}\n"
