"""Archives of every kind: what is dropped, what is refused and with whom, and that hostile archives break nothing."""

from __future__ import annotations

import io
import os
import random
import tarfile
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageProblem
from grader.intake.archive import archive_tree, read_archive, unpack_handed_in
from grader.intake.files import MAX_FILE_BYTES, Files, LeftOutFile, RefusedFiles
from grader.intake.members import CLASS_ZIP, PERSON, Caps

CODE = b"def f():\n    return 1\n"
ZIPS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
TARS = ["", "gz", "bz2", "xz"]


def zipped(*members: tuple[Any, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of (name or ZipInfo, content)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, content)
    return out.getvalue()


def tarred(*members: tuple[Any, bytes], packing: str = "gz") -> bytes:
    """A tar of (name or TarInfo, content)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{packing}") as archive:  # type: ignore[call-overload]
        for name, content in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = info.size or len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    """A member of a kind that is not a file."""
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def special_in_tar(name: str, kind: bytes, target: str = "/etc/passwd") -> tarfile.TarInfo:
    """The same in a tar."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def read(content: bytes, caps: Caps = PERSON, name: str = "hw.zip") -> Files:
    """The files of one person's archive."""
    return read_archive(content, name, [], caps)


@pytest.mark.parametrize("method", ZIPS)
def test_archives(method: int) -> None:
    members = [
        ("hw/", b""),
        ("hw/a.py", CODE),
        ("hw/Zoë.py", b"2"),
        ("__MACOSX/hw/._a.py", b"x"),
        ("hw/.DS_Store", b"x"),
    ]
    assert read(zipped(*members, method=method)) == {"hw/a.py": CODE, "hw/Zoë.py": b"2"}


def test_backslashes_are_folders() -> None:
    assert read(zipped(("hw\\a.py", CODE))) == {"hw/a.py": CODE}


@pytest.mark.parametrize(
    "name",
    ["../x.py", "/tmp/x.py", "a/../../x.py", "..", "..\\x.py", "\\x.py", "C:x.py", "C:\\x.py", "a/.."],
)
def test_members_that_would_lie_outside(name: str) -> None:
    with pytest.raises(RefusedFiles, match="outside the archive's folder"):
        read(zipped(("a.py", CODE), (name, b"x")))


@pytest.mark.parametrize("name", [".", "", "./.", "a/."])
def test_members_without_a_name(name: str) -> None:
    content = zipped(("a.py", CODE), (name or "\x01", b"x"))
    if not name:
        content = content.replace(b"\x01x", b"x").replace(b"\x01", b"")
    try:
        found = read(content)
    except RefusedFiles:
        return
    assert found["a.py"] == CODE


@pytest.mark.parametrize("mode", [0o120777, 0o020666, 0o060666, 0o010644, 0o140777])
def test_members_that_are_links_or_devices(mode: int) -> None:
    with pytest.raises(RefusedFiles, match=r"member a\.py is a link or a device"):
        read(zipped((special("a.py", mode), b"/etc/passwd")))


def test_members_of_one_name() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = zipped(("a.py", CODE), ("a.py", b"2"))
    with pytest.raises(RefusedFiles, match=r"two files called a\.py"):
        read(content)


def test_an_encrypted_member() -> None:
    content = bytearray(zipped(("a.py", CODE)))
    content[6] |= 1  # the flags of the local header and of the directory
    content[content.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(RefusedFiles, match="encrypted"):
        read(bytes(content))


def test_a_bomb() -> None:
    content = zipped(("a.py", CODE), ("bomb.bin", bytes(MAX_FILE_BYTES + 1)))
    assert len(content) < 100_000
    with pytest.raises(RefusedFiles, match=r"unpacks to more than the limit .* at bomb\.bin"):
        read(content)


def test_a_bomb_that_lies_about_its_size() -> None:
    content = bytearray(zipped(("bomb.bin", bytes(MAX_FILE_BYTES + 1))))
    size = content.index((MAX_FILE_BYTES + 1).to_bytes(4, "little"), content.index(b"PK\1\2"))
    content[size : size + 4] = (10).to_bytes(4, "little")
    with pytest.raises(RefusedFiles):
        read(bytes(content))


def test_a_bomb_does_not_go_off_in_the_decompressor() -> None:
    large = 80 << 20
    content = bytearray(zipped(("bomb.bin", bytes(large)), method=zipfile.ZIP_LZMA))
    place = content.index(large.to_bytes(4, "little"), content.index(b"PK\1\2"))
    content[place : place + 4] = (10).to_bytes(4, "little")
    tracemalloc.start()
    try:
        with pytest.raises(RefusedFiles):
            read(bytes(content))
        assert tracemalloc.get_traced_memory()[1] < large  # and not a multiple of it
    finally:
        tracemalloc.stop()


def test_many_small_bombs() -> None:
    content = zipped(*((f"{number}.bin", bytes(1000)) for number in range(11)))
    with pytest.raises(RefusedFiles, match="more than the limit"):
        read(content, Caps(1 << 20, 1000, 100, 100))


def test_too_many_members() -> None:
    content = zipped(*((f"{number}.txt", b"") for number in range(31)))
    with pytest.raises(RefusedFiles, match="more than 30 members"):
        read(content, Caps(1 << 20, 1 << 20, 30, 100))


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\5\6", b"PK\5\6" + bytes(18)[:10], b"x" * 1000, CODE])
def test_what_is_no_archive(content: bytes) -> None:
    with pytest.raises(RefusedFiles, match=r"hw\.zip cannot be unpacked"):
        read(content)


@pytest.mark.parametrize("method", ZIPS)
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
            read(bytes(content))
            seen["read"] += 1
        except RefusedFiles:
            seen["refused"] += 1
        except Exception as error:
            pytest.fail(f"round {number}: {type(error).__name__}: {error}")
    assert seen["refused"] > 100


def test_many_members_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ann/a.py", CODE)
    whole = path.read_bytes()
    start = whole.index(b"PK\1\2")
    entry, end = whole[start : whole.index(b"PK\5\6")], whole[whole.index(b"PK\5\6") :]
    count = CLASS_ZIP.members * 4
    size = (len(entry) * count).to_bytes(4, "little")
    path.write_bytes(whole[:start] + entry * count + end[:12] + size + end[16:])  # and the count still says 1
    began = time.monotonic()
    with pytest.raises(UsageProblem, match="more than 50000 members"):
        archive_tree(path)
    assert time.monotonic() - began < 3  # zipfile alone takes ten times as long


def test_a_comment_behind_the_directory_changes_nothing() -> None:
    out = io.BytesIO(zipped(("a.py", CODE)))
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b"x" * 65_535
    assert read(out.getvalue()) == {"a.py": CODE}
    with pytest.raises(RefusedFiles, match="more than 0 members"):
        read(out.getvalue(), Caps(1 << 20, 1 << 20, 0, 0))


@pytest.mark.parametrize("mark", [True, False])
def test_names_in_utf8_without_the_mark(mark: bool) -> None:
    content = zipped(("Zoë.py", CODE))
    if not mark:
        for header, place in ((b"PK\3\4", 7), (b"PK\1\2", 9)):
            at = content.index(header) + place
            content = content[:at] + bytes([content[at] & ~8]) + content[at + 1 :]
    assert read(content) == {"Zoë.py": CODE}


def test_names_in_an_old_code_page() -> None:
    content = zipped(("Zo~.py", CODE)).replace(b"Zo~", b"Zo\x89")
    assert read(content) == {"Zoë.py": CODE}


def test_both_unicode_forms_and_both_cases_stay_apart() -> None:
    names = ["Zo\u00eb.py", "Zoe\u0308.py", "a.py", "A.py"]
    assert sorted(read(zipped(*((name, name.encode()) for name in names)))) == sorted(names)


@pytest.mark.parametrize("packing", TARS)
def test_tars(packing: str) -> None:
    folder = tarfile.TarInfo("./hw")
    folder.type = tarfile.DIRTYPE
    members = [(folder, b""), ("./hw/a.py", CODE), ("hw/Zoë.py", b"2"), ("hw/._a.py", b"x"), ("hw/.git/x", b"x")]
    assert read(tarred(*members, packing=packing)) == {"hw/a.py": CODE, "hw/Zoë.py": b"2"}


@pytest.mark.parametrize("name", ["../x.py", "/tmp/x.py", "a/../../x.py", "..", "C:\\x.py"])
def test_members_of_a_tar_that_would_lie_outside(name: str) -> None:
    with pytest.raises(RefusedFiles, match="outside the archive's folder"):
        read(tarred(("a.py", CODE), (name, b"x")))


KINDS = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE]


@pytest.mark.parametrize("kind", KINDS)
def test_members_of_a_tar_that_are_links_or_devices(kind: bytes) -> None:
    with pytest.raises(RefusedFiles, match=r"member a\.py is a link or a device"):
        read(tarred((special_in_tar("a.py", kind), b"")))


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])
def test_a_bomb_in_a_tar_is_refused_while_it_unpacks(packing: str) -> None:
    content = tarred(*((f"{number}.bin", bytes(1 << 20)) for number in range(6)), packing=packing)
    assert len(content) < 1 << 14
    with pytest.raises(RefusedFiles, match=r"unpacks to more than the limit \(5 MB\) at 5\.bin"):
        read(content, Caps(1 << 20, 5 << 20, 10, 10))


def test_a_tar_that_lies_about_its_size() -> None:
    huge = tarfile.TarInfo("a.py")
    huge.size = 1 << 60
    with pytest.raises(RefusedFiles, match="cannot be unpacked"):
        read(huge.tobuf() + bytes(512))
    huge.size = 20 << 20
    with pytest.raises(RefusedFiles, match="cannot be unpacked"):
        read(huge.tobuf() + bytes(512))


def test_a_file_too_large_in_an_archive_is_left_out() -> None:
    large = os.urandom(MAX_FILE_BYTES + 1)
    for content in (zipped(("a.py", CODE), ("m.pth", large)), tarred(("a.py", CODE), ("m.pth", large), packing="")):
        notices: list[str] = []
        assert read_archive(content, "hw", notices) == {"a.py": CODE}
        assert notices == ["Left out: m.pth is larger than 20 MB; hand in source files only."]
        with pytest.raises(RefusedFiles, match=r"m\.pth is larger"):
            read(zipped(("m.pth", large)))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Rar!\x1a\x07\x01\0" + bytes(50), "is a RAR archive, which is not unpacked here; pack your files as a .zip"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(50), "is a 7z archive, which is not unpacked here; pack your files as a .zip"),
        (b"\x1f\x8b" + bytes(50), "cannot be unpacked"),
        (b"BZh9" + bytes(50), "cannot be unpacked"),
        (b"\xfd7zXZ\0" + bytes(50), "cannot be unpacked"),
        (b"", "cannot be unpacked"),
    ],
)
def test_what_is_not_unpacked_is_told(content: bytes, words: str) -> None:
    with pytest.raises(RefusedFiles, match=words):
        read(content, name="work.rar")


def test_archives_are_known_by_their_content() -> None:
    assert read(tarred(("a.py", CODE)), name="hw.zip") == {"a.py": CODE}
    assert read(zipped(("a.py", CODE)), name="hw.tar.gz") == {"a.py": CODE}


def test_damaged_tars_are_refused_in_words() -> None:
    chance = random.Random(7)
    for packing in TARS:
        whole = tarred(("hw/a.py", CODE * 20), ("hw/Zoë.py", b"x" * 300), ("b.py", os.urandom(200)), packing=packing)
        for number in range(150):
            content = bytearray(whole)
            for _ in range(chance.randint(1, 3)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            try:
                read(bytes(content[: chance.randint(1, len(content))] if number % 3 == 0 else content))
            except RefusedFiles:
                continue
            except Exception as error:
                pytest.fail(f"{packing}, round {number}: {type(error).__name__}: {error}")


def test_an_archive_in_an_archive_is_unpacked_once() -> None:
    inner = zipped(("hw1/attention.py", CODE), ("__MACOSX/hw1/._attention.py", b"x"))
    notices: list[str] = []
    assert unpack_handed_in({"up.tar.gz": tarred(("hw.zip", inner))}, notices) == {"attention.py": CODE}
    assert notices == ["up.tar.gz was unpacked.", "hw.zip was unpacked."]
    thrice = zipped(("c.zip", zipped(("b.zip", zipped(("a.zip", inner))))))
    with pytest.raises(RefusedFiles, match=r"b\.zip lies in an archive in an archive; pack your files once"):
        unpack_handed_in({"d.zip": thrice}, [])


@pytest.mark.parametrize("beside", ["a.py", "q3.ipynb", "A.PY", "more.zip"])
def test_an_archive_beside_the_work_is_left_alone(beside: str) -> None:
    files = {"data.zip": zipped(("a.py", CODE)), beside: CODE}
    assert unpack_handed_in(files, []) == files


def test_an_archive_as_source(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with pytest.raises(UsageProblem, match="cannot be read"):
        archive_tree(path)
    path.write_bytes(b"no archive")
    with pytest.raises(UsageProblem, match=r"SOURCE cannot be graded: class\.zip cannot be unpacked"):
        archive_tree(path)
    path.write_bytes(zipped(("a.py", CODE))[:-30])
    with pytest.raises(UsageProblem, match=r"class\.zip cannot be unpacked \(BadZipFile\); download it again"):
        archive_tree(path)
    path.write_bytes(zipped(("a.py", CODE)))
    tree = archive_tree(path)
    assert (tree.name, tree.names(), tree.read("a.py")) == ("class", ["a.py"], CODE)


def test_a_pipe_as_source_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "class.zip")
    with pytest.raises(UsageProblem, match="neither a file nor a folder"):
        archive_tree(tmp_path / "class.zip")


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"])
def test_a_class_as_a_tar(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"class{ending}"
    packing = {".tar": "", ".tgz": "gz"}.get(ending, ending.removeprefix(".tar."))
    link = special_in_tar("ben/a.py", tarfile.SYMTYPE)
    path.write_bytes(tarred(("ann/a.py", CODE), (link, b""), ("cy/m.pth", bytes(21 << 20)), packing=packing))
    tree = archive_tree(path)
    assert tree.name == "class"
    assert tree.read("ann/a.py") == CODE
    with pytest.raises(RefusedFiles, match=r"ben/a\.py is a link"):
        tree.read("ben/a.py")
    with pytest.raises(LeftOutFile, match=r"m\.pth is larger"):
        tree.read("cy/m.pth")


def test_a_damaged_member_of_a_class_is_nobodys_fault(tmp_path: Path) -> None:
    content = bytearray(zipped(("ann/a.py", CODE), ("ben/a.py", CODE), method=zipfile.ZIP_STORED))
    content[content.index(CODE) + 3] ^= 1
    (tmp_path / "class.zip").write_bytes(content)
    tree = archive_tree(tmp_path / "class.zip")
    with pytest.raises(OSError, match="download the archive again, or grade it unpacked"):
        tree.read("ann/a.py")
    assert tree.read("ben/a.py") == CODE


NAMES = st.text("ab/.\\:", min_size=1, max_size=8)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@given(st.lists(NAMES, min_size=1, max_size=5))
def test_no_name_leads_outside(names: list[str]) -> None:
    content = zipped(*((name, CODE) for name in names))
    try:
        found = read(content)
    except RefusedFiles:
        return
    for name in found:
        assert not name.startswith("/")
        assert not {"", ".", ".."} & set(name.split("/"))
        assert "\\" not in name
