"""A platform's container, seen from inside: the files that it put there, and those that it wants back.

Runs in the command. Reads and writes; what the files mean is the platform's own module's business.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from grader import registry
from grader.errors import MachineProblem, UsageProblem
from grader.exporters.base import Delivery, Platform, Told
from grader.intake.files import plain_name, too_large
from grader.intake.layouts.base import HandIn, Who
from grader.intake.source import read_one
from grader.intake.tree import Read, Tree, folder_tree, regular_file
from grader.model.submission import Submission
from grader.store import write_atomically

_NOBODY = "submission"


class Site:
    """The container of one platform; its absolute paths begin at `root`, others at the working folder."""

    def __init__(self, platform: str, root: Path) -> None:
        self.platform: Platform = registry.load(registry.PLATFORMS[platform])()
        self._root = root
        self._places = self.platform.places(os.environ)

    def told(self) -> Told:
        """What the platform says of the submission.

        Raises:
            UsageProblem: that cannot be read.
        """
        content = None
        if self._places.metadata is not None:
            path = self._path(self._places.metadata)
            try:
                content = path.read_bytes() if path.exists() else None
            except OSError as error:
                raise UsageProblem(f"{path} cannot be read: {error.strerror}.") from None
        return self.platform.told(content, os.environ)

    def submission(self, given: Path | None, told: Told, main_file: str, required: tuple[str, ...]) -> Submission:
        """What was handed in: the folder or file `given`, or what the platform has.

        Raises:
            UsageProblem: there is no such path.
        """
        tree = self._handed_in(told) if given is None else self._at(given)
        people = tuple(Who(person.student, person.name) for person in told.people) or (Who(_NOBODY),)
        files = {name: name for name in tree.names() if not name.endswith("/")}
        hand_in = HandIn(people[0].student, people, files, told.submitted_at, told.late)
        return read_one(tree, hand_in, main_file, required)

    def _handed_in(self, told: Told) -> Tree:
        """What was handed in, where the platform has it."""
        path = self._path(self._places.submission)
        if told.files is not None:
            return _unpacked(told.files)
        if told.spare_files is not None and not path.exists():
            return _unpacked(told.spare_files)
        if told.stored is not None:
            stored = {plain_name(name): self._path(place) for name, place in told.stored.items()}
            return Tree(_NOBODY, {name: regular_file(place, name) for name, place in stored.items()})
        return self._at(path)

    @staticmethod
    def _at(path: Path) -> Tree:
        if path.is_dir():
            return folder_tree(path)
        if path.exists():
            return Tree(_NOBODY, {plain_name(path.name): regular_file(path, path.name)})
        raise UsageProblem(f"{path}, where the submission should be, does not exist.")

    def write(self, delivery: Delivery) -> None:
        """Hand over what the platform takes.

        Raises:
            MachineProblem: it cannot be written.
        """
        for name, file in delivery.files.items():
            path = self._path(name)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                if file.append:
                    with path.open("ab") as out:
                        out.write(file.content)
                else:
                    write_atomically(path, file.content)
            except OSError as error:
                raise MachineProblem(f"{path} cannot be written to: {error.strerror}.") from None
        sys.stdout.write(delivery.stdout)
        sys.stdout.flush()

    def _path(self, name: str) -> Path:
        return self._root / name.lstrip("/") if name.startswith("/") else Path(name)


def _unpacked(files: Mapping[str, bytes]) -> Tree:
    """Files that came with the metadata."""
    return Tree(_NOBODY, {plain_name(name): _reading(name, content) for name, content in files.items()})


def _reading(name: str, content: bytes) -> Read:
    """Reads a file that came with the metadata."""

    def read(limit: int) -> bytes:
        if len(content) > limit:
            raise too_large(name, limit)
        return content

    return read
