"""Files as bytes, read once: what counts as a file, how large it may be, and how its name is quoted.

Runs in the command, on hostile input. Only regular files are read, never a link or a device. What platforms and tools
add (`__MACOSX`, `._*`, `.DS_Store`, caches, environments) is dropped without a word. Names are data: they are never
joined to a path, and a sentence quotes them through `shown`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from grader.model.text import plain_line

MAX_FILE_BYTES = 20 << 20
MAX_TOTAL_BYTES = 100 << 20
MAX_FILES = 2000
MAX_NOTICES = 20
_SHOWN = 120
_JUNK_PARTS = frozenset(
    {
        *("__macosx", ".ds_store", ".appledouble", ".trashes", ".spotlight-v100", ".fseventsd"),
        *("thumbs.db", "desktop.ini", "__pycache__", ".ipynb_checkpoints", ".git", ".gitkeep", ".idea", ".vscode"),
        *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", "node_modules", "$recycle.bin"),
    }
)

Files = dict[str, bytes]
"""Contents by relative name, with `/` between the parts."""


class RefusedFiles(Exception):
    """What was handed in breaks a rule of intake; the text is one sentence for the student."""


class LeftOutFile(RefusedFiles):
    """One file that is left out, while the rest of the submission is graded; the text says why."""


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
    parts = name.casefold().split("/")
    return any(part in _JUNK_PARTS or part.startswith("._") for part in parts)


def too_large(name: str, limit: int = MAX_FILE_BYTES) -> LeftOutFile:
    """That a file is larger than one may be."""
    return LeftOutFile(f"{shown(name)} is larger than {limit >> 20} MB; hand in source files only.")


def too_many() -> RefusedFiles:
    """That one person handed in more than is read."""
    limits = f"{MAX_FILES} files or {MAX_TOTAL_BYTES >> 20} MB"
    return RefusedFiles(f"More than {limits} were handed in; hand in source files only.")


def read_regular_file(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a regular file of at most `limit`.

    Raises:
        LeftOutFile: it is a device or too large.
        OSError: it cannot be read, or is a link.
    """
    if not path.is_symlink() and not stat.S_ISREG(path.lstat().st_mode):
        raise LeftOutFile(f"{shown(path.name)} is not a regular file.")  # some of which cannot even be opened
    flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    descriptor = os.open(path, os.O_RDONLY | sum(flags))
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise LeftOutFile(f"{shown(path.name)} is not a regular file.")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise too_large(path.name, limit)
    return content


def unwrapped(files: Files) -> Files:
    """The files without the folders that hold all of them; a package stays one."""
    while len({name.partition("/")[0] for name in files}) == 1:
        inner = {name.partition("/")[2]: content for name, content in files.items()}
        if "" in inner or "__init__.py" in inner:
            break
        files = inner
    return files
