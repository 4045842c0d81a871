"""Archives: what was packed, unpacked in memory.

Runs in the command, on hostile input. What an archive is, is told by its first bytes. Nothing is written to a disk;
caps hold for sizes, ratios, numbers and names while reading. One person's archive is read whole, and refused whole for
a member that is a link, encrypted or would lie outside. The archive of a class becomes a tree, in which such a member
is refused with its owner.
"""

from __future__ import annotations

import errno
import io
import stat
from pathlib import Path, PurePosixPath
from typing import IO

from grader.errors import UsageProblem
from grader.intake.files import (
    MAX_FILE_BYTES,
    MAX_NOTICES,
    Files,
    LeftOutFile,
    RefusedFiles,
    plain_name,
    shown,
    unwrapped,
)
from grader.intake.members import CLASS_TAR, CLASS_ZIP, PERSON, Caps, Members
from grader.intake.tars import looks_like_tar, tar_members
from grader.intake.tree import Tree
from grader.intake.zips import zip_members

_ARCHIVES = (".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".rar", ".7z")
_SOURCES = (".py", ".ipynb")
_LEVELS = 2
"""How many archives may lie in each other: the one that was handed in, and one in it."""
_FOREIGN = {b"Rar!\x1a\x07": "a RAR archive", b"7z\xbc\xaf\x27\x1c": "a 7z archive"}


def is_archive(name: str) -> bool:
    """Whether a file is called like an archive, readable here or not."""
    return name.lower().endswith(_ARCHIVES)


def unpack_handed_in(files: Files, notices: list[str]) -> Files:
    """If what was handed in is one archive and no source, the archive's files; else `files`.

    Raises:
        RefusedFiles: the archive breaks a rule of intake.
    """
    for _ in range(_LEVELS):
        if (name := _only_archive(files)) is None:
            return files
        notices.append(f"{shown(name)} was unpacked.")
        files = unwrapped(read_archive(files[name], name, notices))
    if name := _only_archive(files):
        raise RefusedFiles(f"{shown(name)} lies in an archive in an archive; pack your files once.")
    return files


def _only_archive(files: Files) -> str | None:
    archives = [name for name in files if is_archive(name)]
    if len(archives) != 1 or any(name.lower().endswith(_SOURCES) for name in files):
        return None
    return archives[0]


def read_archive(content: bytes, name: str, notices: list[str], caps: Caps = PERSON) -> Files:
    """The files of one person's archive; files that are too large are left out, with a notice.

    Raises:
        RefusedFiles: it is damaged, encrypted or too large, or a member is a link or would lie outside.
    """
    label = shown(name)
    files: Files = {}
    left_out: list[str] = []
    for inside, read in _members(content, label, caps).kept().items():
        if inside.endswith("/"):
            continue
        try:
            files[inside] = read(MAX_FILE_BYTES)
        except LeftOutFile as problem:
            left_out.append(str(problem))
    if left_out and not files:
        raise RefusedFiles(left_out[0])
    notices += few([f"Left out: {text}" for text in left_out])
    return files


def few(notices: list[str]) -> list[str]:
    """At most twenty notices about what was left out, and how many there are more."""
    if len(notices) <= MAX_NOTICES:
        return notices
    return [*notices[:MAX_NOTICES], f"{len(notices) - MAX_NOTICES} more files were left out."]


def _members(content: bytes, label: str, caps: Caps) -> Members:
    """The members of one person's archive, whatever its kind."""
    kind = _kind(io.BytesIO(content))
    try:
        if kind == "zip":
            return zip_members(content, label, caps, lambda error: _damaged(label, error))
        if kind == "tar":
            return tar_members(content, label, caps)
    except RefusedFiles:
        raise
    except Exception as error:  # damaged archives make the libraries raise errors of a dozen types
        raise _damaged(label, error) from None
    raise RefusedFiles(f"{label} {_why_not(kind)}; pack your files as a .zip and hand that in.")


def _damaged(label: str, error: Exception) -> RefusedFiles:
    return RefusedFiles(f"{label} cannot be unpacked ({type(error).__name__}); zip it again.")


def _kind(file: IO[bytes]) -> str:
    """`zip`, `tar`, or what else the file is; empty if there is no telling."""
    start = file.read(6)
    for magic, words in _FOREIGN.items():
        if start.startswith(magic):
            return words
    if start.startswith(b"PK"):
        return "zip"
    return "tar" if looks_like_tar(file) else ""


def _why_not(kind: str) -> str:
    return f"is {kind}, which is not unpacked here" if kind else "cannot be unpacked: it is neither a zip nor a tar"


def archive_tree(path: Path) -> Tree:
    """The tree of an archive that was named as SOURCE.

    Raises:
        UsageProblem: it cannot be read; the sentence says why.
    """
    label = shown(path.name)
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise UsageProblem(f"SOURCE {path} is neither a file nor a folder.")
        with open(path, "rb") as file:
            kind = _kind(file)
        if kind not in ("zip", "tar"):
            raise RefusedFiles(f"{label} {_why_not(kind)}; unpack it and grade the folder.")
        caps = CLASS_ZIP if kind == "zip" else CLASS_TAR
        if facts.st_size > caps.packed:
            raise RefusedFiles(f"{label} is larger than {caps.packed >> 20} MB; unpack it and grade the folder.")
        members = zip_members(path, label, caps, _unreadable) if kind == "zip" else tar_members(path, label, caps)
    except OSError as error:
        raise UsageProblem(f"{path} cannot be read: {error.strerror or error}.") from None
    except RefusedFiles as refused:
        raise UsageProblem(f"SOURCE cannot be graded: {refused}") from None
    except UsageProblem:
        raise
    except Exception as error:
        raise UsageProblem(
            f"SOURCE cannot be graded: {label} cannot be unpacked ({type(error).__name__}); download it again."
        ) from None
    return Tree(_stem(plain_name(path.name)), members.kept(), packed=True)


def archive_inside(tree: Tree) -> Tree | None:
    """The tree of the archive that is the only file of a tree; None if it is not, or cannot be read."""
    if len(names := tree.names()) != 1 or not is_archive(names[0]):
        return None
    name = PurePosixPath(names[0]).name
    try:
        members = _members(tree.read(names[0], CLASS_TAR.packed), shown(name), CLASS_TAR)
    except (OSError, LeftOutFile, RefusedFiles):
        return None
    return Tree(_stem(plain_name(name)), members.kept(), packed=True)


def _unreadable(error: Exception) -> Exception:
    """A member of a class's archive was damaged on its way to us, or packed in a way of the platform's."""
    problem = f"it cannot be unpacked ({type(error).__name__}); download the archive again, or grade it unpacked"
    return OSError(errno.EIO, problem)


def _stem(name: str) -> str:
    """`class` of `class.tar.gz`."""
    for ending in _ARCHIVES:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)].removesuffix(".tar")
    return name
