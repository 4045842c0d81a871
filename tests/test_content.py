"""Finding the course and its assignments: where it is looked for, what typos are told, what is public."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from grader import content
from grader.errors import UsageProblem
from grader.model.assignment import Deadline

TOML = """title = "Attention"
version = "1"
files = ["attention.py", "helper.py"]
names = ["f"]
public_points = 30

[limits]
check_seconds = 5
cpu_seconds = 60

[sandbox]
preload = ["torch"]

[isolation]
minimum = "B"
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of two assignments."""
    monkeypatch.delenv("GRADER_COURSE", raising=False)
    for name in ("attention", "masking"):
        folder = tmp_path / "assignments" / name
        for path in ("handout/check_a.py", "handout/attention.py", "hidden/test_a.py", "hidden/helper.py"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(f"# {path}\n")
        (folder / "assignment.toml").write_text(TOML)
        (tmp_path / "reference").mkdir(exist_ok=True)
        (tmp_path / "reference" / f"{name}.py").write_text("# reference\n")
    return tmp_path


def complaint(course: Path, toml: str) -> str:
    """What is said about an assignment.toml, without its path."""
    path = course / "assignments" / "attention" / "assignment.toml"
    path.write_text(toml)
    with pytest.raises(UsageProblem) as problem:
        content.load_assignment(course, "attention")
    text = str(problem.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    return text.removeprefix(str(path))


def test_an_assignment_as_it_is_written(course: Path) -> None:
    found = content.load_assignment(course, "attention")
    assert (found.id, found.main_file, found.about.public_points) == ("attention", "attention.py", 30)
    assert (found.about.limits.check_seconds, found.about.limits.cpu_seconds) == (5, 60)
    assert found.about.limits.import_seconds == 20
    assert (found.about.sandbox.preload, found.about.isolation.minimum) == (["torch"], "B")
    assert found.reference_file == course / "reference" / "attention.py"
    assert found.variants_dir is None
    assert [path.name for path in content.check_files(found, public_only=True)] == ["check_a.py"]
    assert [path.name for path in content.check_files(found, public_only=False)] == ["check_a.py", "test_a.py"]
    assert content.variant_files(found, "wrong") == []
    assert content.stub_file(found).is_file()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("title =", "titel =", [", line 1: there is no key `titel`; did you mean `title`?"]),
        ("public_points", "public_point", [", line 5: there is no key `public_point`; did you mean `public_points`?"]),
        ("cpu_seconds", "cpu_second", [", line 9: there is no key `cpu_second`; did you mean `cpu_seconds`?"]),
        ("preload", "zzz", [", line 12: there is no key `zzz`; expected one of: preload, profile."]),
        ("[limits]", "[limit]", [", line 7: there is no key `limit`; did you mean `limits`?"]),
        ("minimum", '"minimun"', [", line 15: there is no key `minimun`; did you mean `minimum`?"]),
        ("public_points = 30", 'public_points = "30"', [", line 5: key `public_points`", "float", "str"]),
        ("check_seconds = 5", "check_seconds = [5]", [", line 8: key `check_seconds`", "float", "array"]),
        ("cpu_seconds = 60", "cpu_seconds = 60.5", [", line 9: key `cpu_seconds`", "int", "float"]),
        ('names = ["f"]', 'names = "f"', [", line 4: key `names`", "array", "str"]),
        ('names = ["f"]', 'names = ["f", 3]', [", line 4: key `names`", "str", "int"]),
        ("[isolation]", "isolation = 3\n[other]", ["isolation"]),
        ('version = "1"\n', "", [": the key `version` is missing."]),
        ('names = ["f"]', "names = []", ["`names` must each name at least one"]),
        ('files = ["attention.py", "helper.py"]', "files = []", ["`files`", "at least one"]),
        ('title = "Attention"', "title = Attention", [" is not valid TOML", "line 1"]),
        ('names = ["f"]', 'names = ["f"]\nnames = ["g"]', [" is not valid TOML", "line 5"]),
        ("[limits]", "[limits", [" is not valid TOML", "line 7"]),
    ],
)
def test_typos_are_told_with_their_line(course: Path, old: str, new: str, words: list[str]) -> None:
    assert TOML.count(old) == 1
    told = complaint(course, TOML.replace(old, new))
    assert all(word in told for word in words), told


DEADLINE = """
[deadline]
due = 2026-12-01T23:59        # local time
zone = "America/Los_Angeles"
grace_minutes = 15
per_day = 10
cap = 50
last_day = 2026-12-08T23:59
[deadline.extensions]
"12345" = 2026-12-03T23:59
12346 = "2026-12-04 23:59"
# the last of the course
"""


def test_a_deadline_as_it_is_written(course: Path) -> None:
    (course / "assignments" / "attention" / "assignment.toml").write_text(TOML + DEADLINE)
    found = content.load_assignment(course, "attention").about.deadline
    assert found == Deadline(
        due=datetime(2026, 12, 1, 23, 59),
        zone="America/Los_Angeles",
        grace_minutes=15,
        per_day=10,
        cap=50,
        last_day=datetime(2026, 12, 8, 23, 59),
        extensions={"12345": datetime(2026, 12, 3, 23, 59), "12346": datetime(2026, 12, 4, 23, 59)},
    )


@pytest.mark.parametrize("due", ["2026-12-01T23:59:00", "2026-12-01 23:59", '"2026-12-01T23:59"', "2026-12-01T23:59\r"])
def test_a_due_date_may_be_written_in_several_ways(course: Path, due: str) -> None:
    toml = f'{TOML}[deadline]\ndue = {due}\nzone = "Europe/Zurich"\n'
    (course / "assignments" / "attention" / "assignment.toml").write_bytes(toml.encode())
    found = content.load_assignment(course, "attention").about.deadline
    assert found == Deadline(due=datetime(2026, 12, 1, 23, 59), zone="Europe/Zurich")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("due = 2026-12-01T23:59 ", "due = 2026-12-01 ", [", line 18: key `due`: expected a date and time, as 2026"]),
        ("due = 2026-12-01T23:59 ", "due = 3 ", [", line 18: key `due`: expected a date and time, as 2026"]),
        ("due = 2026-12-01T23:59 ", "due = 2026-13-01T23:59 ", [" is not valid TOML", "line 18"]),
        ("due = 2026-12-01T23:59 ", "", [": the key `due` is missing."]),
        ('zone = "America/Los_Angeles"\n', "", [": the key `zone` is missing."]),
        (
            '"America/Los_Angeles"',
            '"America/Los_Angels"',
            [", line 19: there is no time zone 'America/Los_Angels'; did"],
        ),
        ("grace_minutes = 15", "grace_minutes = -1", [", line 20: key `grace_minutes`: expected `int` >= 0."]),
        ("per_day = 10", "per_day = -10", [", line 21: key `per_day`: expected `float` >= 0.0."]),
        ("per_day = 10", "per_day = nan", [", line 21: key `per_day`: expected `float` >= 0.0."]),
        ("cap = 50", "cap = 101", [", line 22: key `cap`: expected `float` <= 100.0."]),
        ("cap = 50", "max = 50", [", line 22: there is no key `max`; expected one of: due, zone, grace_minutes, "]),
        ("last_day = 2026-12", "last_day = 2026-11", [", line 23: `last_day` lies before `due`."]),
        ("12346", "12347 = 2025-12-03T23:59 #", [", line 26: the extension of 12347 lies before `due`."]),
        ('"12345" = 2026-12-03T23:59', '"12345" = 2', ["`extensions`: expected a date and time, as 2026-12-01T23:59."]),
    ],
)
def test_deadlines_that_cannot_be_meant_are_told_with_their_line(
    course: Path, old: str, new: str, words: list[str]
) -> None:
    assert (TOML + DEADLINE).count(old) == 1
    told = complaint(course, (TOML + DEADLINE).replace(old, new))
    assert all(word in told for word in words), told


def test_a_machine_that_does_not_grade_need_not_know_the_zone(course: Path) -> None:
    path = course / "assignments" / "attention" / "assignment.toml"
    path.write_text((TOML + DEADLINE).replace("America/Los_Angeles", "Europe/Newtown"))
    with pytest.raises(UsageProblem, match="there is no time zone 'Europe/Newtown'"):
        content.load_assignment(course, "attention")
    shutil.rmtree(course / "assignments" / "attention" / "hidden")
    assert content.load_assignment(course, "attention").about.deadline is not None


@pytest.mark.parametrize("after", ["", "\n[limits]\nimport_seconds = 3\n", "\n  [attempts]\n"])
def test_extensions_stay_out_of_what_students_have(course: Path, after: str) -> None:
    toml = TOML.replace("[limits]", "[others]").partition("[others]")[0] + DEADLINE + after
    path = course / "assignments" / "attention" / "assignment.toml"
    path.write_text(toml)
    before = content.load_assignment(course, "attention").about
    public = content.public_description(content.load_assignment(course, "attention"))
    assert "1234" not in public
    path.write_text(public)
    found = content.load_assignment(course, "attention").about
    assert before.deadline is not None
    assert found == msgspec.structs.replace(before, deadline=msgspec.structs.replace(before.deadline, extensions={}))


@pytest.mark.parametrize(
    "extensions", ['[deadline."extensions"]\n7', "deadline.extensions.7", '[deadline]\nextensions."7"']
)
def test_extensions_that_cannot_be_cut_out_are_not_released(course: Path, extensions: str) -> None:
    terms = 'due = 2026-12-01T23:59\nzone = "UTC"\n'
    toml = TOML.partition("[limits]")[0]
    if extensions.startswith("deadline"):
        toml = f"deadline.{terms.replace('zone', 'deadline.zone')}{extensions} = 2026-12-03T23:59\n{toml}"
    elif "\nextensions" in extensions:
        toml += f"{extensions} = 2026-12-03T23:59\n{terms}"
    else:
        toml += f"[deadline]\n{terms}{extensions} = 2026-12-03T23:59\n"
    (course / "assignments" / "attention" / "assignment.toml").write_text(toml)
    found = content.load_assignment(course, "attention")
    assert found.about.deadline is not None
    assert "7" in found.about.deadline.extensions
    with pytest.raises(UsageProblem, match="extensions must stand under"):
        content.public_description(found)


def test_a_description_without_extensions_is_released_as_it_is(course: Path) -> None:
    path = course / "assignments" / "attention" / "assignment.toml"
    path.write_bytes(TOML.replace("\n", "\r\n").encode())
    assert content.public_description(content.load_assignment(course, "attention")).encode() == path.read_bytes()


def test_a_wrong_type_is_told_for_the_right_key(course: Path) -> None:
    """A key's name may also stand in another section."""
    told = complaint(
        course, TOML.replace('minimum = "B"', "minimum = 3").replace("[sandbox]", "[sandbox]\n# minimum = 1")
    )
    assert ", line 16: key `minimum`" in told


def test_what_is_no_text(course: Path) -> None:
    path = course / "assignments" / "attention" / "assignment.toml"
    path.write_bytes(b'title = "Zo\xeb"\n')
    with pytest.raises(UsageProblem, match="is not valid TOML"):
        content.load_assignment(course, "attention")


@pytest.mark.parametrize("name", ["atention", "zzz", "", "../attention", "Attention", "attention/", "attention\n"])
def test_an_unknown_assignment(course: Path, name: str) -> None:
    with pytest.raises(UsageProblem, match="this course has: attention, masking") as problem:
        content.load_assignment(course, name)
    assert ("Did you mean attention?" in str(problem.value)) is (name not in ("zzz", ""))


def test_folders_that_are_no_assignment(course: Path) -> None:
    (course / "assignments" / "empty").mkdir()
    (course / "assignments" / "not-an-id").mkdir()
    (course / "assignments" / "not-an-id" / "assignment.toml").write_text(TOML)
    assert content.assignment_ids(course) == ["attention", "masking"]
    with pytest.raises(UsageProblem, match="this course has: none"):
        content.load_assignment(course / "reference", "attention")


def test_where_the_course_is_looked_for(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    shutil.copytree(course / "assignments", other / "assignments")
    checkout = content.course_folder()
    assert (checkout / "assignments").is_dir()
    assert checkout not in (course, other)
    monkeypatch.setenv("GRADER_COURSE", str(course))
    assert content.course_folder() == course.resolve()
    assert content.course_folder(other) == other.resolve()
    monkeypatch.setenv("GRADER_COURSE", "")
    assert content.course_folder() == checkout


def test_a_named_course_that_is_none(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageProblem, match="holds no folder `assignments`"):
        content.course_folder(course / "reference")
    monkeypatch.setenv("GRADER_COURSE", str(course / "nowhere"))
    with pytest.raises(UsageProblem, match="nowhere holds no folder `assignments`"):
        content.course_folder()
    assert content.course_folder(course) == course.resolve()


def test_templates_come_with_the_course_or_the_grader(course: Path) -> None:
    shipped = content.templates_folders(course)
    assert len(shipped) == 1
    assert (shipped[0] / "lang" / "en.html.j2").is_file()
    (course / "reports").mkdir()
    assert content.templates_folders(course) == (course / "reports", *shipped)


def test_what_is_public(course: Path) -> None:
    handout = course / "assignments" / "attention" / "handout"
    (handout / "data" / "__pycache__").mkdir(parents=True)
    (handout / "data" / "words.txt").write_text("a")
    (handout / "data" / "__pycache__" / "x.pyc").write_text("a")
    assignment = content.load_assignment(course, "attention")
    assert content.public_files(assignment) == [
        (handout / name, name) for name in ("attention.py", "check_a.py", "data/words.txt")
    ]
    assert content.misconceptions_file(assignment).parent == handout


@pytest.mark.parametrize("target", ["../hidden/test_a.py", "../hidden", "attention.py", "nowhere"])
@pytest.mark.parametrize("place", ["link", "data/link.py"])
def test_links_are_not_public(course: Path, target: str, place: str) -> None:
    assignment = content.load_assignment(course, "attention")
    link = assignment.handout_dir / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to((assignment.handout_dir / target).resolve())
    with pytest.raises(UsageProblem, match="is a symbolic link; a handout holds files only"):
        content.public_files(assignment)


GRADED = [
    *(f"assignments/attention/{name}" for name in ("assignment.toml", "handout/check_a.py", "hidden/test_a.py")),
    *("assignments/attention/hidden/helper.py", "reference/attention.py"),
]


@pytest.mark.parametrize("name", GRADED)
def test_the_fingerprint_knows_every_graded_file(course: Path, name: str) -> None:
    before = content.load_assignment(course, "attention").fingerprint
    assert content.load_assignment(course, "attention").fingerprint == before
    path = course / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert content.load_assignment(course, "attention").fingerprint != before


def test_the_fingerprint_knows_names_and_what_is_missing(course: Path) -> None:
    hidden = course / "assignments" / "attention" / "hidden"
    seen = {content.load_assignment(course, "attention").fingerprint}
    (hidden / "test_a.py").rename(hidden / "test_b.py")
    seen.add(content.load_assignment(course, "attention").fingerprint)
    (course / "reference" / "attention.py").unlink()
    seen.add(content.load_assignment(course, "attention").fingerprint)
    shutil.rmtree(hidden)
    seen.add(content.load_assignment(course, "attention").fingerprint)
    assert len(seen) == 4


def test_the_fingerprint_ignores_what_grades_nobody(course: Path) -> None:
    before = content.load_assignment(course, "attention").fingerprint
    (course / "assignments" / "attention" / "handout" / "README.md").write_text("new")
    (course / "assignments" / "masking" / "hidden" / "test_a.py").write_text("new")
    assert content.load_assignment(course, "attention").fingerprint == before


def test_a_course_may_be_public_only(course: Path) -> None:
    shutil.rmtree(course / "assignments" / "attention" / "hidden")
    shutil.rmtree(course / "reference")
    found = content.load_assignment(course, "attention")
    assert (found.hidden_dir, found.reference_file) == (None, None)
    assert [path.name for path in content.check_files(found, public_only=False)] == ["check_a.py"]
