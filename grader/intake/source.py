"""SOURCE -> submissions: a file, a folder with one folder or file a student, or a zip of either.

Runs in the command. Entries of a folder are found first and read one at a time, so that a class never lies in memory
whole; a zip is read at once, within its caps. Ids are safe as file names and unique; names of folders and files stay
data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from grader.errors import UsageProblem
from grader.intake.files import (
    ClassFiles,
    Files,
    RefusedFiles,
    is_junk,
    plain_name,
    read_folder,
    read_regular_file,
    read_source_zip,
    shown,
)
from grader.intake.submit import build_submission, refused_submission
from grader.model.submission import Submission

_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_HANDED_IN = (".py", ".zip", ".ipynb")


@dataclass(frozen=True)
class Entry:
    """One submission that was found and not yet read. `name` is the folder's or file's, without its suffix."""

    name: str
    read: Callable[[], tuple[Files, list[str]]]
    flat: bool = False
    path: Path | None = None


@dataclass(frozen=True)
class Found:
    """(id, reader) of every submission, in the order of their names, and names in SOURCE that are none."""

    submissions: list[tuple[str, Callable[[], Submission]]]
    passed_over: list[str]


def find_submissions(
    source: Path, main_file: str, out: Path | None = None, known: Mapping[str, str] | None = None
) -> Found:
    """What SOURCE holds, without the folder `out` that results are written to; ids of `known` students stay theirs.

    Raises:
        UsageProblem: SOURCE does not exist, cannot be read, or holds no submission.
    """
    passed_over: list[str] = []
    if out is not None and source.is_dir() and source.resolve() == out.resolve():
        raise UsageProblem(f"OUT {out} is SOURCE itself; name another folder.")
    entries = _entries(source, main_file, passed_over)
    if out is not None:
        entries = [entry for entry in entries if entry.path is None or entry.path.resolve() != out.resolve()]
    if not entries:
        raise UsageProblem(f"{source} holds no submission; expected {main_file}, or a folder or file for each student.")
    entries.sort(key=lambda entry: entry.name)
    entries = [replace(entry, name=plain_name(entry.name)) for entry in entries]
    ids = safe_ids([entry.name for entry in entries], known or {})
    readers = [(name, _reader(name, entry, main_file)) for name, entry in zip(ids, entries, strict=True)]
    return Found(readers, passed_over)


def _reader(name: str, entry: Entry, main_file: str) -> Callable[[], Submission]:
    def read() -> Submission:
        try:
            files, notices = entry.read()
        except RefusedFiles as refused:
            return refused_submission(name, entry.name, str(refused))
        except OSError as error:
            reason = f"What was handed in cannot be read: {error.strerror}: {shown(str(error.filename))}."
            return refused_submission(name, entry.name, reason, unreadable=True)
        try:
            return build_submission(name, entry.name, files, notices, main_file, entry.flat)
        except Exception as error:  # files of one must not cost the others their marks, nor a bug of ours a zero
            reason = f"What was handed in cannot be read: {type(error).__name__}: {shown(str(error))}."
            return refused_submission(name, entry.name, reason, unreadable=True)

    return read


def _entries(source: Path, main_file: str, passed_over: list[str]) -> list[Entry]:
    if not source.exists():
        raise UsageProblem(f"SOURCE {source} does not exist.")
    if source.is_dir():
        return list(_entries_of_folder(source, main_file, passed_over))
    if source.suffix.lower() == ".zip":
        return _entries_of_zip(read_source_zip(source), source.stem, main_file, passed_over)
    if source.suffix.lower() not in _HANDED_IN:
        raise UsageProblem(f"SOURCE {source} is neither a Python file nor a zip nor a folder; unpack it first.")
    return [Entry(source.stem, lambda: ({source.name: read_regular_file(source)}, []), flat=True)]


def _entries_of_folder(folder: Path, main_file: str, passed_over: list[str]) -> Iterator[Entry]:
    try:
        children = sorted(folder.iterdir())
    except OSError as error:
        raise UsageProblem(f"{folder} cannot be read: {error.strerror}.") from None
    if (folder / main_file).is_file():
        yield Entry(folder.resolve().name, lambda: read_folder(folder))
        return
    for child in children:
        if is_junk(child.name) or child.name.startswith("."):
            continue
        if child.is_symlink():
            yield Entry(child.name, _refuse(f"{shown(child.name)} is a link; only folders and files are graded."))
        elif child.is_dir():
            yield Entry(child.name, _folder_reader(child), path=child)
        elif child.suffix.lower() in _HANDED_IN:
            yield Entry(child.stem, _file_reader(child), flat=True)
        else:
            passed_over.append(shown(child.name))


def _file_reader(path: Path) -> Callable[[], tuple[Files, list[str]]]:
    return lambda: ({path.name: read_regular_file(path)}, [])


def _folder_reader(path: Path) -> Callable[[], tuple[Files, list[str]]]:
    return lambda: read_folder(path)


def _refuse(reason: str) -> Callable[[], tuple[Files, list[str]]]:
    def read() -> tuple[Files, list[str]]:
        raise RefusedFiles(reason)

    return read


def _entries_of_zip(files: ClassFiles, stem: str, main_file: str, passed_over: list[str]) -> list[Entry]:
    """As of a folder, after unwrapping folders that hold everything."""
    name = stem
    while main_file not in files and len(tops := {key.partition("/")[0] for key in files}) == 1:
        (top,) = tops
        if not all(key.startswith(f"{top}/") for key in files):
            break
        inner = {key.removeprefix(f"{top}/"): content for key, content in files.items()}
        if not any("/" in key for key in inner) and main_file not in inner:
            break  # one student's folder, or loose files
        name, files = top, inner
    if main_file in files:
        return [Entry(name, _known(files))]
    groups: dict[str, ClassFiles] = {}
    flat: set[str] = set()
    for key, content in files.items():
        top, _, rest = key.partition("/")
        if rest:
            groups.setdefault(top, {})[rest] = content
        elif PurePosixPath(key).suffix.lower() in _HANDED_IN:
            groups.setdefault(PurePosixPath(key).stem, {})[key] = content
            flat.add(PurePosixPath(key).stem)
        else:
            passed_over.append(shown(key))
    return [Entry(top, _known(inner), top in flat and len(inner) == 1) for top, inner in groups.items()]


def _known(files: ClassFiles) -> Callable[[], tuple[Files, list[str]]]:
    def read() -> tuple[Files, list[str]]:
        good: Files = {}
        for name, content in files.items():
            if isinstance(content, RefusedFiles):
                raise content  # refused with its owner, not with the class
            good[name] = content
        return good, []

    return read


def safe_ids(names: list[str], known: Mapping[str, str] | None = None) -> list[str]:
    """For each name an id of ASCII letters, digits, `.`, `_` and `-`, beginning with a letter or digit.

    Unique ignoring case: a collision gets `-2`, `-3`, and so on. Names in `known` keep the id that they have there.
    """
    given = dict(known or {})
    taken = {name.lower() for name in given.values()}
    ids = []
    for name in names:
        if name in given:
            ids.append(given.pop(name))
            continue
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
        base = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).lstrip("-._")[:80]
        base = (base if name.endswith("-") else base.rstrip("-")) or "submission"
        if _RESERVED.fullmatch(base):
            base = f"s-{base}"
        candidate, number = base, 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{base}-{number}"
        taken.add(candidate.lower())
        ids.append(candidate)
    return ids
