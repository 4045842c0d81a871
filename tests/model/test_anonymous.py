"""A class without names: what is found in texts, what stands in its place, and what stays."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.anonymous import veil_for
from grader.model.changes import Change
from grader.model.known_names import replacer
from grader.model.observation import Observation, tensor_to_json
from grader.model.result import CheckResult, Diagnosis, FileInfo, GradeResult, Printed, StudentError, SubmissionInfo
from grader.model.roster import Roster, RosterPerson, Standing, standing
from grader.model.submission import Person

MakeCheck = Callable[..., CheckResult]
MakeResult = Callable[..., GradeResult]

TEXT = "Wilhelmina (wfeather77, w.feather@uni.example, 90210456) saved /home/FEATHERSTONE2024/Featherstone_final.py"
WHO = [
    "wilhelmina",
    "featherstone",
    "wfeather77",
    "w.feather",
    "90210456",
    "blackwood",
    "quentin",
    "55512321",
    "zapata",
]
TENSOR = tensor_to_json("float32", (1,), [1.0])


def submission(id: str, **more: object) -> SubmissionInfo:
    """A submission of one file."""
    info = SubmissionInfo(id, id, None, f"{hash(id) & 0xFFFF:064x}", [FileInfo("tiny.py", "cd" * 32, 9)], "tiny.py")
    return msgspec.structs.replace(info, **more)


@pytest.fixture
def named(make_check: MakeCheck, make_result: MakeResult) -> GradeResult:
    """A group's result with its names wherever a text can be."""
    files = [FileInfo("hw/Featherstone_final.py", "ab" * 32, 1), FileInfo("tiny.py", "cd" * 32, 2)]
    check = make_check(
        "a",
        status="error",
        feedback=TEXT,
        staff_detail=TEXT,
        title="Wilhelmina's theorem",
        diagnosis=Diagnosis("slug", "Featherstone's error"),
        error=StudentError("FeatherstoneError", "featherstone_helper.py", 3),
        observations=[Observation("o", "same", "x", {"Blackwood": ["Quentin", 3, TENSOR]}, TEXT)],
    )
    about = submission(
        "featherstone_wilhelmina_90210456",
        student="90210456",
        name="Wilhelmina Featherstone",
        members=[Person("90210456", "Wilhelmina Featherstone"), Person("55512321", "Blackwood, Quentin")],
        files=files,
        graded_file="hw/Featherstone_final.py",
    )
    return make_result(
        "x",
        [check],
        submission=about,
        reason=TEXT,
        notices=[TEXT],
        staff_notices=[TEXT],
        stdout=TEXT,
        stderr=TEXT,
        printed_for_student=Printed(TEXT, TEXT),
    )


ROSTER = Roster(
    (
        RosterPerson(
            "90210456", "Featherstone, Wilhelmina", ("90210456",), ("wfeather77",), ("w.feather@uni.example",)
        ),
        RosterPerson("777000", "Ximena Zapata", ("777000",)),
    )
)


def test_no_text_of_a_result_tells_who(named: GradeResult) -> None:
    veil = veil_for([named], ROSTER, ["tiny.py"])
    hidden = veil.result(named)
    told = msgspec.json.encode(msgspec.structs.replace(hidden, checks=[])).decode().lower()
    assert [word for word in WHO if word in told] == []
    (check,) = hidden.checks
    told = msgspec.json.encode(msgspec.structs.replace(check, title="", diagnosis=None)).decode().lower()
    assert [word for word in WHO if word in told] == []
    assert (check.title, check.diagnosis) == (named.checks[0].title, named.checks[0].diagnosis)  # the author's
    about = hidden.submission
    assert (about.id, about.student, about.name, about.members) == ("student-001", "Student 001", "", [])
    assert [file.name for file in about.files] == ["[file 1]", "tiny.py"]
    assert about.graded_file == "[file 1]"
    assert hidden.notices == [
        "[name] ([name], [name], [name]) saved /home/[name]2024/[file]",
    ]
    assert check.observations[0].actual["[name]"][1:] == [3, TENSOR]
    assert hidden.score == named.score


def test_the_class_against_its_roster(named: GradeResult) -> None:
    veil = veil_for([named], ROSTER, [])
    people = standing(ROSTER, [named])
    assert people is not None
    hidden = veil.people(people)
    assert hidden is not None
    assert hidden.missing == (Person("Student 002"),)
    assert list(hidden.doubts) == ["student-001"]
    assert not [word for word in WHO if word in str(hidden).lower()]
    assert veil.people(None) is None
    hinted = veil.people(Standing(people.missing, {}, {"777000": named.submission.id}))
    assert hinted is not None
    assert hinted.hints == {"Student 002": "student-001"}


def test_numbers_follow_neither_ids_nor_names(make_result: MakeResult) -> None:
    results = [make_result("x", [], submission=submission(f"s{number:03}")) for number in range(40)]
    veil = veil_for(results, None, [])
    names = [veil.name(result.submission.id) for result in results]
    assert sorted(names) == [f"Student {number:03}" for number in range(1, 41)]
    assert names != sorted(names)
    assert [one.submission.student for one in veil.results(results)] == sorted(names)
    assert veil_for(results[::-1], None, []).name("s007") == veil.name("s007")
    assert veil.page("s007") == veil.name("s007").lower().replace(" ", "-")
    assert veil.name("nobody known") == "[name]"
    changed = veil.change(Change("s007", "1", "2", (), False))
    assert (changed.id, changed.after) == (veil.name("s007"), "2")


def test_many_people_have_longer_numbers(make_result: MakeResult) -> None:
    results = [make_result("x", [], submission=submission(f"s{number}")) for number in range(1001)]
    assert {len(veil_for(results, None, []).name(f"s{number}")) for number in (0, 500, 1000)} == {len("Student 0001")}


def test_words_of_every_folder_and_of_the_assignment_stay(make_result: MakeResult) -> None:
    results = [
        make_result("x", [], submission=submission(f"homework-{name}-tiny"))
        for name in ("ada", "bob", "cyd", "dan", "eve")
    ]
    veil = veil_for(results, None, ["tiny.py"])
    text = veil.text("the homework of Ada is tiny; gradation, data, dance, ADA_2, myBob, robob")
    assert text == "the homework of [name] is tiny; gradation, data, dance, [name]_2, my[name], robob"


def test_a_name_that_is_a_word_does_not_tell_whose_it_is(make_result: MakeResult) -> None:
    error = StudentError("KeyError", "tiny.py", 3)
    check = CheckResult("c", "C", "G", "error", "student", 0, 1, "hidden", error=error)
    results = [
        make_result("x", [check], submission=submission("1001", name="May Long")),
        make_result("x", [check], submission=submission("1002", name="Key Zhang")),
    ]
    veil = veil_for(results, None, [])
    assert veil.text("found Long and Float; Wei Zhang, 1002; 0.1001, 21001") == (
        "found [name] and Float; Wei [name], [name]; 0.1001, 21001"
    )
    hidden = veil.result(results[0]).checks[0].error
    assert hidden is not None
    assert hidden.type == "KeyError"  # what Python defines is nobody's name


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Jürgen Müller", "Juergen, MUELLER, jurgen, müller"), ("Hans Groß", "GROSS, gross, Groß"),
        ("Bjørn Ørsted", "Bjorn, Bjoern, Orsted, Oersted"), ("Łukasz Zażółć", "Lukasz, zazolc"),
    ],
)  # fmt: skip
def test_names_in_letters_of_other_keyboards(name: str, written: str, make_result: MakeResult) -> None:
    veil = veil_for([make_result("x", [], submission=submission("1001", name=name))], None, [])
    assert set(veil.text(written).split(", ")) == {"[name]"}


def test_numbers_of_missing_people_do_not_follow_from_the_list(make_result: MakeResult) -> None:
    roster = Roster(tuple(RosterPerson(f"p{number}", "", (f"p{number}",)) for number in range(30)))

    def order(sha256: str) -> list[str]:
        about = msgspec.structs.replace(submission("s1"), sha256=sha256)
        people = standing(roster, results := [make_result("x", [], submission=about)])
        veil = veil_for(results, roster, [])
        assert people is not None
        hints = {person.student: about.id for person in people.missing}
        hidden = veil.people(Standing(people.missing, {}, hints))
        assert hidden is not None
        return list(hidden.hints)

    assert sorted(order("ab" * 32)) == sorted(order("cd" * 32))
    assert order("ab" * 32) != order("cd" * 32)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Zoë", "[name]"), ("zoe", "[name]"), ("Zoe\u0308", "[name]"), ("Z\u200bo\u202eë", "[name]"), ("ZOË", "[name]"),
        ("Na Li", "[name]"), ("na_li.py", "[name].py"), ("Li, Na", "[name]"), ("line", "line"), ("nation", "nation"),
        ("王伟的作业", "[name]的作业"), ("on.py", "[file]"), ("attention.py", "attention.py"),
        ("Grünewald-Ångström", "[name]"),
    ],
)  # fmt: skip
def test_names_of_all_kinds(text: str, found: str, make_result: MakeResult) -> None:
    people = {"z1": "Zoë", "n1": "Na Li", "w1": "王伟", "g1": "Grünewald-Ångström"}
    results = [make_result("x", [], submission=submission(id, name=name)) for id, name in people.items()]
    odd = submission("odd", files=[FileInfo("on.py", "ab" * 32, 1)], graded_file="on.py")
    veil = veil_for([*results, make_result("x", [], submission=odd)], None, ["attention.py"])
    assert veil.text(text) == found


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), max_size=8), st.text(max_size=60))
def test_any_strings_can_be_known_and_any_text_read(known: list[str], text: str) -> None:
    replaced = replacer(dict.fromkeys(known, "[x]"))
    assert isinstance(replaced(text), str)
    for word in known:
        plain = " ".join(replacer({})(word).split())
        if len(plain) >= 6 and not plain.isdigit() and plain.isascii():
            assert (
                plain.lower() not in replaced(f"{text} {plain} {text}").lower().replace("[x]", "\n") or "[x]" in plain
            )


def test_a_text_is_cleaned_before_it_is_searched() -> None:
    assert replacer({"lovelace": "S"})("Love\u200blace\x1b[31m \ud800") == "S "
    assert replacer({})("a\x00b") == "ab"
    assert replacer({"ab": "S"})("ab") == "ab"  # too short to be looked for
