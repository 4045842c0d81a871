"""One person's files -> a `Submission`: which file is graded, which others can be imported beside it.

Pure functions, in the command. The graded file is the one with the assignment's name; failing that, the only one that
is that file renamed by a browser or an LMS; failing that, the only Python file. Every choice is told in a notice.
"""

from __future__ import annotations

import re
import sys
from pathlib import PurePosixPath

from grader.intake.archive import unpack_handed_in
from grader.intake.files import Files, RefusedFiles, shown
from grader.intake.text import NotText, decode_source
from grader.model.submission import Submission, SubmittedFile

_MAX_SOURCE_BYTES = 8 << 20


def build_submission(
    name: str, student: str, files: Files, notices: list[str], main_file: str, flat: bool = False
) -> Submission:
    """The submission with id `name` made of these files; what can't be graded says why in `problem`.

    `flat`: a single file whose name tells the student, not the assignment; that it is called otherwise is no news.
    """
    kept = tuple(SubmittedFile(key, content) for key, content in sorted(files.items()))
    told = list(notices)
    try:
        unpacked = unpack_handed_in(files, told)
        chosen = _choose(unpacked, main_file, [] if flat else told)
        sources = _sources(unpacked, chosen, main_file, told)
    except (RefusedFiles, NotText) as error:
        return Submission(name, student, kept, None, {}, str(error), tuple(told))
    return Submission(name, student, kept, main_file, sources, None, tuple(told), graded_file=chosen)


def refused_submission(name: str, student: str, problem: str, unreadable: bool = False) -> Submission:
    """A submission that intake refused whole, or that this machine could not read."""
    return Submission(name, student, (), None, {}, problem, unreadable=unreadable)


def _choose(files: Files, main_file: str, notices: list[str]) -> str:
    """Name of the file to grade. Raises RefusedFiles if there is none, or no telling which."""
    named = [name for name in files if PurePosixPath(name).name == main_file]
    if main_file in named:
        return main_file
    if len(named) == 1:
        notices.append(f"{shown(named[0])} was graded.")
        return named[0]
    if len(named) > 1:
        found = ", ".join(map(shown, sorted(named)[:4]))
        raise RefusedFiles(f"There are {len(named)} files called {main_file} ({found}); hand in one.")
    python = [name for name in files if name.lower().endswith(".py") and not _is_ours(name)]
    renamed = [name for name in python if _is_renamed(PurePosixPath(name).name, main_file)]
    candidates = renamed or python
    if len(candidates) == 1:
        notices.append(f"{shown(candidates[0])} was graded as {main_file}.")
        return candidates[0]
    if candidates:
        found = ", ".join(map(shown, sorted(candidates)[:6]))
        raise RefusedFiles(f"No file is called {main_file}, and there is no telling which of {found} to grade.")
    found = ", ".join(map(shown, sorted(files)[:6]))
    if not files:
        raise RefusedFiles(f"Nothing was handed in; expected {main_file}.")
    raise RefusedFiles(f"{main_file} was not handed in; found only {found}.")


def _is_ours(name: str) -> bool:
    """A public check that was handed back with the work."""
    return PurePosixPath(name).name.startswith("check_")


def _is_renamed(name: str, main_file: str) -> bool:
    """`attention-2.py`, `attention (1).py`, `attention copy.py`, `Attention.PY` for `attention.py`."""
    stem = re.escape(main_file.removesuffix(".py"))
    return re.fullmatch(rf"{stem}([-_ ]?\(?\d{{1,3}}\)?| ?-? ?copy( \d+)?)?\.py", name, re.IGNORECASE) is not None


def _sources(files: Files, chosen: str, main: str, notices: list[str]) -> dict[str, str]:
    """Text of the chosen file, under the name `main`, and of the Python files beside and below it."""
    text, notice = decode_source(files[chosen], shown(chosen))
    if notice:
        notices.append(notice)
    sources = {main: text}
    if sum(len(content) for name, content in files.items() if name.lower().endswith(".py")) > _MAX_SOURCE_BYTES:
        raise RefusedFiles(
            f"More than {_MAX_SOURCE_BYTES >> 20} MB of Python files were handed in; hand in your own only."
        )
    folder = PurePosixPath(chosen).parent
    for name, content in files.items():
        path = PurePosixPath(name)
        if name == chosen or path.suffix != ".py" or not path.is_relative_to(folder):
            continue
        try:
            sources.setdefault(path.relative_to(folder).as_posix(), decode_source(content, name)[0])
        except NotText:
            continue
        if path.parent == folder and path.stem in {*sys.stdlib_module_names, "torch", "numpy"}:
            notices.append(f"{shown(name)} has the name of a library; `import {path.stem}` gives the library.")
    return sources
