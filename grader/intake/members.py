"""Members of an archive: their names made safe, their numbers and sizes bounded.

Pure, in the command, on hostile input; what zip and tar have in common. A name is taken apart into its components
before anything else: a member that would lie outside, or whose name is too long, is refused together with the folder in
which it would begin. Headers are believed only where that is the worse case for whoever wrote them.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from grader.intake.files import MAX_FILES, MAX_TOTAL_BYTES, RefusedFiles, is_junk, plain_name, shown
from grader.intake.tree import Read, refusing

MAX_NAME = 500
"""Characters of a member's whole name."""
MAX_RATIO = 100
"""How many times its packed size a file may unpack to, if that is more than a file may have."""
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True)
class Caps:
    """What an archive may hold: bytes when packed and unpacked, files, and members with all that is dropped."""

    packed: int
    unpacked: int
    files: int
    members: int


PERSON = Caps(MAX_TOTAL_BYTES, MAX_TOTAL_BYTES, MAX_FILES, 20_000)
"""One person's archive, which is unpacked in memory."""
CLASS_ZIP = Caps(16 << 30, 64 << 30, 50_000, 100_000)
"""A class's zip, of which one submission at a time is unpacked."""
CLASS_TAR = Caps(1 << 30, 1 << 30, 50_000, 100_000)
"""A class's tar, which is unpacked in memory, since it can only be read from its beginning."""


@dataclass
class Members:
    """The members of one archive, collected one by one; `places` is what a tree needs."""

    label: str
    caps: Caps
    places: dict[str, Read] = field(default_factory=dict)
    _seen: int = 0
    _bytes: int = 0

    def count(self) -> None:
        """One more member, of whatever kind. Raises RefusedFiles if there are too many."""
        self._seen += 1
        if self._seen > self.caps.members:
            raise too_many_members(self.label, self.caps)

    def unpacks_to(self, size: int, name: str) -> None:
        """So many bytes more. Raises RefusedFiles if they are too many together."""
        self._bytes += size
        if self._bytes > self.caps.unpacked:
            raise too_much(self.label, self.caps.unpacked, name)

    def add(self, raw: str, read: Read) -> None:
        """A file with the name that the archive gives it.

        Raises:
            RefusedFiles: its name begins outside, in nobody's folder; no platform writes such an archive.
        """
        name = member_name(raw)
        if is_junk(name):
            return
        if reason := _why_outside(name):
            self._refuse(_place_of_owner(name, len(self.places), self.label), f"the member {shown(name)} {reason}")
            return
        name = "/".join(part for part in name.split("/") if part not in ("", "."))
        if name in self.places:
            self.places[name] = refusing(RefusedFiles(f"{self.label} holds two files called {shown(name)}."))
        else:
            self.places[name] = read
        if len(self.places) > self.caps.files:
            raise too_many_members(self.label, self.caps)

    def add_folder(self, raw: str) -> None:
        """A folder, which is kept in mind only if it stays empty."""
        name = "/".join(part for part in member_name(raw).split("/") if part not in ("", "."))
        if name and not is_junk(name) and not _why_outside(name):
            self.places[f"{name}/"] = refusing(RefusedFiles(f"{shown(name)} is empty."))

    def kept(self) -> dict[str, Read]:
        """All that was added, without the folders that hold something."""
        full = {str(parent) for name in self.places for parent in PurePosixPath(name).parents}
        return {name: read for name, read in self.places.items() if not (name.endswith("/") and name[:-1] in full)}

    def _refuse(self, place: str, what: str) -> None:
        self.places[place] = refusing(RefusedFiles(f"{self.label} was refused: {what}."))


def refused_member(label: str, name: str, what: str) -> RefusedFiles:
    """That an archive is refused for what a member is."""
    return RefusedFiles(f"{label} was refused: the member {shown(member_name(name))} {what}.")


def too_many_members(label: str, caps: Caps) -> RefusedFiles:
    """That an archive holds more members than are looked at."""
    return RefusedFiles(f"{label} holds more than {caps.files} members.")


def too_much(label: str, limit: int, name: str, each: str = "") -> RefusedFiles:
    """That an archive unpacks to more than is read."""
    last = shown(PurePosixPath(member_name(name)).name)
    return RefusedFiles(f"{label} unpacks to more than the limit ({limit >> 20} MB{each}) at {last}.")


def member_name(raw: str) -> str:
    """A member's name as text, with `/` between its parts."""
    return plain_name(raw.replace("\\", "/"))


def _why_outside(name: str) -> str:
    """What is wrong with the place that a member names; empty if nothing is."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or _DRIVE.match(parts[0]):
        return "would lie outside the archive's folder"
    return f"has a name of more than {MAX_NAME} characters" if len(name) > MAX_NAME else ""


def _place_of_owner(name: str, number: int, label: str) -> str:
    """A name in the folder where such a member would begin, so that it is refused with its owner, not with the class.

    Raises:
        RefusedFiles: it begins nowhere.
    """
    parts = PurePosixPath(name).parts
    folders = [*itertools.takewhile(lambda part: part not in ("/", "..") and not _DRIVE.match(part), parts[:-1])]
    if not folders:
        raise RefusedFiles(f"{label} was refused: the member {shown(name)} {_why_outside(name)}.")
    return "/".join(folders)[:MAX_NAME] + f"/refused-{number}"
