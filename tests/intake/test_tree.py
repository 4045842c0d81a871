"""Folders as trees: what is dropped, left out or refused with its owner, and that links are not followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageProblem
from grader.intake.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    Files,
    LeftOutFile,
    RefusedFiles,
    is_junk,
    read_regular_file,
    unwrapped,
)
from grader.intake.source import read_files
from grader.intake.tree import MAX_DEPTH, Tree, folder_tree

CODE = b"def f():\n    return 1\n"


def write(folder: Path, *names: str) -> Path:
    """Files below a folder, each holding CODE."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(CODE)
    return folder


def below(tree: Tree, top: str) -> tuple[Files, list[str]]:
    """The files of one folder of a tree, read."""
    names = {name.removeprefix(f"{top}/"): name for name in tree.names() if name.startswith(f"{top}/")}
    return read_files(tree, {inside: name for inside, name in names.items() if inside})


JUNK = (
    *("__MACOSX/._a.py", "a/.DS_Store", "._a.py", "x/__pycache__/a.pyc", "Thumbs.db", "a/THUMBS.DB", "desktop.ini"),
    *(".ipynb_checkpoints/hw-checkpoint.ipynb", ".git/config", "d/._x/y.py", "hw/.venv/lib/x.py", ".idea/x.xml"),
)
KEPT = ("a.py", "d/a.py", "MACOSX/a.py", "_a.py", ".a.py", "DS_Store.py", "git/a.py", "idea.py")


@pytest.mark.parametrize(("name", "junk"), [*((name, True) for name in JUNK), *((name, False) for name in KEPT)])
def test_junk(name: str, junk: bool) -> None:
    assert is_junk(name) is junk


def test_a_folder_is_read_whole(tmp_path: Path) -> None:
    kept = {"a.py": CODE, "sub/b.py": b"2", "sub/deep/c.txt": b"", "O'Brien [2]+&.py": b"4"}
    dropped = ["__MACOSX/._a.py", ".DS_Store", "sub/__pycache__/b.pyc", "._a.py", ".git/HEAD"]
    for name, content in [*kept.items(), *((name, b"x") for name in dropped)]:
        (tmp_path / "ann" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ann" / name).write_bytes(content)
    tree = folder_tree(tmp_path)
    assert below(tree, "ann") == (kept, [])
    assert tree.repositories == {"ann"}


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "secret.py")
    folder = write(tmp_path / "class" / "ann", "a.py")
    (folder / "link.py").symlink_to(outside / "secret.py")
    (folder / "dangling.py").symlink_to(tmp_path / "nowhere")
    (folder / "linked_folder").symlink_to(outside)
    os.mkfifo(folder / "pipe.py")
    files, notices = below(folder_tree(tmp_path / "class"), "ann")
    assert files == {"a.py": CODE}
    told = "\n".join(notices)
    assert all(name in told for name in ("link.py", "dangling.py", "pipe.py", "linked_folder"))
    assert "secret" not in told


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "secret.py")
    folder = write(tmp_path / "class" / "ann", "a.py", "b.py")
    tree = folder_tree(tmp_path / "class")
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to(outside / "secret.py")
    assert below(tree, "ann") == ({"b.py": CODE}, ["Left out: a.py is a link."])


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/proc"])
def test_only_regular_files_are_read(path: str) -> None:
    with pytest.raises((LeftOutFile, IsADirectoryError)):
        read_regular_file(Path(path))


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    folder = write(tmp_path / "ann", "a.py")
    with open(folder / "model.pth", "wb") as file:
        file.truncate(10 << 30)  # sparse
    with open(folder / "edge.bin", "wb") as file:
        file.truncate(MAX_FILE_BYTES)
    files, notices = below(folder_tree(tmp_path), "ann")
    assert {name: len(content) for name, content in files.items()} == {"a.py": len(CODE), "edge.bin": MAX_FILE_BYTES}
    assert notices == ["Left out: model.pth is larger than 20 MB; hand in source files only."]


def test_nothing_but_what_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    with open(tmp_path / "ann" / "model.pth", "wb") as file:
        file.truncate(21 << 20)
    with pytest.raises(RefusedFiles, match=r"model\.pth is larger than 20 MB"):
        below(folder_tree(tmp_path), "ann")


def test_too_many_files(tmp_path: Path) -> None:
    write(tmp_path / "ann", *(f"{number}.txt" for number in range(MAX_FILES + 1)))
    write(tmp_path / "ben", "a.py")
    tree = folder_tree(tmp_path)
    with pytest.raises(RefusedFiles, match="More than 2000 files or 100 MB"):
        below(tree, "ann")
    assert below(tree, "ben") == ({"a.py": CODE}, [])


def test_far_too_many_files_end_the_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.intake.tree._MAX_NAMES", 50)
    write(tmp_path / "ann", *(f"{group}/{number}.txt" for group in range(10) for number in range(10)))
    write(tmp_path / "ben", "a.py")
    tree = folder_tree(tmp_path)
    assert len(tree.names()) < 70
    with pytest.raises(RefusedFiles, match="ann holds more than 50 files"):
        below(tree, "ann")
    assert below(tree, "ben") == ({"a.py": CODE}, [])


def test_too_much_together(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    for number in range(6):
        with open(tmp_path / "ann" / f"{number}.bin", "wb") as file:
            file.truncate(MAX_FILE_BYTES)
    with pytest.raises(RefusedFiles, match="More than 2000 files or 100 MB"):
        below(folder_tree(tmp_path), "ann")


def test_too_deep_is_its_owners(tmp_path: Path) -> None:
    write(tmp_path, "ann/" + "d/" * (MAX_DEPTH + 1) + "a.py", "ben/a.py")
    tree = folder_tree(tmp_path)
    with pytest.raises(RefusedFiles, match="nested deeper than 32"):
        below(tree, "ann")
    assert below(tree, "ben") == ({"a.py": CODE}, [])


def test_what_cannot_be_listed_is_this_machines_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "ann/closed/a.py", "ann/a.py", "ben/a.py")
    real = os.scandir

    def scandir(path: object) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", scandir)
    tree = folder_tree(tmp_path)
    with pytest.raises(PermissionError):
        below(tree, "ann")
    assert below(tree, "ben") == ({"a.py": CODE}, [])


def test_a_source_that_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="cannot be read"):
        folder_tree(tmp_path / "nowhere")


def test_a_folder_without_files_has_a_name(tmp_path: Path) -> None:
    write(tmp_path, "ann/a.py", "ben/.DS_Store", "cy/sub/.git/HEAD")
    (tmp_path / "dee").mkdir()
    assert folder_tree(tmp_path).names() == ["ann/a.py", "ben/", "cy/sub/", "dee/"]


@pytest.mark.parametrize("place", ["", "hw/", "hw/src/"])
def test_wrapping_folders_go(place: str) -> None:
    assert unwrapped({f"{place}a.py": b"1", f"{place}b/c.py": b"2"}) == {"a.py": b"1", "b/c.py": b"2"}


def test_a_package_stays_one() -> None:
    files = {"bert/__init__.py": b"", "bert/attention.py": b"1"}
    assert unwrapped(files) == files


@given(st.dictionaries(st.from_regex(r"[ab](/[ab]){0,3}", fullmatch=True), st.binary(max_size=3), max_size=6))
def test_unwrapping_loses_no_file(files: Files) -> None:
    found = unwrapped(files)
    assert sorted(found.values()) == sorted(files.values())
    assert len({name.partition("/")[0] for name in found}) != 1 or any("/" not in name for name in found)
