"""Downloads of every platform: recognised by content, read as the platform meant them, and safe from their students."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from downloads import (
    ALL,
    BLACKBOARD,
    BRIGHTSPACE,
    BRIGHTSPACE_FLAT,
    CANVAS,
    CODE,
    GITHUB,
    GOOGLE,
    GRADESCOPE,
    MAIN,
    MOODLE,
    MOODLE_FLAT,
    NBGRADER,
    as_folder,
    as_zip,
)
from hypothesis import given
from hypothesis import strategies as st

from grader import registry
from grader.errors import UsageProblem
from grader.intake.files import is_junk
from grader.intake.layouts.base import Asked, HandIn
from grader.intake.layouts.times import iso_time
from grader.intake.recognise import recognise
from grader.intake.source import Found, Rules, find_submissions
from grader.intake.tree import Tree
from grader.model.submission import Person, Submission


def tree_of(files: dict[str, str], name: str = "download") -> Tree:
    """A tree in memory."""
    places = {place: (lambda _, text=text: text.encode()) for place, text in files.items() if not is_junk(place)}
    return Tree(name, places, packed=True)


def seen(files: dict[str, str], layout: str = "auto", name: str = "download") -> tuple[str, dict[str, HandIn]]:
    """The title of the layout, and what it found, by key."""
    found = recognise(tree_of(files, name), Asked(MAIN, "attention"), layout)
    assert found is not None
    return found[0].title, {hand_in.key: hand_in for hand_in in found[1].hand_ins}


def people(hand_ins: dict[str, HandIn]) -> dict[str, tuple[str, str]]:
    """(student, name) by key."""
    return {key: (hand_in.who.student, hand_in.who.name) for key, hand_in in hand_ins.items()}


def submissions(found: Found) -> dict[str, Submission]:
    """Every submission, read, by id."""
    return {name: read() for name, read in found.submissions}


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("under", ["", "export/", "my downloads/export/"])
def test_a_folder_and_an_archive_hold_the_same(tmp_path: Path, kind: str, under: str) -> None:
    if kind == "github" and under:
        under += "x/"
    rules = Rules(assignment="attention")
    folder = find_submissions(as_folder(tmp_path / "class", ALL[kind], under), MAIN, rules=rules)
    packed = find_submissions(as_zip(tmp_path / "class.zip", ALL[kind], under), MAIN, rules=rules)
    title = registry.load(registry.LAYOUTS[kind.split(maxsplit=1)[0]]).title
    assert folder.layout == packed.layout == title
    assert folder.of_platform
    assert submissions(folder) == submissions(packed)
    assert all(submission.student for submission in submissions(folder).values())


@pytest.mark.parametrize(
    ("kind", "student", "names"),
    [
        ("canvas", "12345", ("oneilzoe_12345_987653_helper-3.py", "oneilzoe_12345_987654_attention.py")),
        (
            "moodle",
            "29123",
            ("Zoë ONeil_29123_assignsubmission_file/", "Zoë ONeil_29123_assignsubmission_onlinetext/"),
        ),
        ("brightspace", "12345", ("12345-67891 - Zoë O'Neil - Nov 30, 2026 905 PM/",)),
    ],
)
def test_names_of_the_download_are_kept(tmp_path: Path, kind: str, student: str, names: tuple[str, ...]) -> None:
    """Of the attempt that counts, whatever is around the download; feedback goes back under them."""
    for under in ("", "download/"):
        source = as_zip(tmp_path / f"{len(under)}.zip", ALL[kind], under)
        found = submissions(find_submissions(source, MAIN))
        (kept,) = (one.handed_in_as for one in found.values() if one.student == student)
        assert kept == names


def test_other_names_are_not_kept(tmp_path: Path) -> None:
    source = as_folder(tmp_path / "class", {"ann/attention.py": CODE, "ben.py": CODE})
    assert {one.handed_in_as for one in submissions(find_submissions(source, MAIN)).values()} == {()}


@pytest.mark.parametrize("kind", ALL)
def test_who_knows_better_names_the_layout(tmp_path: Path, kind: str) -> None:
    source = as_zip(tmp_path / "class.zip", ALL[kind])
    named = find_submissions(source, MAIN, rules=Rules(layout=kind.split(maxsplit=1)[0], assignment="attention"))
    assert named.layout == registry.load(registry.LAYOUTS[kind.split(maxsplit=1)[0]]).title
    plain = find_submissions(source, MAIN, rules=Rules(layout="folders"))
    assert not plain.of_platform
    with pytest.raises(UsageProblem, match="Say --layout folders"):
        find_submissions(
            as_zip(tmp_path / "other.zip", {"ann/x.py": ""}), MAIN, rules=Rules(layout=kind.split(maxsplit=1)[0])
        )


def test_canvas() -> None:
    title, found = seen(CANVAS)
    assert title == "Canvas download"
    assert people(found) == {
        "oneilzoe_12345": ("12345", "oneilzoe"),
        "oneilliam_12344": ("12344", "oneilliam"),
        "garcíalópezana_12346": ("12346", "garcíalópezana"),
        "team7_12347": ("12347", "team7"),
        "studenttest_3143": ("3143", "studenttest"),
        "oneilmary_12348": ("12348", "oneilmary"),
        "oneiltim_12349": ("12349", "oneiltim"),
    }
    assert {key for key, hand_in in found.items() if hand_in.late} == {"oneilliam_12344", "oneilmary_12348"}
    assert all(hand_in.late is not None for hand_in in found.values())
    assert set(found["oneilzoe_12345"].files) == {"attention.py", "helper.py"}
    assert found["oneilzoe_12345"].notices == (
        "helper-3.py was taken as helper.py: Canvas numbers files that are handed in again.",
    )
    assert set(found["garcíalópezana_12346"].files) == {"Project 4.4 (1).py"}
    assert set(found["oneilmary_12348"].files) == {"text.html"}


def test_canvas_with_names_hidden() -> None:
    _, found = seen({"anon_aB3xZ_987662_hw1.py": CODE, "LATE_anon_cD4yW_987663_hw1.py": CODE})
    assert people(found) == {"anon_aB3xZ": ("aB3xZ", ""), "anon_cD4yW": ("cD4yW", "")}
    assert [hand_in.late for hand_in in found.values()] == [True, False]


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["hw1-2.py"], ["hw1.py"]),
        (["hw1.py", "hw1-2.py"], ["hw1.py", "hw1-2.py"]),
        (["hw1-1.py", "hw1-2.py"], ["hw1-1.py", "hw1-2.py"]),
        (["data-2.csv", "a-b.py", "-2.py"], ["data-2.csv", "a-b.py", "-2.py"]),
        (["HW1.py", "hw1-3.py"], ["HW1.py", "hw1-3.py"]),
    ],
)
def test_canvas_numbers_go_only_where_that_is_certain(names: list[str], kept: list[str]) -> None:
    files = {f"oneilzoe_12345_{98760 + number}_{name}": CODE for number, name in enumerate(names)}
    (hand_in,) = seen(files)[1].values()
    assert sorted(hand_in.files) == sorted(kept)


def test_canvas_takes_the_first_pair_of_numbers() -> None:
    files = {"mallory_77_4001_oneilzoe_12345_987654_x.py": CODE, "oneil_zoe2_12345_4002_12_34_x.py": CODE}
    _, found = seen(files)
    assert people(found) == {"mallory_77": ("77", "mallory"), "oneil_zoe2_12345": ("12345", "oneil_zoe2")}
    assert list(found["oneil_zoe2_12345"].files) == ["12_34_x.py"]


@pytest.mark.parametrize(
    "names",
    [
        ["assignment_3_1_ann.py", "assignment_3_1_ben.py"],
        ["ps_3_1_ann.py", "ps_3_2_ben.py"],
        ["ann.py", "ben.py", "cy_1234_5678_x.py"],
    ],
)
def test_loose_files_of_students_are_no_canvas_download(names: list[str]) -> None:
    title, found = seen(dict.fromkeys(names, CODE))
    assert title == "a folder or file for each student"
    assert len(found) == len(names)


def test_moodle() -> None:
    title, found = seen(MOODLE)
    assert title == "Moodle download"
    assert people(found) == {
        "Zoë ONeil_29123": ("29123", "Zoë ONeil"),
        "Wei Chen_29124": ("29124", "Wei Chen"),
        "Wei Chen_29125": ("29125", "Wei Chen"),
        "Team 7_512": ("512", "Team 7"),
        "Participant_29126": ("29126", ""),
        "Default group": ("Default group", "Default group"),
    }
    assert set(found["Zoë ONeil_29123"].files) == {"attention.py", "pkg/util.py", "onlinetext.html"}
    assert all(hand_in.late is None and hand_in.submitted_at is None for hand_in in found.values())


def test_moodle_without_folders() -> None:
    _, found = seen(MOODLE_FLAT)
    assert {key: sorted(hand_in.files) for key, hand_in in found.items()} == {
        "Zoë ONeil_29123": ["attention.py", "helper_1.py"],
        "Mallory_29124": ["Zoë ONeil_29123_assignsubmission_file_attention.py"],
        "Default group": ["Zoë ONeil_29123_assignsubmission_file_attention.py"],
    }


def test_gradescope() -> None:
    title, found = seen(GRADESCOPE)
    assert title == "Gradescope export"
    first, second, third = (found[f"submission_{number}"] for number in (9876543, 9876544, 9876545))
    assert [who.student for who in first.people] == ["0234567", "1234568"]
    assert first.who.name == "Zoë O'Neil"
    assert first.who.logins == ("zoe@example.edu",)
    assert first.submitted_at == "2026-11-29T10:14:00+00:00"
    assert set(first.files) == {"attention.py", "pkg/util.py"}
    assert (second.who.student, second.submitted_at, dict(second.files)) == (
        "wei@example.edu",
        "2026-11-29T11:00:00-08:00",
        {},
    )
    assert third.who.student == "submission_9876545"


def test_a_group_of_gradescope_is_one_submission(tmp_path: Path) -> None:
    found = find_submissions(as_zip(tmp_path / "export.zip", GRADESCOPE), MAIN)
    submission = submissions(found)["submission_9876543"]
    assert submission.members == (Person("0234567", "Zoë O'Neil"), Person("1234568", "Ana García López"))
    assert (submission.student, found.groups) == ("0234567", 1)


@pytest.mark.parametrize("index", ["a: [", "? [1]\n: 2\n", "\t- x"])
def test_an_index_that_cannot_be_read_is_told(index: str) -> None:
    with pytest.raises(UsageProblem, match=r"submission_metadata\.yml cannot be read: .*Export the submissions again"):
        seen({"submission_metadata.yml": index, "submission_1/a.py": CODE})


@pytest.mark.parametrize("index", ["", "[]", "x", "submission_1: 3", "submission_1:\n  :submitters: 3", "1: {a: b}"])
def test_an_index_that_says_little(index: str) -> None:
    _, found = seen({"submission_metadata.yml": index, "submission_1/a.py": CODE})
    assert found["submission_1"].who.student == "submission_1"


def test_blackboard() -> None:
    found = recognise(tree_of(BLACKBOARD), Asked(MAIN))
    assert found is not None
    assert found[0].title == "Blackboard download"
    attempts = [(one.key, one.attempt, one.submitted_at, sorted(one.files)) for one in found[1].hand_ins]
    assert attempts == [
        ("jroe", "2026-11-30-10-15-00", "2026-11-30T10:15:00", ["attention.py"]),
        ("wchen", "2026-11-29-10-15-00", "2026-11-29T10:15:00", ["attention.py"]),
        ("z_oneil", "2026-11-28-09-00-00", "2026-11-28T09:00:00", ["attention.py"]),
        ("z_oneil", "2026-11-29-10-14-00", "2026-11-29T10:14:00+00:00", ["attention.py"]),
    ]
    assert {one.who.name for one in found[1].hand_ins} == {"", "Wei Chen", "Zoë O'Neil"}


def test_the_attempt_that_counts(tmp_path: Path) -> None:
    source = as_zip(tmp_path / "class.zip", BLACKBOARD)
    found = find_submissions(source, MAIN)
    newest = submissions(found)["z_oneil"]
    assert newest.sources[MAIN].endswith("# newest")
    assert (
        newest.notices[0] == "There are 2 attempts. The one of 2026-11-29 10:14:00+00:00 was graded: the newest counts."
    )
    assert (found.attempts, found.zoneless) == (1, True)
    first = submissions(find_submissions(source, MAIN, rules=Rules(count="first")))["z_oneil"]
    assert first.sources[MAIN].endswith("# first")
    assert "the first counts" in first.notices[0]


@pytest.mark.parametrize(
    ("late", "graded", "words"),
    [
        (["2026-11-29"], "# first", "the newest in time counts"),
        (["2026-11-29", "2026-11-28"], "# newest", "none was in time, so the newest counts"),
        ([], "# newest", "the newest in time counts"),
    ],
)
def test_the_newest_in_time(tmp_path: Path, late: list[str], graded: str, words: str) -> None:
    def is_late(submitted_at: str | None, extension: str | None, ids: list[str]) -> bool:
        assert ids == ["z_oneil"]
        return (submitted_at or "")[:10] in late

    rules = Rules(count="newest_on_time", is_late=is_late)
    found = find_submissions(as_zip(tmp_path / "class.zip", BLACKBOARD), MAIN, rules=rules)
    submission = submissions(found)["z_oneil"]
    assert submission.sources[MAIN].endswith(graded)
    assert words in submission.notices[0]


def test_brightspace() -> None:
    found = recognise(tree_of(BRIGHTSPACE), Asked(MAIN))
    assert found is not None
    assert found[0].title == "Brightspace download"
    assert [(one.key, one.who.student, one.who.name, one.submitted_at) for one in found[1].hand_ins] == [
        ("12345 - Zoë O'Neil", "12345", "Zoë O'Neil", "2026-11-29T10:14:00"),
        ("12345 - Zoë O'Neil", "12345", "Zoë O'Neil", "2026-11-30T21:05:00"),
        ("12346 - Ana García - López", "12346", "Ana García - López", "2026-11-29T10:14:00"),
        ("12347 - Wei Chen", "12347", "Wei Chen", "2026-11-29T10:14:00"),
    ]


def test_brightspace_without_folders() -> None:
    _, found = seen(BRIGHTSPACE_FLAT)
    assert people(found) == {
        "123456 - N0123456 - Zoë O'Neil": ("123456", "N0123456 - Zoë O'Neil"),
        "123457 - Wei Chen": ("123457", "Wei Chen"),
    }
    assert [list(hand_in.files) for hand_in in found.values()] == [["attention.py"], ["my - attention.py"]]


def test_attempts_that_cannot_be_told_apart_are_held(tmp_path: Path) -> None:
    files = {f"12345-{number} - Zoë O'Neil - någon gång/attention.py": CODE for number in (1, 2)}
    (submission,) = submissions(find_submissions(as_zip(tmp_path / "class.zip", files), MAIN)).values()
    assert submission.unreadable
    assert submission.problem == "There are 2 attempts, and no telling which is the newest; staff have to decide."


def test_nbgrader() -> None:
    title, found = seen(NBGRADER)
    assert title == "nbgrader course"
    assert {key: (sorted(one.files), one.submitted_at) for key, one in found.items()} == {
        "wchen": (["attention.py"], "2026-11-29T10:14:00-08:00"),
        "zoneil": (["attention.py"], "2026-11-29T10:14:00+00:00"),
    }
    inside = {name.removeprefix("submitted/"): text for name, text in NBGRADER.items() if name.startswith("submitted/")}
    assert seen({name: text for name, text in inside.items() if "/ps2/" not in name}) == (
        title,
        found
        | {
            key: HandIn(
                key, one.people, {"attention.py": f"{key}/attention/attention.py"}, submitted_at=one.submitted_at
            )
            for key, one in found.items()
        },
    )


def test_several_assignments_of_nbgrader() -> None:
    files = {f"submitted/ann/{name}/a.py": CODE for name in ("ps1", "ps2")}
    with pytest.raises(UsageProblem, match=r"several assignments of nbgrader's \(ps1, ps2\)"):
        seen(files)


def test_github() -> None:
    _, found = seen({name: text for name, text in GITHUB.items() if "/.git/" not in name})
    assert people(found) == {"hw1-zoe-oneil": ("zoe-oneil", ""), "hw1-wei": ("wei", "")}


def test_github_without_the_folder_around(tmp_path: Path) -> None:
    names = ("attn-hw1-zoe-o", "attn-hw1-zed-x", "attn-hw1-wei")
    files = {f"{name}/{rest}": CODE for name in names for rest in (MAIN, ".git/HEAD")}
    found = submissions(find_submissions(as_folder(tmp_path / "class", files), MAIN))
    assert {name: submission.student for name, submission in found.items()} == {
        "attn-hw1-zoe-o": "zoe-o",
        "attn-hw1-zed-x": "zed-x",
        "attn-hw1-wei": "wei",
    }
    two = {name: text for name, text in files.items() if not name.startswith("attn-hw1-wei")}
    found = submissions(find_submissions(as_folder(tmp_path / "two", two), MAIN))
    assert {submission.student for submission in found.values()} == {"attn-hw1-zoe-o", "attn-hw1-zed-x"}


def test_google() -> None:
    title, found = seen(GOOGLE)
    assert title == "Google Classroom files"
    assert people(found) == {
        "Zoë O'Neil - Attention": ("Zoë O'Neil", "Zoë O'Neil"),
        "Wei Chen - Attention": ("Wei Chen - Attention", "Wei Chen"),
        "Wei Chen - Attention (1)": ("Wei Chen - Attention (1)", "Wei Chen"),
        "Copy of Ana García - López - attention": ("Ana García - López", "Ana García - López"),
    }


def test_one_student_cannot_change_how_a_class_is_read(tmp_path: Path) -> None:
    bait = {
        "mallory/submission_metadata.yml": GRADESCOPE["assignment_123456_export/submission_metadata.yml"],
        "mallory/submitted/x/y/timestamp.txt": "2026-11-29 10:14:00 UTC",
        "mallory/a_attempt_2026-11-29-10-14-00.txt": "x",
    }
    files = {**bait, **{f"{name}/{MAIN}": CODE for name in ("ann", "ben")}}
    found = find_submissions(as_folder(tmp_path / "class", files), MAIN)
    files |= {f"mallory/hw{n % 2}/{n}.py": "x" for n in range(100)} | {"mallory/hw0/timestamp.txt": "2026-11-29 10:14"}
    more = find_submissions(as_folder(tmp_path / "more", files), MAIN)
    for one in (found, more):
        assert (one.layout, len(one.submissions)) == ("a folder or file for each student", 3)


def test_what_belongs_to_nobody_is_named(tmp_path: Path) -> None:
    files = {**MOODLE, "grades.csv": "x", "extra/attention.py": CODE, "extra/b.py": CODE}
    assert find_submissions(as_zip(tmp_path / "class.zip", files), MAIN).passed_over == ["extra", "grades.csv"]


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-11-29 10:14:00 UTC", "2026-11-29T10:14:00+00:00"),
        ("2026-11-29 10:14:00.123456000 Z", "2026-11-29T10:14:00+00:00"),
        ("2026-11-29T10:14:00+01:00", "2026-11-29T10:14:00+01:00"),
        ("2026-11-29 10:14:00 -0800", "2026-11-29T10:14:00-08:00"),
        ("2026-07-01 10:14:00 Europe/Berlin", "2026-07-01T10:14:00+02:00"),
        ("2026-11-29-10-14-00", "2026-11-29T10:14:00"),
        ("2026-11-29 10:14", "2026-11-29T10:14:00"),
        ("Sunday, 29 November 2026 10:14:00 o'clock GMT", "2026-11-29T10:14:00+00:00"),
        ("Sunday, March 29, 2026 10:14:00 PM PDT", "2026-03-29T22:14:00-07:00"),
        ("Sunday, 29 November 2026 10:14:00 o'clock CST", "2026-11-29T10:14:00"),
        ("Nov 29, 2026 1014 AM", "2026-11-29T10:14:00"),
        ("Nov 29, 2026 1205 AM", "2026-11-29T00:05:00"),
        ("Nov 29, 2026 1205 PM", "2026-11-29T12:05:00"),
        ("29 November 2026 905 PM", "2026-11-29T21:05:00"),
        ("29. März 2026 10:14 Uhr", "2026-03-29T10:14:00"),
        ("le 3 août 2026 10:14", "2026-08-03T10:14:00"),
        ("29 novembre 2026 10 h 14", "2026-11-29T10:14:00"),
        ("1 juillet 2026 10:14", "2026-07-01T10:14:00"),
        ("1 juin 2026 10:14", "2026-06-01T10:14:00"),
        ("2 de diciembre de 2026 10:14", "2026-12-02T10:14:00"),
        ("31 Feb 2026 10:14", None),
        ("2026-13-01 10:14", None),
        ("Nov 29, 2026", None),
        ("29/11/2026 10:14", None),
        ("soon", None),
        ("", None),
    ],
)
def test_times(text: str, iso: str | None) -> None:
    assert iso_time(text) == iso


@given(st.text(max_size=60))
def test_no_text_is_too_odd_for_a_time(text: str) -> None:
    found = iso_time(text)
    assert found is None or iso_time(found) == found


PARTS = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@given(st.lists(st.tuples(PARTS, PARTS), min_size=1, max_size=6))
def test_every_file_is_somebodys_or_named(parts: list[tuple[str, str]]) -> None:
    files = {f"{first}/{second}": CODE for first, second in parts}
    found = recognise(tree_of(files), Asked(MAIN))
    if found is not None:
        placed = [place for hand_in in found[1].hand_ins for place in hand_in.files.values()]
        assert sorted([*placed, *found[1].passed_over]) == found[2].names()


FRAGMENTS = (
    *("_LATE", "_12345", "_987654_", "anon_", "_assignsubmission_", "file", "_attempt_2026-11-29-10-14-00", ".txt"),
    *(" - ", "12345-678", "Nov 29, 2026 1014 AM", "submitted", "timestamp.txt", "submission_1", "a", "é", ".py", "-2"),
    *("oneilzoe", "Zoë ONeil_29123", "HW_z_oneil", "_text.html", " (1)", "submission_metadata.yml", "x.", "_", "1"),
)
CHOSEN = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join)
VICTIM_AND_PLATFORMS_PART = {
    "canvas": ("oneilzoe_12345_987654_attention.py", "mallory_LATE_666_987655_", "666"),
    "moodle": ("Zoë ONeil_29123_assignsubmission_file/attention.py", "Mallory_666_assignsubmission_file/", "666"),
    "moodle flat": ("Zoë ONeil_29123_assignsubmission_file_a.py", "Mallory_666_assignsubmission_file_", "666"),
    "blackboard": (
        "HW_z_oneil_attempt_2026-11-29-10-14-00_a.py",
        "HW_mallory_attempt_2026-11-29-10-14-00_",
        "mallory",
    ),
    "brightspace": (
        "12345-1 - Zoë O'Neil - Nov 29, 2026 1014 AM/a.py",
        "666-2 - Mallory - Nov 29, 2026 1014 AM/",
        "666",
    ),
    "nbgrader": ("submitted/zoneil/hw/a.py", "submitted/mallory/hw/", "mallory"),
    "github": ("x-submissions/x-zoneil/a.py", "x-submissions/x-mallory/", "mallory"),
    "folders": ("zoneil/a.py", "mallory/", "mallory"),
}


def test_many_files_of_one_student_do_not_outvote_the_others() -> None:
    bait = (f"mallory_666_{1000 + n}__attempt_2026-11-29-10-14-00.txt" for n in range(40))
    title, found = seen({**CANVAS, **dict.fromkeys(bait, CODE)})
    assert (title, len(found)) == ("Canvas download", 8)


@pytest.mark.parametrize("kind", VICTIM_AND_PLATFORMS_PART)
@given(names=st.lists(CHOSEN, min_size=1, max_size=4, unique_by=str.casefold))
def test_what_a_student_calls_a_file_makes_them_nobody_else(kind: str, names: list[str]) -> None:
    victim, prefix, student = VICTIM_AND_PLATFORMS_PART[kind]
    chosen = [name for name in names if name != "timestamp.txt" and not is_junk(prefix + name)]
    if kind == "canvas":
        files = {victim: CODE, **{f"mallory_LATE_666_{1000 + n}_{name}": CODE for n, name in enumerate(chosen)}}
    else:
        files = {victim: CODE, **{prefix + name: CODE for name in chosen}}
    found = recognise(tree_of(files), Asked(MAIN))
    assert found is not None
    mine = {
        f"x-submissions/{place}" if kind == "github" else place: hand_in.who.student
        for hand_in in found[1].hand_ins
        for place in hand_in.files.values()
    }
    inside = victim.removeprefix("submitted/") if victim not in mine else victim
    assert mine.pop(inside) != student
    assert set(mine.values()) <= {student}
    assert len(mine) == len(chosen)


def test_every_layout_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "intake.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(registry.LAYOUTS)
