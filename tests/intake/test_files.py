"""Reading folders and archives: what is dropped, what is refused, and that hostile archives break nothing."""

from __future__ import annotations

import io
import os
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.errors import UsageProblem
from grader.intake.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    RefusedFiles,
    is_junk,
    read_folder,
    read_regular_file,
    read_source_zip,
    read_zip,
)

CODE = b"def f():\n    return 1\n"


def zipped(*members: tuple[Any, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of (name or ZipInfo, content)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, content)
    return out.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    """A member of a kind that is not a file."""
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


@pytest.mark.parametrize(
    ("name", "junk"),
    [
        *((name, True) for name in ("__MACOSX/._a.py", "a/.DS_Store", "._a.py", "x/__pycache__/a.pyc", "Thumbs.db")),
        *((name, True) for name in (".ipynb_checkpoints/hw-checkpoint.ipynb", ".git/config", "d/._x/y.py")),
        *((name, False) for name in ("a.py", "d/a.py", "MACOSX/a.py", "_a.py", ".a.py", "DS_Store.py", "git/a.py")),
    ],
)
def test_junk(name: str, junk: bool) -> None:
    assert is_junk(name) is junk


def test_a_folder_is_read_whole(tmp_path: Path) -> None:
    kept = {"a.py": CODE, "sub/b.py": b"2", "sub/deep/c.txt": b"", "O'Brien [2]+&.py": b"4"}
    dropped = ["__MACOSX/._a.py", ".DS_Store", "sub/__pycache__/b.pyc", "._a.py", ".git/HEAD"]
    for name, content in [*kept.items(), *((name, b"x") for name in dropped)]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert read_folder(tmp_path) == (kept, [])


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_bytes(b"secret")
    folder = tmp_path / "student"
    folder.mkdir()
    (folder / "a.py").write_bytes(CODE)
    (folder / "link.py").symlink_to(outside / "secret.py")
    (folder / "dangling.py").symlink_to(tmp_path / "nowhere")
    (folder / "linked_folder").symlink_to(outside)
    os.mkfifo(folder / "pipe.py")
    files, notices = read_folder(folder)
    assert files == {"a.py": CODE}
    told = "\n".join(notices)
    assert all(name in told for name in ("link.py", "dangling.py", "pipe.py"))
    assert "secret" not in told


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/proc"])
def test_only_regular_files_are_read(path: str) -> None:
    with pytest.raises((RefusedFiles, IsADirectoryError)):
        read_regular_file(Path(path))


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with open(tmp_path / "model.pth", "wb") as file:
        file.truncate(10 << 30)  # sparse
    (tmp_path / "a.py").write_bytes(CODE)
    files, notices = read_folder(tmp_path)
    assert files == {"a.py": CODE}
    assert notices == ["Left out: model.pth is larger than 20 MB; hand in source files only."]
    with open(tmp_path / "edge.bin", "wb") as file:
        file.truncate(MAX_FILE_BYTES)
    assert len(read_regular_file(tmp_path / "edge.bin")) == MAX_FILE_BYTES


def test_too_many_files(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(RefusedFiles, match="More than 2000 files or 100 MB"):
        read_folder(tmp_path)


def test_too_much_together(tmp_path: Path) -> None:
    for number in range(6):
        with open(tmp_path / f"{number}.bin", "wb") as file:
            file.truncate(MAX_FILE_BYTES)
    with pytest.raises(RefusedFiles, match="More than 2000 files or 100 MB"):
        read_folder(tmp_path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archives(method: int) -> None:
    members = [
        ("hw/", b""),
        ("hw/a.py", CODE),
        ("hw/Zoë.py", b"2"),
        ("__MACOSX/hw/._a.py", b"x"),
        ("hw/.DS_Store", b"x"),
    ]
    assert read_zip(zipped(*members, method=method), "hw.zip") == {"hw/a.py": CODE, "hw/Zoë.py": b"2"}


def test_backslashes_are_folders() -> None:
    assert read_zip(zipped(("hw\\a.py", CODE)), "hw.zip") == {"hw/a.py": CODE}


@pytest.mark.parametrize(
    "name",
    ["../x.py", "/tmp/x.py", "a/../../x.py", "..", "..\\x.py", "\\x.py", "C:x.py", "C:\\x.py", "a/.."],
)
def test_members_that_would_lie_outside(name: str) -> None:
    with pytest.raises(RefusedFiles, match="outside the archive's folder"):
        read_zip(zipped(("a.py", CODE), (name, b"x")), "hw.zip")


@pytest.mark.parametrize("name", [".", "", "./.", "a/."])
def test_members_without_a_name(name: str) -> None:
    content = zipped(("a.py", CODE), (name or "\x01", b"x"))
    if not name:
        content = content.replace(b"\x01x", b"x").replace(b"\x01", b"")
    try:
        found = read_zip(content, "hw.zip")
    except RefusedFiles:
        return
    assert found["a.py"] == CODE


@pytest.mark.parametrize("mode", [0o120777, 0o020666, 0o060666, 0o010644, 0o140777])
def test_members_that_are_links_or_devices(mode: int) -> None:
    with pytest.raises(RefusedFiles, match=r"member a\.py is a link or a device"):
        read_zip(zipped((special("a.py", mode), b"/etc/passwd")), "hw.zip")


def test_members_of_one_name() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = zipped(("a.py", CODE), ("a.py", b"2"))
    with pytest.raises(RefusedFiles, match=r"two files called a\.py"):
        read_zip(content, "hw.zip")


def test_an_encrypted_member() -> None:
    content = bytearray(zipped(("a.py", CODE)))
    content[6] |= 1  # the flags of the local header and of the directory
    content[content.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(RefusedFiles, match="encrypted"):
        read_zip(bytes(content), "hw.zip")


def test_a_bomb() -> None:
    content = zipped(("a.py", CODE), ("bomb.bin", bytes(MAX_FILE_BYTES + 1)))
    assert len(content) < 100_000
    with pytest.raises(RefusedFiles, match=r"unpacks to more than the limit .* at bomb\.bin"):
        read_zip(content, "hw.zip")


def test_a_bomb_that_lies_about_its_size() -> None:
    content = bytearray(zipped(("bomb.bin", bytes(MAX_FILE_BYTES + 1))))
    size = content.index((MAX_FILE_BYTES + 1).to_bytes(4, "little"), content.index(b"PK\1\2"))
    content[size : size + 4] = (10).to_bytes(4, "little")
    with pytest.raises(RefusedFiles):
        read_zip(bytes(content), "hw.zip")


def test_many_small_bombs() -> None:
    content = zipped(*((f"{number}.bin", bytes(1000)) for number in range(11)))
    with pytest.raises(RefusedFiles, match="more than the limit"):
        read_zip(content, "hw.zip", max_bytes=1000)


def test_too_many_members() -> None:
    content = zipped(*((f"{number}.txt", b"") for number in range(31)))
    with pytest.raises(RefusedFiles, match="more than 30 members"):
        read_zip(content, "hw.zip", max_files=30)


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\5\6", b"PK\5\6" + bytes(18)[:10], b"x" * 1000, CODE])
def test_what_is_no_archive(content: bytes) -> None:
    with pytest.raises(RefusedFiles, match=r"hw\.zip cannot be unpacked"):
        read_zip(content, "hw.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_archives_are_refused_in_words(method: int) -> None:
    chance = random.Random(7)
    whole = zipped(("hw/a.py", CODE * 20), ("hw/Zoë.py", b"x" * 300), ("b.py", os.urandom(200)), method=method)
    seen = {"read": 0, "refused": 0}
    for number in range(800):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(content))
            content[place : place + chance.randint(0, 4)] = bytes(
                chance.randrange(256) for _ in range(chance.randint(1, 4))
            )
        try:
            read_zip(bytes(content), "hw.zip")
            seen["read"] += 1
        except RefusedFiles:
            seen["refused"] += 1
        except Exception as error:
            pytest.fail(f"round {number}: {type(error).__name__}: {error}")
    assert seen["refused"] > 100


def test_an_archive_as_source(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with pytest.raises(UsageProblem, match="cannot be read"):
        read_source_zip(path)
    path.write_bytes(b"no archive")
    with pytest.raises(UsageProblem, match=r"SOURCE cannot be graded: class\.zip cannot be unpacked"):
        read_source_zip(path)
    path.write_bytes(zipped(("a.py", CODE)))
    assert read_source_zip(path) == {"a.py": CODE}
