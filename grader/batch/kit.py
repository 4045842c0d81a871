"""The files that every package for a platform is made of: the grader, the course's part, pinned versions.

Runs in the command, on the instructor's machine, and reads only what is the grader's and the course's. A package holds
hidden tests, the reference and what wrong answers look like: it is for staff and for the platform's container.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import msgspec
from packaging.requirements import Requirement

import grader
from grader.content import all_files, templates_folders
from grader.errors import UsageProblem
from grader.exporters.base import Member, script
from grader.judge.diagnosis import Misconceptions
from grader.model.assignment import Assignment

_ROOT = Path(grader.__file__).parent
_ITSELF = "grader"
_TORCH = "torch"
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
"""With which the pinned versions are known to work together: taken first, where the platform has it."""
_EDITABLE = "editables"
"""What only a checkout's installation needs."""


def common_files(course: Path, assignment: Assignment, known: Misconceptions) -> dict[str, Member]:
    """What is in every package, by path: `install.sh`, `requirements.txt`, `grader/`, `course/`, `known.msgpack`.

    Raises:
        UsageProblem: what the grader needs is not installed here, so that its version cannot be pinned.
    """
    files = {f"grader/{name}": content for name, content in _sources()}
    files |= {f"course/{name}": content for name, content in _course(course, assignment)}
    files["known.msgpack"] = msgspec.msgpack.encode(known)
    files["requirements.txt"] = "".join(f"{line}\n" for line in pinned()).encode("ascii")
    members = {name: Member(content) for name, content in files.items()}
    return {**members, "install.sh": Member(script("common", "install.sh", {"PYTHON": _PYTHON}), executable=True)}


def pinned() -> list[str]:
    """`name==version` of torch and of all that the grader needs, as installed here.

    torch's own needs are left to its index, whose builds differ in them.

    Raises:
        UsageProblem: one of them is not installed here.
    """
    found: dict[str, str] = {}
    waiting = list(metadata.requires(_ITSELF) or ())
    while waiting:
        needed = Requirement(waiting.pop())
        name = re.sub(r"[-_.]+", "-", needed.name).lower()  # as the packaging specifications normalise names
        if (
            name in found
            or name == _EDITABLE
            or (needed.marker is not None and not needed.marker.evaluate({"extra": ""}))
        ):
            continue
        try:
            there = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise UsageProblem(f"{name}, which the grader needs, is not installed here; install it again.") from None
        found[name] = there.version.partition("+")[0]  # torch's build for CPUs names itself 2.13.0+cpu
        waiting += [] if name == _TORCH else there.requires or ()
    return [f"{name}=={found[name]}" for name in sorted(found, key=lambda name: (name != _TORCH, name))]


def _sources() -> Iterator[tuple[str, bytes]]:
    """The grader's own files, without the course that an installed one brings."""
    for path in all_files(_ROOT):
        relative = path.relative_to(_ROOT)
        if relative.parts[0] != "course" and path.suffix != ".pyc":
            yield relative.as_posix(), path.read_bytes()


def _course(course: Path, assignment: Assignment) -> Iterator[tuple[str, bytes]]:
    """What a judge opens of the course, and how reports look."""
    for folder in reversed(templates_folders(course)):  # the course's own come last, and win
        for path in all_files(folder):
            yield f"reports/{path.relative_to(folder).as_posix()}", path.read_bytes()
    paths = [assignment.folder / "assignment.toml", *all_files(assignment.handout_dir)]
    paths += [] if assignment.hidden_dir is None else all_files(assignment.hidden_dir)
    paths += [] if assignment.reference_file is None else [assignment.reference_file]
    for path in paths:
        yield path.relative_to(course).as_posix(), path.read_bytes()
