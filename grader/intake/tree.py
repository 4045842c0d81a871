"""What SOURCE holds: names, and the bytes behind each, whether it is a folder or an archive.

Runs in the command, on hostile input. A tree knows every name from the beginning and reads a file when it is asked for,
so that of a folder or a zip one submission at a time lies in memory. Links are never followed. What must not or cannot
be read still has a name, below the folder that it would lie in, and is refused when it is read: so it costs its owner,
not the class. A name that ends with `/` is a folder without files.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from grader.errors import UsageProblem
from grader.intake.files import MAX_FILE_BYTES, LeftOutFile, RefusedFiles, is_junk, plain_name, read_regular_file, shown

MAX_DEPTH = 32
_MAX_NAMES = 100_000
"""Names below one folder of SOURCE. A student has 2000 files at most; this bounds what looking at them takes."""

Read = Callable[[int], bytes]
"""Reads a file of at most so many bytes; raises what `Tree.read` raises."""


@dataclass(frozen=True)
class Tree:
    """Files by name. `name` is the folder's or archive's, without its suffix; `repositories` are folders of Git's.

    `packed`: it is an archive, around whose contents there may be folders that mean nothing.
    """

    name: str
    places: Mapping[str, Read]
    repositories: frozenset[str] = frozenset()
    packed: bool = False

    def names(self) -> list[str]:
        """Every name, sorted, with `/` between its parts."""
        return sorted(self.places)

    def read(self, name: str, limit: int = MAX_FILE_BYTES) -> bytes:
        """The bytes of a file of at most `limit`.

        Raises:
            LeftOutFile: it is a link, a device or too large.
            RefusedFiles: whoever it belongs to broke a rule of intake.
            OSError: this machine cannot read it.
        """
        return self.places[name](limit)

    def inner(self) -> Tree | None:
        """What lies in the one folder that holds everything; None if there is none."""
        tops = {name.partition("/")[0] for name in self.places}
        (top, *others) = tops or {""}
        inner = {name.partition("/")[2]: read for name, read in self.places.items()}
        if others or not top or "" in inner:
            return None
        repositories = frozenset(name.removeprefix(f"{top}/") for name in self.repositories - {top})
        return Tree(top, inner, repositories, self.packed)


def refusing(problem: Exception) -> Read:
    """What stands behind the name of something that is not read."""

    def read(_: int) -> NoReturn:
        raise problem

    return read


def folder_tree(folder: Path, without: Path | None = None) -> Tree:
    """The tree of a folder, as if there were no folder `without` in it.

    Raises:
        UsageProblem: it cannot be read.
    """
    walk = _Walk(folder, None if without is None else without.resolve())
    try:
        places = dict(walk.files())
    except OSError as error:
        raise UsageProblem(f"{folder} cannot be read: {error.strerror}.") from None
    return Tree(plain_name(folder.resolve().name), places, frozenset(walk.repositories))


class _Walk:
    """One look at a folder and all below it. With a stack: depth is the student's choice."""

    def __init__(self, folder: Path, without: Path | None) -> None:
        self._folder = folder
        self._without = without
        self.repositories: set[str] = set()

    def files(self) -> Iterator[tuple[str, Read]]:
        """(name, how to read it), folder by folder. Raises OSError if the folder itself cannot be read."""
        for entry in self._children(self._folder):
            name = plain_name(entry.name)
            if is_junk(name) or name.startswith("."):
                continue
            if entry.is_symlink():
                # Left out: beside the files of one submission it must not cost the others. Alone it is refused by that.
                problem = LeftOutFile(f"{shown(name)} is a link; only folders and files are graded.")
                yield f"{name}/link", refusing(problem)
            elif entry.is_dir():
                yield from self._below(Path(entry.path), name)
            else:
                yield name, regular_file(Path(entry.path), name)

    def _below(self, top: Path, name: str) -> Iterator[tuple[str, Read]]:
        waiting = [(top, name, 1)]
        count = 0
        while waiting:
            current, inside, depth = waiting.pop()
            if self._is_without(current):
                continue
            try:
                if depth > MAX_DEPTH:
                    raise RefusedFiles(f"Folders are nested deeper than {MAX_DEPTH}; hand in source files only.")
                entries = self._children(current)
            except (OSError, RefusedFiles) as error:
                yield f"{inside}/unread", refusing(_explained(error))
                continue
            count += len(entries)
            if count > _MAX_NAMES:
                problem = RefusedFiles(f"{shown(name)} holds more than {_MAX_NAMES} files; hand in source files only.")
                yield f"{name}/unread", refusing(problem)
                return
            found = [entry for entry in entries if not is_junk(plain_name(entry.name))]
            if len(found) < len(entries) and any(entry.name == ".git" for entry in entries):
                self.repositories.add(inside)
            folders = [entry for entry in found if entry.is_dir(follow_symlinks=False)]
            files = [entry for entry in found if not entry.is_dir(follow_symlinks=False)]
            if not found:
                yield f"{inside}/", refusing(RefusedFiles(f"{shown(name)} is empty."))
            for entry in files:
                here = f"{inside}/{plain_name(entry.name)}"
                yield here, regular_file(Path(entry.path), here.removeprefix(f"{name}/"))
            below = ((Path(entry.path), f"{inside}/{plain_name(entry.name)}", depth + 1) for entry in folders)
            waiting += reversed(list(below))

    def _children(self, folder: Path) -> list[os.DirEntry[str]]:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)

    def _is_without(self, folder: Path) -> bool:
        return self._without is not None and folder.name == self._without.name and folder.resolve() == self._without


def _explained(error: OSError | RefusedFiles) -> Exception:
    if isinstance(error, OSError) and error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return RefusedFiles("Names of nested folders are too long; hand in source files only.")
    return error


def regular_file(path: Path, name: str) -> Read:
    """Reads a file of a folder, which sentences call `name`."""

    def read(limit: int) -> bytes:
        try:
            return read_regular_file(path, limit)
        except OSError:
            if path.is_symlink():
                raise LeftOutFile(f"{shown(name)} is a link.") from None
            raise  # this machine's trouble, which must not look like a file that was not handed in

    return read
