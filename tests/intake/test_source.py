"""SOURCE in every shape: which submissions it holds, under which ids, made of which files."""

from __future__ import annotations

import io
import os
import re
import socket
import tarfile
import unicodedata
import zipfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageProblem
from grader.intake.ids import safe_ids
from grader.intake.source import Rules, find_submissions
from grader.model.roster import Roster, RosterPerson
from grader.model.submission import Submission

MAIN = "attention.py"
CODE = b"def f():\n    return 1\n"
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def found(source: Path) -> dict[str, Submission]:
    """Every submission in SOURCE, read, by id."""
    submissions = {name: read() for name, read in find_submissions(source, MAIN).submissions}
    assert all(submission.id == name for name, submission in submissions.items())
    return submissions


def write(folder: Path, *names: str) -> Path:
    """Files below a folder, each holding CODE and its own name."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CODE + b"# " + name.encode())
    return folder


def zip_of(folder: Path, under: str = "") -> Path:
    """The folder as a zip beside it, its files below `under`."""
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, under + file.relative_to(folder).as_posix())
    return path


def graded(submissions: dict[str, Submission]) -> dict[str, str | None]:
    """The name of the graded file by id."""
    assert all(submission.problem is None for submission in submissions.values())
    return {name: submission.main for name, submission in submissions.items()}


@given(
    st.lists(
        st.text(max_size=12) | st.sampled_from(["a", "A", "a-2", "con", "CON.py", "-", ".", "é", "a-", "Wei Chen"])
    )
)
def test_ids_are_safe_and_unique(names: list[str]) -> None:
    ids = safe_ids(names)
    assert len(ids) == len(names)
    assert all(ID.fullmatch(name) and len(name) <= 90 for name in ids)
    assert len({name.lower() for name in ids}) == len(ids)
    assert not any(re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name) for name in ids)


@given(st.lists(st.from_regex(ID, fullmatch=True).map(lambda name: f"u{name}"[:40].rstrip("-")), unique_by=str.lower))
def test_names_that_are_ids_keep_them(names: list[str]) -> None:
    assert safe_ids(names) == names


def test_collisions_are_numbered() -> None:
    assert safe_ids(["Wei Chen", "wei-chen", "Wei+Chen", "???", "!!!", "con"]) == [
        *("Wei-Chen", "wei-chen-2", "Wei-Chen-3"),
        *("submission", "submission-2", "s-con"),
    ]


FOLDERS = ("ann/attention.py", "ben/attention.py", "cy/attention (1).py")


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_of_folders(tmp_path: Path, packed: bool) -> None:
    folder = write(tmp_path / "class", *FOLDERS)
    submissions = found(zip_of(folder) if packed else folder)
    assert graded(submissions) == {"ann": MAIN, "ben": MAIN, "cy": MAIN}
    assert submissions["ben"].student == "ben"
    assert submissions["ben"].sources == {MAIN: (CODE + b"# ben/attention.py").decode()}
    assert "graded as attention.py" in submissions["cy"].notices[0]


@pytest.mark.parametrize("wrapping", ["class/", "export/class/"])
def test_a_wrapped_zip_is_unwrapped(tmp_path: Path, wrapping: str) -> None:
    folder = write(tmp_path / "class", *FOLDERS)
    assert list(found(zip_of(folder, wrapping))) == ["ann", "ben", "cy"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_of_files(tmp_path: Path, packed: bool) -> None:
    folder = write(tmp_path / "class", "ann.py", "ben.py", "notes.txt", ".hidden.py", "__MACOSX/._ann.py", ".DS_Store")
    source = zip_of(folder) if packed else folder
    assert [name for name in found(source) if name in ("ann", "ben")] == ["ann", "ben"]
    assert "notes.txt" in find_submissions(source, MAIN).passed_over
    assert not any("MACOSX" in name for name in found(source))


@pytest.mark.parametrize("name", ["attention.py", "whatever.py"])
def test_a_single_file(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    assert graded(found(tmp_path / name)) == {name.removesuffix(".py"): MAIN}


@pytest.mark.parametrize("wrapping", ["", "hw1/", "hw1/src/"])
def test_a_single_folder_and_its_zip(tmp_path: Path, wrapping: str) -> None:
    folder = write(tmp_path / "work", "attention.py", "helper.py", "sub/more.py", "__MACOSX/._attention.py")
    (submission,) = found(folder).values()
    assert (submission.id, submission.main) == ("work", MAIN)
    assert set(submission.sources) == {MAIN, "helper.py", "sub/more.py"}
    (unpacked,) = found(zip_of(folder, wrapping)).values()
    assert unpacked.main == MAIN
    assert unpacked.sources == submission.sources


def test_zips_of_students_in_a_folder(tmp_path: Path) -> None:
    for name in ("ann", "ben"):
        zip_of(write(tmp_path / "class" / name, "attention.py"), "hw/")
        os.rename(tmp_path / "class" / name, tmp_path / name)
    submissions = found(tmp_path / "class")
    assert graded(submissions) == {"ann": MAIN, "ben": MAIN}
    assert submissions["ann"].notices[0] == "ann.zip was unpacked."
    assert [file.name for file in submissions["ann"].files] == ["ann.zip"]


def test_a_zip_in_a_students_folder(tmp_path: Path) -> None:
    inner = write(tmp_path / "inner", "hw1/attention.py", "hw1/helper.py")
    (tmp_path / "class" / "ann").mkdir(parents=True)
    os.rename(zip_of(inner), tmp_path / "class" / "ann" / "my work.zip")
    (submission,) = found(tmp_path / "class").values()
    assert (submission.main, submission.problem) == (MAIN, None)
    assert set(submission.sources) == {MAIN, "helper.py"}
    assert submission.notices == ("my work.zip was unpacked.",)


@pytest.mark.parametrize(
    "name",
    ["attention-2.py", "attention (1).py", "attention(12).py", "attention copy.py", "Attention.PY", "attention_3.py"],
)
def test_renamed_files(tmp_path: Path, name: str) -> None:
    (submission,) = found(write(tmp_path / "class", f"ann/{name}", "ann/other.py")).values()
    assert submission.problem is None
    assert submission.notices == (f"{name} was graded as attention.py.",)
    assert CODE.decode() in submission.sources[submission.main or ""]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["attention-2.py", "attention-3.py"], "no telling which of attention-2.py, attention-3.py"),
        (["one.py", "two.py"], "no telling which of one.py, two.py"),
        (["a/attention.py", "b/attention.py"], "2 files called attention.py"),
        (["notes.txt", "q3.docx"], "attention.py was not handed in; found only notes.txt, q3.docx"),
        ([".DS_Store"], "Nothing was handed in"),
    ],
)
def test_what_cannot_be_chosen_is_told(tmp_path: Path, names: list[str], words: str) -> None:
    submission = found(write(tmp_path / "class", "bob/attention.py", *(f"ann/{name}" for name in names)))["ann"]
    assert submission.main is None
    assert words in (submission.problem or "")


def test_the_exact_name_comes_first(tmp_path: Path) -> None:
    (submission,) = found(
        write(tmp_path / "class", "ann/attention.py", "ann/attention-2.py", "ann/x/attention.py")
    ).values()
    assert submission.main == MAIN
    assert submission.sources[MAIN].endswith("# ann/attention.py")


NAMES = ["O'Brien, Zoë [2] (late)+&", 'quo"te', "per%cent %s {0}", "sp ace ", "new\nline", "$(touch x)", "-rf", "李娜"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", NAMES)
def test_names_are_data(tmp_path: Path, name: str, form: str) -> None:
    student = unicodedata.normalize(form, name)
    submissions = found(write(tmp_path / "class", f"{student}/attention.py", "ann/attention.py"))
    (other,) = submissions.keys() - {"ann"}
    assert submissions[other].student == student
    assert submissions[other].problem is None
    assert ID.fullmatch(other)


def test_both_unicode_forms_of_one_name(tmp_path: Path) -> None:
    forms = [unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD")]
    submissions = found(write(tmp_path / "class", *(f"{form}/attention.py" for form in forms)))
    assert sorted(submissions) == ["Zoe", "Zoe-2"]
    assert {submission.student for submission in submissions.values()} == set(forms)


def test_names_that_are_no_text_can_still_be_written(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/class/Zo\xeb"
    os.makedirs(folder)
    for name in (b"attention.py", b"m\xf6re.py"):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(CODE)
    (submission,) = found(tmp_path / "class").values()
    assert submission.problem is None
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(submission), type=Submission) == submission


def test_names_that_are_no_text_stay_apart_and_keep_their_ids(tmp_path: Path) -> None:
    for raw in (b"Zo\xeb", b"Zo\xe9"):
        folder = os.fsencode(tmp_path) + b"/class/" + raw
        os.makedirs(folder)
        for name in (b"m\xf6re.py", b"m\xe4re.py"):
            Path(os.fsdecode(folder + b"/" + name)).write_bytes(CODE)
    submissions = found(tmp_path / "class")
    assert [len(submission.files) for submission in submissions.values()] == [2, 2]
    known = {submission.student: name for name, submission in submissions.items()}
    again = find_submissions(tmp_path / "class", MAIN, known=known)
    assert [name for name, _ in again.submissions] == list(submissions)


def test_links_without_end_are_counted(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "ann/attention.py")
    for number in range(50):
        (folder / "ann" / f"link{number:02}").symlink_to("/nowhere")
    (submission,) = found(folder).values()
    assert len(submission.notices) == 21
    assert submission.notices[-1] == "30 more files were left out."


def test_sentences_quote_names_without_what_acts(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "ann/attention.py", "ann/random\x1b[2J\n\u202e.py/x.py")
    (folder / "ann" / ("l\x1b[2J\n\u202e" + "x" * 200)).symlink_to("/nowhere")
    (folder / "loose\x1b[2J\n\u202e.txt").write_bytes(b"")
    (submission,) = found(folder).values()
    assert submission.notices == (f"Left out: l {'x' * 118}… [82 more characters] is a link.",)
    assert find_submissions(folder, MAIN).passed_over == ["loose .txt"]


def test_links_are_never_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "attention.py")
    folder = write(tmp_path / "class", "ann/attention.py", "ben/notes.txt")
    (folder / "cy").symlink_to(outside)
    (folder / "dee.py").symlink_to(outside / MAIN)
    (folder / "ben" / MAIN).symlink_to(outside / MAIN)
    os.mkfifo(folder / "eve.py")
    submissions = found(folder)
    assert [name for name, submission in submissions.items() if submission.problem is None] == ["ann"]
    assert "is a link" in (submissions["cy"].problem or "")
    assert "not a regular file" in (submissions["eve"].problem or "")
    assert "outside" not in str(msgspec.to_builtins(submissions))


@pytest.mark.parametrize("wrapper", ["", "export/"])
@pytest.mark.parametrize("bad", ["mallory/notes/../../x.txt", "mallory\\notes\\..\\..\\x.txt", "mallory/" + "x" * 600])
def test_a_bad_member_of_a_class_is_refused_with_its_owner(tmp_path: Path, wrapper: str, bad: str) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("ann/attention.py", "mallory/attention.py", bad, "zoe/attention.py"):
            archive.writestr(wrapper + name, CODE)
    submissions = found(path)
    assert {name: bool(submission.problem) for name, submission in submissions.items()} == {
        "ann": False,
        "mallory": True,
        "zoe": False,
    }


def test_members_too_large_cost_no_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann/attention.py", CODE)
        for number in range(3):
            archive.writestr(f"mallory/{number}.bin", bytes(21 << 20))
    opened: list[str] = []
    real = zipfile.ZipFile.open

    def count(self: zipfile.ZipFile, name: zipfile.ZipInfo, *rest: object) -> object:
        opened.append(name.filename)
        return real(self, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(zipfile.ZipFile, "open", count)
    submissions = found(path)
    assert "more than the limit" in (submissions["mallory"].problem or "")
    assert submissions["ann"].problem is None
    assert set(opened) == {"ann/attention.py"}


def test_a_socket_in_a_folder_is_left_out(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "ann/attention.py")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(folder / "ann" / "sock"))
        (submission,) = found(folder).values()
    assert submission.problem is None
    assert "sock is not a regular file" in submission.notices[0]


def test_capital_suffixes_count_as_python(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "ann/notes.txt")
    (folder / "ann" / "attention.PY").write_bytes(CODE + b"#" * (9 << 20))
    (submission,) = found(folder).values()
    assert "of Python files were handed in" in (submission.problem or "")


def test_a_refused_archive_is_one_students(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "ann/attention.py")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../attention.py", CODE)
    (folder / "ben.zip").write_bytes(out.getvalue())
    submissions = found(folder)
    assert submissions["ann"].problem is None
    assert "outside" in (submissions["ben"].problem or "")
    assert submissions["ben"].sources == {}


def test_a_sibling_with_a_librarys_name_is_told(tmp_path: Path) -> None:
    (submission,) = found(write(tmp_path / "class", "ann/attention.py", "ann/random.py", "ann/mine.py")).values()
    assert submission.notices == ("random.py has the name of a library; `import random` gives the library.",)


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir, lambda path: write(path, "x.txt", ".a.py")])
def test_a_source_without_submissions(tmp_path: Path, make: object) -> None:
    make(tmp_path / "class")  # type: ignore[operator]
    with pytest.raises(UsageProblem, match=r"does not exist|holds no submission"):
        find_submissions(tmp_path / "class", MAIN)


def packed(kind: str, *names: str) -> bytes:
    """An archive of files that hold CODE."""
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as archive:
            for name in names:
                archive.writestr(name, CODE)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode=f"w:{kind}") as tar:  # type: ignore[call-overload]
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(CODE)
            tar.addfile(info, io.BytesIO(CODE))
    return out.getvalue()


INNER = ("hw1/attention.py", "hw1/helper.py", "__MACOSX/hw1/._attention.py", "hw1/.DS_Store")
HANDED_IN = {
    "oneilzoe_12345_987654_My work.zip": packed("zip", *INNER),
    "chenwei_LATE_12346_987655_work.tar.gz": packed("gz", *INNER),
    "roejo_12347_987656_work.tar.xz": packed("xz", *INNER),
    "poeal_12348_987657_work.rar": b"Rar!\x1a\x07\x01\0" + bytes(40),
    "lina_12349_987658_work.7z": b"7z\xbc\xaf\x27\x1c" + bytes(40),
    "malory_12350_987659_bad.zip": packed("zip", "../attention.py"),
}


@pytest.mark.parametrize("as_archive", [True, False])
def test_archives_in_a_download(tmp_path: Path, as_archive: bool) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for name, content in HANDED_IN.items():
        (folder / name).write_bytes(content)
    submissions = found(zip_of(folder) if as_archive else folder)
    for name in ("oneilzoe_12345", "chenwei_12346", "roejo_12347"):
        assert set(submissions[name].sources) == {MAIN, "helper.py"}
        assert "was unpacked" in submissions[name].notices[0]
    assert submissions["chenwei_12346"].late is True
    assert "work.rar is a RAR archive" in (submissions["poeal_12348"].problem or "")
    assert "pack your files as a .zip and hand that in" in (submissions["lina_12349"].problem or "")
    assert "outside" in (submissions["malory_12350"].problem or "")
    assert [file.name for file in submissions["poeal_12348"].files] == ["work.rar"]
    assert not any(submission.unreadable for submission in submissions.values())


def test_a_class_of_archives_in_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for name in ("ann.zip", "ben.tgz", "cy.tar.bz2"):
            kind = {"ann.zip": "zip", "ben.tgz": "gz"}.get(name, "bz2")
            archive.writestr(f"export/{name}", packed(kind, *INNER))
    submissions = found(tmp_path / "class.zip")
    assert graded(submissions) == {"ann": MAIN, "ben": MAIN, "cy": MAIN}


def test_a_large_archive_is_read_and_what_is_too_large_in_it_left_out(tmp_path: Path) -> None:
    (tmp_path / "class" / "ann").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "class" / "ann" / "work.zip", "w") as archive:
        archive.writestr("attention.py", CODE)
        archive.writestr("model.pth", bytes(21 << 20))
    (submission,) = found(tmp_path / "class").values()
    assert submission.problem is None
    assert submission.notices[1] == "Left out: model.pth is larger than 20 MB; hand in source files only."


ODD = ["🐍 snake", "שלום", "Madonna", "O'Neil-Smith, Zoë", "a" * 120, "..a", "%s{0}", "Zoe\u0308", "aux", "a_b_12_c"]


@pytest.mark.parametrize("name", ODD)
def test_people_have_any_name_on_any_platform(tmp_path: Path, name: str) -> None:
    moodle = {f"{name}_{number}_assignsubmission_file/attention.py" for number in (512, 513)}
    for kind, names in {"moodle": moodle, "folders": {f"{name}/attention.py", "ann/attention.py"}}.items():
        path = tmp_path / f"{kind}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for place in names:
                archive.writestr(place, CODE)
        submissions = found(path)
        assert len(graded(submissions)) == 2
        assert all(ID.fullmatch(id) for id in submissions)
        assert name in {submission.name or submission.student for submission in submissions.values()}


def test_ids_stay_when_a_roster_comes(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "Zoë O'Neil/attention.py", "Zoe O'Neil/attention.py")
    before = found(folder)
    known = {submission.student: name for name, submission in before.items()}
    roster = Roster((RosterPerson("7", "Zoë O'Neil", ("7",)), RosterPerson("8", "Zoe O'Neil", ("8",))))
    after = {
        name: read() for name, read in find_submissions(folder, MAIN, None, known, Rules(roster=roster)).submissions
    }
    assert {name: submission.name for name, submission in after.items()} == {
        name: submission.student for name, submission in before.items()
    }
    assert {submission.student for submission in after.values()} == {"7", "8"}
