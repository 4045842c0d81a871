"""A student's own working folder, for `grader check`: the file to check and the Python files beside it.

Runs in the command, on the student's machine. Unlike intake of a class it reads little: the folder may hold data sets,
virtual environments and whatever else people keep.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from grader.errors import UsageProblem
from grader.intake.files import Files, RefusedFiles, is_junk, plain_name, read_regular_file, shown
from grader.intake.submit import build_submission
from grader.model.submission import Submission

_MAX_FILES = 200


def find_main_file(path: Path, main_files: Sequence[str]) -> Path:
    """The file to check: `path` itself, or the one in that folder whose name is among `main_files`.

    Raises:
        UsageProblem: there is no such path, or no or more than one such file in it.
    """
    if not path.exists():
        raise UsageProblem(f"{path} does not exist.")
    if path.suffix == ".ipynb":
        raise UsageProblem(
            f"{path} is a notebook; save it as a Python file ({' or '.join(main_files)}) and check that."
        )
    if not path.is_dir():
        return path
    found = [path / name for name in main_files if (path / name).is_file()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageProblem(f"{path} holds none of {', '.join(main_files)}; name the file to check.")
    names = ", ".join(file.name for file in found)
    raise UsageProblem(f"{path} holds {names}; name the one to check.")


def read_working_file(file: Path, main_file: str) -> Submission:
    """The submission that handing in `file` and its neighbours would make.

    Raises:
        UsageProblem: the file cannot be read.
    """
    try:
        files: Files = {plain_name(file.name): read_regular_file(file.resolve())}
    except RefusedFiles as refused:
        raise UsageProblem(str(refused)) from None
    except OSError as error:
        raise UsageProblem(f"{file} cannot be read: {error.strerror}.") from None
    notices: list[str] = []
    for path in _neighbours(file.parent):
        name = plain_name(path.relative_to(file.parent).as_posix())
        try:
            files.setdefault(name, read_regular_file(path))
        except (RefusedFiles, OSError):
            notices.append(f"Left out: {shown(name)} cannot be read.")
    if file.name != main_file:
        # Checked whatever its name; handed in, it should have the assignment's.
        content = files.pop(plain_name(file.name))
        files = {main_file: content} | {name: other for name, other in files.items() if name != main_file}
        notices.append(f"{shown(file.name)} was checked as {main_file}.")
    stem = plain_name(file.stem)
    return build_submission(stem, stem, files, notices, main_file)


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
