"""Zip archives: their members, found without unpacking anything, and read one at a time.

Runs in the command, on hostile input. Python's zipfile does the reading: of each member it yields no more than the size
that its header names, so that sizes are bounded by what headers say. How many members there are is counted before
zipfile looks at them, which takes it seconds for a hundred thousand. Names that carry no mark of UTF-8 are read as
UTF-8 if they are that, as several platforms forget the mark.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from grader.intake.files import MAX_FILE_BYTES, RefusedFiles, is_junk, too_large
from grader.intake.members import (
    MAX_NAME,
    MAX_RATIO,
    Caps,
    Members,
    member_name,
    refused_member,
    too_many_members,
    too_much,
)
from grader.intake.tree import Read, refusing

_ENTRY = struct.Struct("<4s24xHHH12x")
"""An entry of the directory: its mark and the lengths of its name, extra fields and comment; 46 bytes."""
_END = struct.Struct("<4s8xLLH")
_END_64 = struct.Struct("<4s36xQQ")
_LOCATOR = 20
_AT_A_TIME = 4096
_MAX_COMMENT = 1 << 16
_UTF8 = 0x800


def zip_members(source: bytes | Path, label: str, caps: Caps, damaged: Callable[[Exception], Exception]) -> Members:
    """The members of a zip; `damaged` turns an error of zipfile's into what reading such a member raises.

    Raises:
        RefusedFiles: it breaks a rule as a whole.
        Exception: whatever zipfile raises at an archive that is damaged.
    """
    members = Members(label, caps)
    file: IO[bytes] = source.open("rb") if isinstance(source, Path) else io.BytesIO(source)
    try:  # all being well it stays open, for as long as somebody may read a member
        _refuse_crowds(file, label, caps)
        archive = zipfile.ZipFile(file)
        for member in archive.infolist():
            _add(members, archive, member, damaged)
    except BaseException:
        file.close()
        raise
    return members


def _add(
    members: Members, archive: zipfile.ZipFile, member: zipfile.ZipInfo, damaged: Callable[[Exception], Exception]
) -> None:
    name = _name_of(member)
    members.count()
    if is_junk(member_name(name)):
        return
    if member.is_dir():
        members.add_folder(name)
        return
    problem = _problem(member, name, members.label)
    if problem is None and member.file_size <= MAX_FILE_BYTES:
        members.unpacks_to(member.file_size, name)
    members.add(name, refusing(problem) if problem else _reader(archive, member, members.label, damaged))


def _reader(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, label: str, damaged: Callable[[Exception], Exception]
) -> Read:
    def read(limit: int) -> bytes:
        if member.file_size > limit:
            name = member_name(_name_of(member))
            bomb = member.file_size > MAX_RATIO * member.compress_size
            raise too_much(label, limit, name, " a file") if bomb else too_large(name.rpartition("/")[2], limit)
        try:
            return _contents(archive, member)
        except Exception as error:  # damaged archives make zipfile raise errors of a dozen types
            raise damaged(error) from None

    return read


def _contents(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member: no more than its header names, whatever comes out of the decompressor.

    Of bzip2 and LZMA zipfile unpacks all that it has read of the archive at once, so it gets little at a time.
    """
    little = member.compress_type in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with archive.open(member) as file:
        if not little:
            return file.read(member.file_size)
        return b"".join(iter(lambda: file.read(_AT_A_TIME), b""))


def _problem(member: zipfile.ZipInfo, name: str, label: str) -> RefusedFiles | None:
    """Why a member is not read, however large it is."""
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        return refused_member(label, name, "is a link or a device")
    return refused_member(label, name, "is encrypted") if member.flag_bits & 1 else None


def _name_of(member: zipfile.ZipInfo) -> str:
    if member.flag_bits & _UTF8 or member.filename.isascii():
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _refuse_crowds(file: IO[bytes], label: str, caps: Caps) -> None:
    """Refuse an archive with too many members before zipfile makes an object of each.

    Where this finds no directory it lets zipfile have its say: whatever passes is counted there once more.
    """
    directory = _directory(file, caps)
    if directory is None:
        raise too_many_members(label, caps)
    place = count = 0
    while place + _ENTRY.size <= len(directory) and count <= caps.members:
        mark, *lengths = _ENTRY.unpack_from(directory, place)
        if mark != b"PK\1\2":
            break
        place += _ENTRY.size + sum(lengths)
        count += 1
    if count > caps.members:
        raise too_many_members(label, caps)


def _directory(file: IO[bytes], caps: Caps) -> bytes | None:
    """The bytes of the directory, empty if it is not where it should be; None if it is too long to be looked at."""
    size = file.seek(0, io.SEEK_END)
    start = max(0, size - _END.size - _MAX_COMMENT - _END_64.size - _LOCATOR)
    file.seek(start)
    tail = file.read()
    found = len(tail) - _END.size
    if not (tail[-_END.size :][:4] == b"PK\5\6" and tail.endswith(b"\0\0")):  # it need not be there: a comment follows
        found = tail.rfind(b"PK\5\6")
    if found < 0 or found + _END.size > len(tail):
        return b""
    _, length, _, _ = _END.unpack_from(tail, found)
    end = start + found
    far = found - _LOCATOR - _END_64.size  # where the record of a large archive lies
    if far >= 0 and tail[found - _LOCATOR :][:4] == b"PK\6\7" and tail[far:][:4] == b"PK\6\6":
        _, length, _ = _END_64.unpack_from(tail, far)
        end = start + far
    if length > caps.members * (_ENTRY.size + MAX_NAME + 64):
        return None
    file.seek(max(0, end - length))  # where zipfile looks, whatever the record says about the place
    return file.read(length)
