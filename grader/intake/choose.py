"""Which of the files that were handed in is graded, and why: told by name, and where names do not tell, by content.

Pure functions, in the command. The order: the assignment's own file name; the same name as a notebook; either of them
as an LMS, a browser or a person renames files; else the one file that defines what is required, or the only one that
could be meant. Where several are equally good none is picked: the student is told their names. Directory order decides
nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.intake.files import Files, RefusedFiles, shown
from grader.intake.kinds import is_notebook
from grader.intake.notebook import MAX_CODE, Notebook, read_notebook
from grader.intake.scan import defined_names
from grader.intake.text import NotText, decode_text

_PYTHON = re.compile(r"(.+?)\.pyw?(?:\.txt|\.py)?", re.IGNORECASE | re.DOTALL)
_NOTEBOOK = re.compile(r"(.+?)\.ipynb(?:\.json|\.txt|\.ipynb)?", re.IGNORECASE | re.DOTALL)
_TEXT = re.compile(r"(.+?)\.(?:txt|json)", re.IGNORECASE | re.DOTALL)
_CHECKPOINT = re.compile(r"-checkpoint\.(?:ipynb|py)$", re.IGNORECASE)
_FORMAT = b'"nbformat"'
_MOST_READ, _MOST_CHARACTERS = 60, 1 << 20
"""Files that are looked into for what they define, and characters of each."""
_COPY = r"(?:copy|kopie|copie|copia|duplicate)"
_ADDED_AFTER = re.compile(
    rf"(?:[-_. ]*\(\d{{1,3}}\)|[-_. ]*{_COPY}[-_. ]*(?:\(?\d{{1,3}}\)?)?|[-_. ]*v?\d{{1,3}}|"
    r"[-_. ]+(?:final|last|latest|new|neu|fixed|submission|submitted|submit|solution|done|resubmission))$"
)
_ADDED_BEFORE = re.compile(rf"(?:{_COPY}[-_. ]+(?:of|von|de)|copy|final)[-_. ]+")


@dataclass(frozen=True)
class Candidate:
    """A file that may be meant, as far as it can be read: `problem` says why it cannot."""

    name: str
    text: str = ""
    notebook: Notebook | None = None
    notice: str | None = None
    problem: str | None = None

    def missing(self, required: Iterable[str], main_file: str) -> list[str]:
        """Those of the required names that it does not define."""
        if self.notebook is None:
            defined = defined_names(self.text[:_MOST_CHARACTERS])
        else:
            written = self.notebook.written.get(main_file, (0, ""))[1]
            defined = {*self.notebook.places, *defined_names(written)}
        return [name for name in required if name not in defined]


@dataclass(frozen=True)
class Choice:
    """The file that is graded, and what the student should know of how it was found."""

    candidate: Candidate
    notices: tuple[str, ...] = ()


def read_candidate(files: Files, name: str) -> Candidate:
    """One file, whatever it is called."""
    try:
        text, notice = decode_text(files[name], shown(name))
        if is_notebook(text) or (_NOTEBOOK.fullmatch(name) and text.lstrip()[:1] in ("{", "<")):
            return Candidate(name, notebook=read_notebook(text, shown(name)), notice=notice)
    except NotText as problem:
        return Candidate(name, problem=str(problem))
    return Candidate(name, text, notice=notice)


def choose(files: Files, main_file: str, required: Sequence[str]) -> Choice:
    """The file to grade.

    Raises:
        RefusedFiles: there is none, or no telling which.
    """
    possible = sorted(name for name in files if _may_be_meant(name, files[name]))
    stem = main_file.removesuffix(".py")
    exact = [name for name in possible if PurePosixPath(name).name == main_file]
    chosen = _of_one_name(exact, main_file) or _of_one_name(
        [name for name in possible if PurePosixPath(name).name == f"{stem}.ipynb"], f"{stem}.ipynb"
    )
    candidates = _Candidates(files, main_file, required)
    if chosen is not None:
        found = candidates.read(chosen)  # before the others, which may be too much to read
        others = [name for name in possible[:_MOST_READ] if name != chosen and _is_rival(name, candidates, stem)]
        return Choice(found, _told_named(chosen, others, main_file))
    renamed = [name for name in possible if is_renamed(PurePosixPath(name).name, stem)]
    if renamed:
        name, why = _only_one(renamed, candidates, main_file)
        return Choice(candidates.read(name), (_told(candidates.read(name), main_file, why),))
    others = [name for name in possible if _is_source(name) or _FORMAT in files[name]]
    others = [name for name in others[:_MOST_READ] if _is_source(name) or candidates.read(name).notebook is not None]
    if not others:
        raise RefusedFiles(_nothing(files, main_file))
    if len(others) == _MOST_READ:
        raise RefusedFiles(f"No file is called {main_file}, and there is no telling which of so many to grade.")
    name, why = _only_one(others, candidates, main_file)
    return Choice(candidates.read(name), (_told(candidates.read(name), main_file, why),))


def is_renamed(name: str, stem: str) -> bool:
    """Whether a name is that of the file `stem` as an LMS, a browser or a person renames it.

    `attention-2.py`, `attention (1).py`, `Copy of Attention.ipynb`, `attention - Copy.py`, `attention-v2.final.py`.
    """
    found = _PYTHON.fullmatch(name) or _NOTEBOOK.fullmatch(name) or _TEXT.fullmatch(name)
    if found is None:
        return False
    left = unicodedata.normalize("NFKC", found[1]).lower().strip()
    wanted = stem.lower()
    for _ in range(8):
        if left == wanted or re.fullmatch(re.escape(wanted).replace("_", "[-_ ]?"), left):
            return True
        shorter = _ADDED_AFTER.sub("", _ADDED_BEFORE.sub("", left, count=1)).strip()
        if shorter == left:
            return False
        left = shorter
    return False


class _Candidates:
    """Files as candidates, each read at most once, until the code of notebooks among them is too much together."""

    def __init__(self, files: Files, main_file: str, required: Sequence[str]) -> None:
        self._files = files
        self._main_file = main_file
        self._required = required
        self._read: dict[str, Candidate] = {}
        self._code = 0

    def read(self, name: str) -> Candidate:
        """The candidate of this name."""
        if name not in self._read:
            if self._code > MAX_CODE:
                problem = f"{shown(name)} was not read: more than {MAX_CODE >> 20} MB of code lie in other notebooks."
                return Candidate(name, problem=problem)
            found = self._read[name] = read_candidate(self._files, name)
            self._code += 0 if found.notebook is None else len(found.notebook.text)
        return self._read[name]

    def same(self, names: Sequence[str]) -> bool:
        """Whether all of them hold the same bytes."""
        return len({self._files[name] for name in names}) == 1

    def defining(self, names: Sequence[str], count: Callable[[int], bool]) -> list[str]:
        """Those that define so many of the required names; none where none is known."""
        if not self._required:
            return []
        total = len(self._required)
        candidates = [self.read(name) for name in names]
        return [
            candidate.name
            for candidate in candidates
            if candidate.problem is None and count(total - len(candidate.missing(self._required, self._main_file)))
        ]

    def complete(self, names: Sequence[str]) -> list[str]:
        """Those that define all of the required names."""
        return self.defining(names, lambda found: found == len(self._required))


def _of_one_name(names: list[str], wanted: str) -> str | None:
    """Of files with the same proper name in several folders the one that is in none of them, or the only one."""
    if wanted in names:
        return wanted
    if len(names) > 1:
        found = ", ".join(map(shown, names[:4]))
        raise RefusedFiles(f"There are {len(names)} files called {wanted} ({found}); hand in one.")
    return names[0] if names else None


def _only_one(names: list[str], candidates: _Candidates, main_file: str) -> tuple[str, str]:
    """The one of these files that can be meant, and a clause that says why, if there was a choice."""
    if len(names) == 1:
        return names[0], ""
    if candidates.same(names):
        others = ", ".join(map(shown, names[1:4]))
        return names[0], f", and {others} {'is' if len(names) == 2 else 'are'} the same"
    for found, why in (
        (candidates.complete(names), "it alone defines all that is required"),
        (candidates.defining(names, lambda count: count > 0), "the others define nothing that is required"),
    ):
        if len(found) == 1:
            others = ", ".join(shown(name) for name in names if name != found[0])
            return found[0], f", and not {others}: {why}"
        if found:
            names = found
            break
    listed = ", ".join(map(shown, names[:6]))
    raise RefusedFiles(f"No file is called {main_file}, and there is no telling which of {listed} to grade.")


def _is_rival(name: str, candidates: _Candidates, stem: str) -> bool:
    """Whether a student may have meant this file, and should know that it was not graded.

    A Python file that defines everything under another name is likely a part of the work; a notebook is not.
    """
    base = PurePosixPath(name).name
    return is_renamed(base, stem) or (_NOTEBOOK.fullmatch(base) is not None and bool(candidates.complete([name])))


def _told_named(chosen: str, others: list[str], main_file: str) -> tuple[str, ...]:
    plain = chosen in (main_file, f"{main_file.removesuffix('.py')}.ipynb")
    if not others:
        return () if plain else (f"{shown(chosen)} was graded.",)
    listed = ", ".join(map(shown, others[:4]))
    return (f"{shown(chosen)} was graded, since it has the assignment's name, and not {listed}.",)


def _told(candidate: Candidate, main_file: str, why: str) -> str:
    proper = main_file if candidate.notebook is None else f"{main_file.removesuffix('.py')}.ipynb"
    return f"{shown(candidate.name)} was graded as {proper}{why}."


def _is_source(name: str) -> bool:
    base = PurePosixPath(name).name
    return bool(_PYTHON.fullmatch(base) or _NOTEBOOK.fullmatch(base))


def _may_be_meant(name: str, content: bytes) -> bool:
    """Whether a file could be the work: Python, a notebook under any name, not a public check or a checkpoint."""
    base = PurePosixPath(name).name
    if base.startswith("check_") or _CHECKPOINT.search(base):
        return False
    return _is_source(base) or _TEXT.fullmatch(base) is not None or _FORMAT in content


def _nothing(files: Files, main_file: str) -> str:
    """Why there is nothing to grade."""
    if not files:
        return f"Nothing was handed in; expected {main_file}."
    if len(files) == 1:
        (name,) = files
        try:
            decode_text(files[name], shown(name))
        except NotText as problem:
            return str(problem)
    found = ", ".join(map(shown, sorted(files)[:6]))
    return f"{main_file} was not handed in; found only {found}."
