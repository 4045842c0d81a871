"""Tar archives, packed with gzip, bzip2, xz or not at all: read once, from beginning to end, into memory.

Runs in the command, on hostile input. What is unpacked is counted as it comes out of the decompressor, headers and
padding included, so that no header is believed and a bomb is refused after its first bytes too many.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from pathlib import Path
from typing import IO, Protocol

from grader.intake.files import MAX_FILE_BYTES, RefusedFiles, is_junk, too_large
from grader.intake.members import Caps, Members, member_name, refused_member, too_much
from grader.intake.tree import Read, refusing

_HEADERS = 4096
"""Bytes that a member may take beside its contents: headers, long names, padding."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Counted(io.RawIOBase):
    """A file that refuses to yield more than `limit` bytes, and to be read on at its end.

    To pass over a member, tarfile reads as often as the member's header makes it, whether anything comes or not.
    """

    def __init__(self, file: _Readable, limit: int, label: str) -> None:
        self._file = file
        self._left = limit
        self._limit = limit
        self._label = label
        self._ended = False
        self.at = "its end"

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(size if 0 <= size <= self._left else self._left + 1)
        if self._ended and not found:
            raise EOFError
        self._ended = not found
        self._left -= len(found)
        if self._left < 0:
            raise too_much(self._label, self._limit, self.at)
        return found


def tar_members(source: bytes | Path, label: str, caps: Caps) -> Members:
    """The members of a tar, unpacked.

    Raises:
        RefusedFiles: it breaks a rule as a whole.
        Exception: whatever tarfile or a decompressor raises at an archive that is damaged.
    """
    members = Members(label, caps)
    with open(source, "rb") if isinstance(source, Path) else io.BytesIO(source) as packed:
        counted = _Counted(_decompressed(packed), caps.unpacked + caps.files * _HEADERS, label)
        with tarfile.open(fileobj=counted, mode="r|", errorlevel=2) as archive:
            for member in archive:
                counted.at = member.name
                _add(members, archive, member)
    return members


def looks_like_tar(file: IO[bytes]) -> bool:
    """Whether a file is a tar, packed or not, by its first header."""
    try:
        header = _decompressed(file).read(512)
        tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
    except Exception:  # damaged archives make the libraries raise errors of a dozen types
        return False
    return True


def _decompressed(packed: IO[bytes]) -> _Readable:
    packed.seek(0)
    start = packed.read(6)
    packed.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=packed)
    if start.startswith(b"BZh"):
        return bz2.BZ2File(packed)
    return lzma.LZMAFile(packed) if start == b"\xfd7zXZ\0" else packed


def _add(members: Members, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    members.count()
    if is_junk(member_name(member.name)):
        return
    if member.isdir():
        members.add_folder(member.name)
        return
    problem = _problem(members, member)
    if problem is not None:
        members.add(member.name, refusing(problem))
        return
    members.unpacks_to(member.size, member.name)
    file = archive.extractfile(member)
    assert file is not None
    members.add(member.name, _reader(file.read(MAX_FILE_BYTES)))


def _problem(members: Members, member: tarfile.TarInfo) -> RefusedFiles | None:
    """Why a member is not read."""
    if not member.isreg() or member.issparse():
        return refused_member(members.label, member.name, "is a link or a device")
    if member.size > MAX_FILE_BYTES:
        return too_large(member_name(member.name).rpartition("/")[2])
    return None


def _reader(content: bytes) -> Read:
    return lambda _: content
