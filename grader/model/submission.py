"""A submission: who handed in what, as bytes that were read once.

Built by intake in the command's process. From here on only these bytes are graded; no later stage opens a file of a
student's.
"""

from __future__ import annotations

import hashlib

import msgspec


class SubmittedFile(msgspec.Struct, frozen=True):
    """One file as it was handed in. `name` is relative, with `/` between its parts."""

    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the bytes as uploaded."""
        return hashlib.sha256(self.content).hexdigest()


class Person(msgspec.Struct, frozen=True):
    """Somebody of a class: `student` is the LMS's id where there is one, `name` how people call them, if known."""

    student: str
    name: str = ""


class Cell(msgspec.Struct, frozen=True):
    """A code cell of a notebook: its number among all cells from 1, and its first and last line in the graded text."""

    number: int
    first: int
    last: int


class Submission(msgspec.Struct, frozen=True):
    """One person's work for one assignment, or one group's.

    `id` is safe as a file name and unique in its run; `student` is the person as the source names them. `sources`
    is the decoded Python text of the graded file, under its proper name `main`, and of its siblings; `graded_file` is
    the name under which it was handed in. When nothing gradable was handed in, `main` is None and `problem` says why
    in one sentence; `unreadable` tells that this was the machine's doing, for which nobody gets a zero.

    `name` is how people call the student. `submitted_at` is the LMS's word, in ISO 8601 with its zone (UTC where the
    LMS names none), never a file's time; `late` is the LMS's own verdict, None where it gives none; `extension` is this
    student's own due date, in ISO 8601 in the course's zone, where it differs from the assignment's. `members` are the
    people of a group, `student` among them; empty for one person's work. `cells` are those of a notebook, whose code
    lies in `sources` as one text. `handed_in_as` are names in a platform's download, a folder with `/` at its end:
    feedback goes back under them.
    """

    id: str
    student: str
    files: tuple[SubmittedFile, ...]
    main: str | None
    sources: dict[str, str]
    problem: str | None = None
    notices: tuple[str, ...] = ()
    submitted_at: str | None = None
    graded_file: str | None = None
    unreadable: bool = False
    name: str = ""
    late: bool | None = None
    extension: str | None = None
    members: tuple[Person, ...] = ()
    cells: tuple[Cell, ...] = ()
    handed_in_as: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 over the names and contents of all files, in the order of their names."""
        digest = hashlib.sha256()
        for file in sorted(self.files, key=lambda f: f.name):
            name = file.name.encode("utf-8", "surrogatepass")
            digest.update(len(name).to_bytes(8, "big") + name)
            digest.update(len(file.content).to_bytes(8, "big") + file.content)
        return digest.hexdigest()
