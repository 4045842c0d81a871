"""A whole class in a folder or archive of its own, inside of SOURCE, against one student's folder or archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from downloads import CANVAS, CODE, MAIN, as_folder, as_zip

from grader.cli.class_talk import found_sentences
from grader.errors import UsageProblem
from grader.intake.source import Found, Rules, find_submissions

CLASS = {f"{student}/{MAIN}": CODE for student in ("ann", "bob", "carl")}


def found_in(source: Path, layout: str = "auto") -> Found:
    return find_submissions(source, MAIN, rules=Rules(layout=layout))


def students(source: Path, layout: str = "auto") -> list[str]:
    return [read().student for _, read in found_in(source, layout).submissions]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_folders_around_a_class(tmp_path: Path, depth: int) -> None:
    around = "/".join(["hw1", "download", "submissions"][-depth:])
    as_folder(tmp_path / "source", CLASS, f"{around}/")
    found = found_in(tmp_path / "source")
    assert [name for name, _ in found.submissions] == ["ann", "bob", "carl"]
    assert all(read().main == MAIN for _, read in found.submissions)
    assert found_sentences(found, "auto") == [
        "Recognised: a folder or file for each student in submissions, 3 students. "
        "If that is wrong, say --layout folders."
    ]
    assert students(tmp_path / "source", "folders") == [around.partition("/")[0]]


def test_a_class_archive_alone_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    as_zip(tmp_path / "source" / "submissions.zip", CANVAS)
    found = found_in(tmp_path / "source")
    assert (found.layout, len(found.submissions), found.inside) == ("Canvas download", 7, "submissions")
    assert students(tmp_path / "source", "canvas") == students(tmp_path / "source")
    assert students(tmp_path / "source", "folders") == ["submissions"]


def test_a_class_archive_in_an_archive(tmp_path: Path) -> None:
    as_zip(tmp_path / "inner.zip", CLASS)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as outer:
        outer.write(tmp_path / "inner.zip", "inner.zip")
    assert students(tmp_path / "outer.zip") == ["ann", "bob", "carl"]
    (tmp_path / "source").mkdir()
    (tmp_path / "outer.zip").rename(tmp_path / "source" / "outer.zip")
    assert students(tmp_path / "source") == ["ann", "bob", "carl"]


def test_archives_of_students_in_a_folder_of_their_own(tmp_path: Path) -> None:
    for student in ("ann", "bob"):
        (tmp_path / "source" / "inside").mkdir(parents=True, exist_ok=True)
        as_zip(tmp_path / "source" / "inside" / f"{student}.zip", {f"hw/{MAIN}": CODE})
    assert students(tmp_path / "source") == ["ann", "bob"]


@pytest.mark.parametrize(
    "names",
    [
        (MAIN,),
        (MAIN, "helper.py"),
        (f"hw/{MAIN}", "hw/helper.py"),
        (f"src/{MAIN}", "data/words.py"),
        (f"src/{MAIN}", "old/helper.py", "notes.txt"),
        ("one.py", "two.py"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_one_student_stays_one(tmp_path: Path, names: tuple[str, ...], packed: bool) -> None:
    files = dict.fromkeys(names, CODE)
    if packed:
        (tmp_path / "source").mkdir()
        as_zip(tmp_path / "source" / "ann.zip", files)
    else:
        as_folder(tmp_path / "source", files, "ann/")
    assert students(tmp_path / "source") == ["ann"]
    (told,) = found_sentences(found_in(tmp_path / "source"), "auto")
    assert told.endswith(", 1 student. If that is a whole class, name the folder inside.")


def test_a_damaged_archive_alone_is_its_owners(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "ann.zip").write_bytes(b"PK\x03\x04 cut off")
    ((name, read),) = found_in(tmp_path / "source").submissions
    assert (name, read().main) == ("ann", None)
    assert "ann.zip cannot be unpacked" in str(read().problem)


@pytest.mark.parametrize("layout", ["auto", "folders"])
def test_what_looks_like_a_broken_export_in_an_archive_is_its_owners(tmp_path: Path, layout: str) -> None:
    (tmp_path / "source").mkdir()
    as_zip(tmp_path / "source" / "ann.zip", {f"hw/{MAIN}": CODE, "submission_metadata.yml": "{"})
    assert students(tmp_path / "source", layout) == ["ann"]


def test_a_layout_that_was_named_is_looked_for_in_the_archive_as_well(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    as_zip(tmp_path / "source" / "submissions.zip", CANVAS)
    with pytest.raises(UsageProblem, match="SOURCE is no Moodle download"):
        found_in(tmp_path / "source", "moodle")
