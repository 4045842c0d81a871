"""Reading what was handed in, once, into memory: folders, single files and zip archives.

Runs in the command, on hostile input. Only regular files are read, never a link or a device; sizes and counts are
capped while reading, archives by what they really unpack to. What platforms add (`__MACOSX`, `._*`, `.DS_Store`,
caches) is dropped without a word. Names are data: they are never joined to a path, and a sentence quotes them through
`shown`.
"""

from __future__ import annotations

import errno
import io
import itertools
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from grader.errors import UsageProblem
from grader.model.text import plain_line

MAX_FILE_BYTES = 20 << 20
MAX_TOTAL_BYTES = 100 << 20
MAX_FILES = 2000
MAX_NAME = 500
MAX_DEPTH = 32
_MAX_NOTICES = 20
_SHOWN = 120
_MAX_CLASS_BYTES = 1 << 30
_MAX_CLASS_FILES = 50_000
_JUNK_PARTS = frozenset({"__MACOSX", ".DS_Store", "__pycache__", ".ipynb_checkpoints", ".git", ".gitkeep", "Thumbs.db"})

Files = dict[str, bytes]
"""Contents by relative name, with `/` between the parts."""


ClassFiles = dict[str, "bytes | RefusedFiles"]
"""The same of an archive that may hold a whole class: contents, or why a member is refused."""


class RefusedFiles(Exception):
    """What was handed in breaks a rule of intake; the text is one sentence for the student."""


def plain_name(name: str) -> str:
    """A file name as text: what is not UTF-8, which Python keeps as half surrogate pairs, is spelled out (`\\udceb`).

    Different names stay different: two must not become one file, nor one student.
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def shown(name: str) -> str:
    """A name that a student chose as a sentence may quote it: one line, nothing that acts, at most 120 characters."""
    return plain_line(plain_name(name), _SHOWN) or ascii(name)[:_SHOWN]


def is_junk(name: str) -> bool:
    """Whether a file comes from a platform or a tool, not from a person."""
    parts = name.split("/")
    return any(part in _JUNK_PARTS or part.startswith("._") for part in parts)


def read_regular_file(path: Path) -> bytes:
    """The bytes of a regular file of at most 20 MB.

    Raises:
        RefusedFiles: it is a link, a device or too large.
        OSError: it cannot be read, or is a link.
    """
    if not path.is_symlink() and not stat.S_ISREG(path.lstat().st_mode):
        raise RefusedFiles(f"{shown(path.name)} is not a regular file.")  # some of which cannot even be opened
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise RefusedFiles(f"{shown(path.name)} is not a regular file.")
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise RefusedFiles(f"{shown(path.name)} is larger than {MAX_FILE_BYTES >> 20} MB; hand in source files only.")
    return content


def read_folder(folder: Path) -> tuple[Files, list[str]]:
    """All regular files below a folder, and notices about what was left out.

    Raises:
        RefusedFiles: there are too many, or they are too large together.
    """
    files: Files = {}
    notices: list[str] = []
    total = 0
    for path in _walk(folder):
        relative = plain_name(path.relative_to(folder).as_posix())
        if is_junk(relative):
            continue
        try:
            content = read_regular_file(path)
        except RefusedFiles as refused:
            notices.append(f"Left out: {refused}")
            continue
        except OSError:
            if not path.is_symlink():
                raise  # this machine's trouble, which must not look like a file that was not handed in
            notices.append(f"Left out: {shown(relative)} is a link.")
            continue
        total += len(content)
        files[relative] = content
        if total > MAX_TOTAL_BYTES or len(files) > MAX_FILES:
            limits = f"{MAX_FILES} files or {MAX_TOTAL_BYTES >> 20} MB"
            raise RefusedFiles(f"More than {limits} were handed in; hand in source files only.")
    if len(notices) > _MAX_NOTICES:
        notices[_MAX_NOTICES:] = [f"{len(notices) - _MAX_NOTICES} more files were left out."]
    return files, notices


def _walk(folder: Path) -> Iterator[Path]:
    """Every file below a folder, sorted in each, links not followed. With a stack: depth is the student's choice."""
    waiting = [(folder, 0)]
    while waiting:
        current, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise RefusedFiles(f"Folders are nested deeper than {MAX_DEPTH}; hand in source files only.")
        try:
            with os.scandir(current) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if error.errno not in (errno.ENAMETOOLONG, errno.ELOOP):
                raise
            raise RefusedFiles("Names of nested folders are too long; hand in source files only.") from None
        folders = [Path(entry.path) for entry in found if entry.is_dir(follow_symlinks=False)]
        waiting += [(path, depth + 1) for path in reversed(folders) if not is_junk(path.name)]
        yield from (Path(entry.path) for entry in found if not entry.is_dir(follow_symlinks=False))


def read_zip(content: bytes, label: str, max_bytes: int = MAX_TOTAL_BYTES, max_files: int = MAX_FILES) -> Files:
    """The files of one person's zip archive, counted while they unpack.

    Raises:
        RefusedFiles: it is damaged, encrypted or too large, or a member is a link or would lie outside.
    """
    files: Files = {}
    for name, data in _read_archive(io.BytesIO(content), label, max_bytes, max_files).items():
        if isinstance(data, RefusedFiles):
            raise data
        files[name] = data
    return files


def _read_archive(source: IO[bytes] | Path, name: str, max_bytes: int, max_files: int) -> ClassFiles:
    label = shown(name)
    try:
        with zipfile.ZipFile(source) as archive:
            return _read_members(archive, label, max_bytes, max_files)
    except RefusedFiles:
        raise
    except Exception as error:  # damaged archives make zipfile raise errors of a dozen types
        raise RefusedFiles(f"{label} cannot be unpacked ({type(error).__name__}); zip it again.") from None


def _read_members(archive: zipfile.ZipFile, label: str, max_bytes: int, max_files: int) -> ClassFiles:
    files: ClassFiles = {}
    total = 0
    members = archive.infolist()
    if len(members) > max_files:
        raise RefusedFiles(f"{label} holds more than {max_files} members.")
    for member in members:
        name = plain_name(member.filename.replace("\\", "/"))
        if member.is_dir() or is_junk(name):
            continue
        if reason := _why_outside(name):
            files[_place_of_owner(name, len(files), label)] = RefusedFiles(
                f"{label} was refused: the member {shown(name)} {reason}."
            )
            continue
        if name in files:
            files[name] = RefusedFiles(f"{label} holds two files called {shown(name)}.")
            continue
        files[name] = data = _read_member(archive, member, name, label)
        total += len(data) if isinstance(data, bytes) else 0
        if total > max_bytes:
            raise RefusedFiles(f"{label} unpacks to more than the limit ({max_bytes >> 20} MB) at {_last(name)}.")
    return files


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, label: str) -> bytes | RefusedFiles:
    """One member, or why it is refused."""
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        return RefusedFiles(f"{label} was refused: the member {shown(name)} is a link or a device.")
    if member.flag_bits & 1:
        return RefusedFiles(f"{label} was refused: {_last(name)} is encrypted.")
    if member.file_size > MAX_FILE_BYTES:
        return RefusedFiles(
            f"{label} unpacks to more than the limit ({MAX_FILE_BYTES >> 20} MB a file) at {_last(name)}."
        )
    with archive.open(member) as file:  # which yields no more than the size that was just looked at
        return file.read(MAX_FILE_BYTES)


def _last(name: str) -> str:
    return shown(PurePosixPath(name).name)


def _why_outside(name: str) -> str:
    """What is wrong with the place that a member names; empty if nothing is."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or ":" in parts[0]:
        return "would lie outside the archive's folder"
    return f"has a name of more than {MAX_NAME} characters" if len(name) > MAX_NAME else ""


def _place_of_owner(name: str, number: int, label: str) -> str:
    """A name in the folder where such a member would begin, so that it is refused with its owner, not with the class.

    Raises:
        RefusedFiles: it begins nowhere; no platform writes such an archive.
    """
    parts = PurePosixPath(name).parts
    folders = [*itertools.takewhile(lambda part: part not in ("/", "..") and ":" not in part, parts[:-1])]
    if not folders:
        raise RefusedFiles(f"{label} was refused: the member {shown(name)} {_why_outside(name)}.")
    return "/".join(folders)[:MAX_NAME] + f"/refused-{number}"


def read_source_zip(path: Path) -> ClassFiles:
    """The files of an archive that was named as SOURCE: of a class, where one bad member is refused with its owner.

    Raises:
        UsageProblem: it cannot be read; the sentence says why.
    """
    try:
        if path.stat().st_size > _MAX_CLASS_BYTES:
            raise RefusedFiles(
                f"{shown(path.name)} is larger than {_MAX_CLASS_BYTES >> 20} MB; unpack it and grade the folder."
            )
        return _read_archive(path, path.name, _MAX_CLASS_BYTES, _MAX_CLASS_FILES)
    except OSError as error:
        raise UsageProblem(f"{path} cannot be read: {error.strerror}.") from None
    except RefusedFiles as refused:
        raise UsageProblem(f"SOURCE cannot be graded: {refused}") from None
