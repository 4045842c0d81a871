"""A student's own working folder, for `grader check`: the file or notebook to check and the Python files beside it.

Runs in the command, on the student's machine. Unlike intake of a class it reads little: the folder may hold data sets,
virtual environments and whatever else people keep. A file that is named is checked, whatever it is called; in a folder
the names decide, and where they do not, what the files define.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from grader.errors import UsageProblem
from grader.intake.choose import is_renamed, read_candidate
from grader.intake.files import Files, RefusedFiles, is_junk, plain_name, read_regular_file, shown
from grader.intake.submit import build_chosen
from grader.model.submission import Submission

_MAX_FILES = 200
_MAX_READ = 20
"""Files of a folder that are looked into for what they define."""
_SUFFIXES = (".py", ".ipynb")
_LIVE = "Checked is what this notebook has run so far; cells go by the number in their brackets: [7] is cell 7."


def find_main_file(path: Path, main_files: Sequence[str], required: Sequence[str] = ()) -> Path:
    """The file to check: `path` itself, or the one in that folder that is meant.

    That is the one whose name is among `main_files`, or the same with `.ipynb`, or renamed as browsers and people do;
    else the only one that defines all that is `required`.

    Raises:
        UsageProblem: there is no such path, or no or more than one such file in it.
    """
    if not path.exists():
        raise UsageProblem(f"{path} does not exist.")
    if not path.is_dir():
        return path
    stems = [name.removesuffix(".py") for name in main_files]
    here = sorted(child for child in path.iterdir() if child.suffix.lower() in _SUFFIXES and child.is_file())
    work = [child for child in here if not child.name.startswith("check_") and not is_junk(child.name)]
    for found in (
        [path / name for name in main_files if (path / name).is_file()],
        [path / f"{stem}.ipynb" for stem in stems if (path / f"{stem}.ipynb").is_file()],
        [child for child in work if any(is_renamed(child.name, stem) for stem in stems)],
        [child for child in work[:_MAX_READ] if required and _defines(child, required, main_files[0])],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageProblem(f"{path} holds {', '.join(file.name for file in found)}; name the one to check.")
    raise UsageProblem(f"{path} holds none of {', '.join(main_files)}; name the file to check.")


def _defines(file: Path, required: Sequence[str], main_file: str) -> bool:
    try:
        candidate = read_candidate({file.name: read_regular_file(file)}, file.name)
    except (RefusedFiles, OSError):
        return False
    return candidate.problem is None and not candidate.missing(required, main_file)


def main_file_of(file: Path, main_files: Sequence[str]) -> str | None:
    """Which of `main_files` a file is by its name, if that tells."""
    exact = [name for name in main_files if file.name in (name, f"{name.removesuffix('.py')}.ipynb")]
    found = exact or [name for name in main_files if is_renamed(file.name, name.removesuffix(".py"))]
    return found[0] if len(found) == 1 else None


def read_working_file(
    file: Path, main_file: str, required: Sequence[str] = (), beside: Path | None = None
) -> Submission:
    """The submission that handing in `file` and its neighbours would make.

    `beside`: the file stands for a notebook that is being worked on in this folder, where its neighbours are.

    Raises:
        UsageProblem: the file cannot be read.
    """
    proper = f"{main_file.removesuffix('.py')}.ipynb"
    chosen = plain_name(file.name) if beside is None else proper
    folder = file.parent if beside is None else beside
    try:
        files: Files = {chosen: read_regular_file(file.resolve())}
    except RefusedFiles as refused:
        raise UsageProblem(str(refused)) from None
    except OSError as error:
        raise UsageProblem(f"{file} cannot be read: {error.strerror}.") from None
    notices: list[str] = [] if beside is None else [_LIVE]
    for path in _neighbours(folder):
        name = plain_name(path.relative_to(folder).as_posix())
        try:
            files.setdefault(name, read_regular_file(path))
        except (RefusedFiles, OSError):
            notices.append(f"Left out: {shown(name)} cannot be read.")
    if chosen not in (main_file, proper):  # checked whatever its name; handed in, it should have the assignment's
        notices.append(f"{shown(chosen)} was checked as {proper if chosen.lower().endswith('.ipynb') else main_file}.")
    elif chosen == proper and main_file in files:
        notices.append(f"{chosen} was checked. Of both, {main_file} would be graded: hand in the one that you mean.")
    elif chosen == main_file and (file.parent / proper).is_file():
        notices.append(f"{chosen} was checked, and not {proper}; to check that, name it.")
    return build_chosen(Path(chosen).stem, files, chosen, notices, main_file, required, live=beside is not None)


def _neighbours(folder: Path) -> list[Path]:
    """Python files in the folder and the packages below it, without environments and hidden folders."""
    found: list[Path] = []
    for root, folders, names in os.walk(folder):
        folders[:] = [
            name
            for name in sorted(folders)
            if not name.startswith(".") and not is_junk(name) and (Path(root) / name / "__init__.py").is_file()
        ]
        found += [Path(root) / name for name in sorted(names) if name.endswith(".py") and not name.startswith("check_")]
        if len(found) > _MAX_FILES:
            return found[:_MAX_FILES]
    return found
