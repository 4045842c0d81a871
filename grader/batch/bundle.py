"""What another machine needs to grade one assignment, as bytes: its description, its checks and its reference.

Used in the command, which packs, and on the workers of a cluster, which unpack. A bundle holds hidden checks, so it is
unpacked into folders that their owner alone may enter. Its SHA-256 goes beside it; unpacking checks it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

import msgspec

from grader.content import all_files
from grader.errors import MachineProblem
from grader.model.assignment import Assignment


class Bundle(msgspec.Struct, frozen=True):
    """`content` are the files by their paths in the course folder, encoded; `sha256` is its hexadecimal SHA-256."""

    content: bytes
    sha256: str


def pack(course: Path, assignment: Assignment) -> Bundle:
    """Everything of the course that a slot for this assignment opens; not its variants."""
    paths = [assignment.folder / "assignment.toml", *all_files(assignment.handout_dir)]
    if assignment.hidden_dir is not None:
        paths += all_files(assignment.hidden_dir)
    if assignment.reference_file is not None:
        paths.append(assignment.reference_file)
    files = {path.relative_to(course).as_posix(): path.read_bytes() for path in sorted(paths)}
    content = msgspec.msgpack.encode(files)
    return Bundle(content, hashlib.sha256(content).hexdigest())


def unpack(bundle: Bundle, folder: Path) -> None:
    """Write the files into an empty folder, which is a course folder then.

    Raises:
        MachineProblem: the bytes are not those that were packed.
    """
    if hashlib.sha256(bundle.content).hexdigest() != bundle.sha256:
        raise MachineProblem("The assignment's bundle arrived with other bytes than were sent; run the command again.")
    for name, content in msgspec.msgpack.decode(bundle.content, type=dict[str, bytes]).items():
        steps = PurePosixPath(name)
        if steps.is_absolute() or ".." in steps.parts:
            raise MachineProblem(f"The assignment's bundle names {name!r}, which lies outside of it.")
        path = folder / steps
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
