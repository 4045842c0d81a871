"""A layout: how one platform arranges a class in a download.

Runs in the command. A layout is a pure function from the names of a tree, and small files of the platform's own, to
hand-ins; it reads no student's work. It trusts what the platform wrote (the first part of a name, an index) and nothing
behind it: a student who chooses the name of a file must not thereby become somebody else. What it cannot place it
names, so that nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from grader.intake.tree import Tree

HANDED_IN = (".py", ".ipynb", ".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".rar", ".7z")
"""Endings of a single file that is taken for somebody's work."""


@dataclass(frozen=True)
class Who:
    """A person as a platform names them: its id, how people call them, and other names by which a roster may know them.

    `student` is the folder's name, or the file's, where the platform gives no id. `is_id`: no student can choose it, so
    a roster may know it.
    """

    student: str
    name: str = ""
    logins: tuple[str, ...] = ()
    is_id: bool = True


@dataclass(frozen=True)
class HandIn:
    """One attempt of one person or group, found and not yet read.

    `key` names whose it is, and becomes the id; attempts of the same people have the same `people`. `files` maps names
    inside the submission to names in the tree. `submitted_at` is in ISO 8601, without a zone where the platform names
    none. `attempt` puts attempts into their order: None where a platform gives only one, empty where there is no
    telling. `flat`: a single file whose name tells the student, not the assignment. `unclear` is what keeps this from
    being graded until staff decide.
    """

    key: str
    people: tuple[Who, ...]
    files: Mapping[str, str]
    submitted_at: str | None = None
    late: bool | None = None
    attempt: str | None = None
    flat: bool = False
    notices: tuple[str, ...] = ()
    unclear: str | None = None

    @property
    def who(self) -> Who:
        """The person, or the first of a group."""
        return self.people[0]


@dataclass(frozen=True)
class Class:
    """What a layout found: hand-ins, names that belong to nobody, and how many files are the platform's own."""

    hand_ins: tuple[HandIn, ...]
    passed_over: tuple[str, ...] = ()
    own_files: int = 0


@dataclass(frozen=True)
class Asked:
    """What a layout may know of what is graded: the file that is wanted, and the assignment's id."""

    main_file: str
    assignment: str = ""


@dataclass(frozen=True)
class Layout:
    """A way to arrange a class.

    `title` stands in the sentence that tells what was recognised, `clue` in the one that says that nothing was. `read`
    gives None where a tree is nothing of the kind.
    """

    title: str
    clue: str
    read: Callable[[Tree, Asked], Class | None]
    of_platform: bool = True


@dataclass
class Gathered:
    """Hand-ins in the making: the files of each come one by one."""

    files: dict[str, dict[str, str]] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)

    def add(self, whose: str, inside: str, name: str) -> None:
        """A file; `inside` is its name in the submission, empty for a folder without files."""
        files = self.files.setdefault(whose, {})
        if inside and not inside.endswith("/"):
            files[free_name(inside, files)] = name


def free_name(inside: str, taken: Mapping[str, str]) -> str:
    """A name that is not taken: two files that a platform tells apart must not become one."""
    candidate, number = inside, 1
    while candidate in taken:
        number += 1
        path = PurePosixPath(inside)
        candidate = path.with_name(f"{path.stem} ({number}){path.suffix}").as_posix()
    return candidate


def by_top(names: Iterable[str]) -> dict[str, list[str]]:
    """Names by the folder of the tree that they lie in; loose files are under the empty name."""
    found: dict[str, list[str]] = {}
    for name in names:
        top, slash, _ = name.partition("/")
        found.setdefault(top if slash else "", []).append(name)
    return found
