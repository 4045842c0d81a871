"""One person's files -> a `Submission`: the file that is graded, as text, and what can be imported beside it.

Pure functions, in the command. `choose` finds the file; here it becomes text under its proper name (the assignment's,
or with `.ipynb` for a notebook), and Python files beside it and above it become importable: those beside it under their
own names, all of them by their place in what was handed in. Every choice is told in a notice.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from grader.intake.archive import unpack_handed_in
from grader.intake.choose import Candidate, Choice, choose, read_candidate
from grader.intake.files import Files, RefusedFiles, shown
from grader.intake.notebook import Notebook
from grader.intake.scan import defined_names, missing_names
from grader.intake.text import NotText, decode_source
from grader.model.submission import Cell, Submission, SubmittedFile

_MAX_SOURCE_BYTES = 8 << 20
_LIBRARIES = frozenset({*sys.stdlib_module_names, "torch", "numpy"})


@dataclass(frozen=True)
class _Work:
    """What is graded: the text under its proper name, its cells if it is a notebook, the files that it writes."""

    main: str
    text: str
    cells: tuple[Cell, ...] = ()
    written: dict[str, str] | None = None


def build_submission(
    name: str,
    student: str,
    files: Files,
    notices: list[str],
    main_file: str,
    flat: bool = False,
    required: Sequence[str] = (),
) -> Submission:
    """The submission with id `name` made of these files; what can't be graded says why in `problem`.

    `flat`: a single file whose name tells the student, not the assignment; that it is called otherwise is no news.
    `required` are the names that the assignment asks for, which tell the work where file names do not.
    """
    draft = _Draft(name, student, files, list(notices), main_file, tuple(required))
    try:
        unpacked = unpack_handed_in(files, draft.told)
        choice = choose(unpacked, main_file, required)
    except (RefusedFiles, NotText) as error:
        return draft.refused(str(error))
    return draft.graded(unpacked, Choice(choice.candidate) if flat else choice)


def build_chosen(
    name: str,
    files: Files,
    chosen: str,
    notices: list[str],
    main_file: str,
    required: Sequence[str] = (),
    live: bool = False,
) -> Submission:
    """The submission in which the file `chosen` is graded, whatever it and the others are called.

    `live`: it stands for a session, in which a name that was defined again is no news.
    """
    draft = _Draft(name, name, files, list(notices), main_file, tuple(required))
    candidate = read_candidate(files, chosen)
    if live and candidate.notebook is not None:
        last = {name: places[-1:] for name, places in candidate.notebook.places.items()}
        candidate = replace(candidate, notebook=replace(candidate.notebook, places=last))
    return draft.graded(files, Choice(candidate))


def refused_submission(name: str, student: str, problem: str, unreadable: bool = False) -> Submission:
    """A submission that intake refused whole, or that this machine could not read."""
    return Submission(name, student, (), None, {}, problem, unreadable=unreadable)


@dataclass(frozen=True)
class _Draft:
    """A submission in the making: whose it is, the files as they were handed in, and what the student will be told."""

    name: str
    student: str
    files: Files
    told: list[str]
    main_file: str
    required: tuple[str, ...]

    def refused(self, problem: str) -> Submission:
        """One of which nothing can be graded."""
        return Submission(self.name, self.student, self._kept(), None, {}, problem, tuple(self.told))

    def graded(self, unpacked: Files, choice: Choice) -> Submission:
        """One whose graded file is known."""
        candidate = choice.candidate
        self.told.extend(choice.notices)
        if candidate.problem is not None:
            return self.refused(candidate.problem)
        self.told.extend([candidate.notice] if candidate.notice else [])
        if candidate.notebook is not None and ".ipynb" not in candidate.name.lower():
            self.told.append(f"{shown(candidate.name)} holds a notebook, and was graded as one.")
        work = _work(candidate, self.main_file, self.required, self.told)
        try:
            sources = _sources(unpacked, candidate.name, work, self.told)
        except RefusedFiles as error:
            return self.refused(str(error))
        return Submission(
            id=self.name,
            student=self.student,
            files=self._kept(),
            main=work.main,
            sources=sources,
            notices=tuple(self.told),
            graded_file=candidate.name,
            cells=work.cells,
        )

    def _kept(self) -> tuple[SubmittedFile, ...]:
        return tuple(SubmittedFile(key, content) for key, content in sorted(self.files.items()))


def _work(candidate: Candidate, main_file: str, required: Sequence[str], told: list[str]) -> _Work:
    """The text that is graded: of a notebook its cells, or the file that one of them writes if that is the work."""
    notebook = candidate.notebook
    if notebook is None:
        return _Work(main_file, candidate.text)
    told += notebook.notices
    written = {name: text for name, (_, text) in notebook.written.items()}
    if main_file in written:
        lacking = [name for name in required if not notebook.defines(name)]
        if not notebook.text.strip() or set(lacking) - set(missing_names(lacking, written[main_file])):
            number = notebook.written[main_file][0]
            told.append(f"Cell {number} writes {main_file}; that file was graded.")
            return _Work(main_file, written.pop(main_file), (), written)
    told += _told_cells(notebook, required)
    return _Work(f"{main_file.removesuffix('.py')}.ipynb", notebook.text, notebook.cells, written)


def _told_cells(notebook: Notebook, required: Sequence[str]) -> list[str]:
    """Required names that several cells define, or that stand in a cell of text alone."""
    told = []
    for name in required:
        places = notebook.places.get(name, ())
        if len(places) > 1:
            listed = ", ".join(map(str, places[:-1]))
            told.append(f"`{name}` is defined in cells {listed} and {places[-1]}; the last one counts.")
        prose = next((cell.number for cell in notebook.prose if name in defined_names(cell.source)), None)
        if not places and prose is not None:
            told.append(
                f"Cell {prose} is a text cell, its code was not run; `{name}` stands there: make it a code cell."
            )
    return told


def _sources(files: Files, chosen: str, work: _Work, told: list[str]) -> dict[str, str]:
    """The graded text, and the texts of the Python files that it may import."""
    if sum(len(content) for name, content in files.items() if name.lower().endswith(".py")) > _MAX_SOURCE_BYTES:
        raise RefusedFiles(
            f"More than {_MAX_SOURCE_BYTES >> 20} MB of Python files were handed in; hand in your own only."
        )
    if len(work.text) > _MAX_SOURCE_BYTES:
        raise RefusedFiles(f"{shown(chosen)} holds more than {_MAX_SOURCE_BYTES >> 20} MB of code.")
    sources = {work.main: work.text, **(work.written or {})}
    folder = PurePosixPath(chosen).parent
    texts = dict(_siblings(files, chosen, told))
    beside = {name: path.relative_to(folder) for name in texts if (path := PurePosixPath(name)).is_relative_to(folder)}
    for name, path in beside.items():
        sources.setdefault(path.as_posix(), texts[name])
        if len(path.parts) == 1 and path.stem in _LIBRARIES:
            told.append(f"{shown(name)} has the name of a library; `import {path.stem}` gives the library.")
    by_place = _imports(folder.parts[0], [*sources.values()]) if folder.parts else False
    for name, text in texts.items():
        if by_place or name not in beside:
            sources.setdefault(name, text)
    return sources


def _imports(package: str, texts: list[str]) -> bool:
    """Whether one of the texts imports from a folder of this name, as code does that is run from above it."""
    wanted = re.compile(rf"^[ \t]*(?:from|import)[ \t]+{re.escape(package)}\b", re.MULTILINE)
    return any(wanted.search(text) for text in texts)


def _siblings(files: Files, chosen: str, told: list[str]) -> list[tuple[str, str]]:
    """(name, text) of every other Python file that is text."""
    found = []
    for name, content in files.items():
        if name == chosen or not name.endswith(".py"):
            continue
        try:
            found.append((name, decode_source(content, shown(name))[0]))
        except NotText as problem:
            if content.strip():
                told.append(f"Left out: {problem}")
            else:
                found.append((name, ""))  # an empty __init__.py
    return found
