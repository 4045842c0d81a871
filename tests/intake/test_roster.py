"""Rosters as LMSs and spreadsheets write them, and whom hand-ins are given to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageProblem
from grader.intake.assigning import assigned
from grader.intake.layouts.base import HandIn, Who
from grader.intake.roster import read_roster, roster_from
from grader.model.roster import Claim, Finder, Roster, RosterPerson

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,HW1 (4711),Due
,,,,,Manual Posting,
    Points Possible,,,,,100.00,
"O'Neil, Zoë",12345,0017,zoneil,"Algebra, 1",,2026-12-01
"Chen, Wei",1001,0018,wchen,A,88.5,
"Chen, Wei",1002,0019,wchen2,A,,
"Student, Test",999,,d41d8cd98f00b204e9800998ecf8427e,A,,
"""
MOODLE = """\
Identifier,Full name,Email address,Status,Grade
Participant 29123,Zoë O'Neil,zoe@example.edu,Submitted for grading,-
Participant 29124,Wei Chen,wei@example.edu,No submission,-
"""
GERMAN = """\
Matrikelnummer;Nachname;Vorname;E-Mail-Adresse;Gruppe;Fristverlängerung
0012345;O'Neil;Zoë;zoe@example.edu;Team 7;1.12.2026 18:00
0012346;Groß;Jörg;joerg@example.edu;Team 7;
"""
BRIGHTSPACE = """\
OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator
#0012345,#zoneil,O'Neil,Zoë,zoe@example.edu,#
#0012346,#wchen,Chen,Wei,wei@example.edu,#
"""


def of(text: str, encoding: str = "utf-8") -> list[RosterPerson]:
    """The people in a table."""
    return list(roster_from(text.encode(encoding)).people)


def test_a_gradebook_of_canvas() -> None:
    zoe, wei, wei2 = of(CANVAS)
    assert zoe == RosterPerson("12345", "O'Neil, Zoë", ("12345", "0017"), ("zoneil",), extension="2026-12-01T23:59:00")
    assert zoe.called == "Zoë O'Neil"
    assert (wei.student, wei2.student, wei.extension) == ("1001", "1002", None)


def test_a_worksheet_of_moodle() -> None:
    zoe, _ = of(MOODLE)
    assert zoe == RosterPerson("Participant 29123", "Zoë O'Neil", ("Participant 29123",), (), ("zoe@example.edu",))


def test_a_worksheet_of_moodle_in_another_language() -> None:
    (zoe,) = of("ID,Vollständiger Name\nTeilnehmer/in29123,x\n".replace("in29", "in 29"))
    assert zoe.ids == ("Teilnehmer/in 29123", "Participant 29123")


def test_a_list_in_german() -> None:
    zoe, joerg = of(GERMAN)
    assert zoe == RosterPerson(
        "0012345", "O'Neil, Zoë", ("0012345",), (), ("zoe@example.edu",), "Team 7", "2026-12-01T18:00:00"
    )
    assert joerg.called == "Jörg Groß"


def test_a_list_of_brightspace() -> None:
    zoe, wei = of(BRIGHTSPACE)
    assert zoe == RosterPerson("0012345", "O'Neil, Zoë", ("0012345",), ("zoneil",), ("zoe@example.edu",))
    assert wei.logins == ("wchen",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("separator", ["\t", ";", ","])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_separators_and_line_ends(encoding: str, separator: str, end: str) -> None:
    rows = ["Name,ID,Email", "Zoë O'Neil,007,zoe@example.edu", "Jörg Groß,008,j@example.edu"]
    text = end.join(rows).replace(",", separator) + end
    assert [(person.student, person.name) for person in of(text, encoding)] == [
        ("007", "Zoë O'Neil"),
        ("008", "Jörg Groß"),
    ]


def test_what_stands_above_the_headings_is_passed_over() -> None:
    text = "sep=;\nCourse list, winter, 2026\n\nName;Student ID\nO'Neil, Zoë;007\n"
    assert [person.student for person in of(text)] == ["007"]


@pytest.mark.parametrize("cell", ["007", '"=""007"""', "'007", " 007 ", "#007"])
def test_ids_are_text(cell: str) -> None:
    assert [person.student for person in of(f"id,name\n{cell},Ann\n")] == ["007"]


@pytest.mark.parametrize(
    "heading",
    [
        *("ID", "Student ID", "student_id", "SIS User ID", "OrgDefinedId", "Matrikelnummer", "Matr.-Nr.", "SID"),
        *("Login", "SIS Login ID", "Username", "user name", "E-Mail", "Email Address", "E-Mail-Adresse", "netID"),
        *("Name", "Student", "Full name", "Vollständiger Name", "github_username", "roster_identifier", "ID number"),
    ],
)
def test_columns_have_many_names(heading: str) -> None:
    assert [person.student for person in of(f"x,{heading}\n1,ann\n")] == ["ann"]


@pytest.mark.parametrize(
    ("cell", "moment"),
    [
        ("2026-12-01", "2026-12-01T23:59:00"),
        ("2026-12-01 18:00", "2026-12-01T18:00:00"),
        ("2026-12-01T18:00:00", "2026-12-01T18:00:00"),
        ("2026-12-01T18:00:00Z", "2026-12-01T18:00:00+00:00"),
        ("2026-12-01 18:00+01:00", "2026-12-01T18:00:00+01:00"),
        ("1.12.2026", "2026-12-01T23:59:00"),
        ("01.12.2026, 18:00", "2026-12-01T18:00:00"),
        ("12/31/2026 6:00 PM", "2026-12-31T18:00:00"),
        ("31/12/2026", "2026-12-31T23:59:00"),
        ("12/12/2026", "2026-12-12T23:59:00"),
        ("", None),
    ],
)
def test_extensions(cell: str, moment: str | None) -> None:
    (person,) = of(f'id;extension\n1;"{cell}"\n')
    assert person.extension == moment


BAD = {
    "": "no column is called id, login, email or name; its first row is: empty",
    "a,b\n1,2\n": "no column is called id, login, email or name; its first row is: a, b",
    "id,name\n": "there is nobody in it",
    "id,name\n1,Ann\n1,Ben\n": "row 3: 1 stands for two people",
    "name\nWei Chen\nWei Chen\n": "row 3: Wei Chen stands for two people; tell them apart by ids",
    "id,extension\n1,2 days\n": "row 2: 2 days is no date; write it as 2026-11-29 23:59",
    "id,extension\n1,2026-11-29 soon\n": "row 2: 2026-11-29 soon is no time",
    "id,extension\n1,03/04/2026\n": "row 2: 03/04/2026 can be read in two ways; write 2026-MM-DD",
    "id,extension\n1,31.2.2026\n": "row 2: there is no such time as 31.2.2026",
    'id,name\n1,"Ann\n2,Ben\n': "its quotation marks do not match",
    "PK\3\4": "it is a workbook; save it as CSV",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_roster_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(text)
    with pytest.raises(UsageProblem) as told:
        read_roster(path)
    assert BAD[text] in str(told.value)
    assert str(told.value).startswith(f"The roster {path} cannot be used: ")


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, words in (("none", "cannot be read"), ("pipe", "not a regular file"), (".", "not a regular file")):
        with pytest.raises(UsageProblem, match=words):
            read_roster(tmp_path / name)


def test_the_same_row_twice_is_one_person() -> None:
    assert len(of("id,name\n1,Ann\n1,Ann\n")) == 1


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_bytes_are_a_roster_or_a_sentence(content: bytes) -> None:
    try:
        people = roster_from(content).people
    except ValueError:
        return
    assert people
    assert all(person.student for person in people)


def claim(student: str, name: str = "", *logins: str) -> Claim:
    """What a platform says."""
    return Claim((student, *logins), name or student)


PEOPLE = [
    RosterPerson("12345", "O'Neil, Zoë", ("12345", "0017"), ("zoneil",), ("zoe@example.edu",)),
    RosterPerson("1001", "Chen, Wei", ("1001",), ("wchen",)),
    RosterPerson("1002", "Chen, Wei", ("1002",), ("w_chen-2",)),
    RosterPerson("77", "Na Li", ("77",)),
    RosterPerson("78", "Na, Li", ("78",)),
    RosterPerson("79", "Ana García - López", ("79",)),
]


@pytest.mark.parametrize(
    ("what", "student"),
    [
        (claim("12345"), "12345"),
        (claim("0017"), "12345"),
        (claim("ZOneil"), "12345"),
        (claim("Zoe@Example.edu"), "12345"),
        (claim("9999999", "", "zoe@example.edu"), "12345"),
        (claim("w_chen-2"), "1002"),
        (claim("ChenWei_1001"), "1001"),
        (claim("ChenWei_1002"), "1002"),
        (claim("555", "Zoë ONeil"), "12345"),
        (claim("555", "oneilzoë"), "12345"),
        (claim("Zoe\u0308 O'Neil"), "12345"),
        (claim("Zoe O’Neil"), "12345"),
        (claim("O'Neil, Zoë"), "12345"),
        (claim("Na Li"), "77"),
        (claim("Li, Na"), "77"),
        (claim("Li Na"), "78"),
        (claim("Ana García López"), "79"),
        (claim("555", "garcíalópezana"), "79"),
        (claim("555", "lópezanagarcía"), "79"),
        (claim("Wei Chen"), None),
        (claim("chenwei"), None),
        (claim("17"), None),
        (claim("12345", "Na Li"), None),
        (claim("12345", "Somebody Else"), "12345"),
        (claim("12345", "", "wchen"), None),
        (claim("Zoë"), None),
        (claim("123456"), None),
    ],
)
def test_who_is_meant(what: Claim, student: str | None) -> None:
    match = Finder(Roster(tuple(PEOPLE))).find(what)
    assert (match.person.student if match.person else None) == student


def test_why_nobody_is_meant() -> None:
    finder = Finder(Roster(tuple(PEOPLE)))
    assert finder.find(claim("Wei Chen")).doubt == "2 people are called so: Wei Chen (1001), Wei Chen (1002)"
    assert finder.find(claim("12345", "Na Li")).doubt == "the id is Zoë O'Neil (12345)'s, but the name Na Li (77)'s"
    assert finder.find(claim("12345", "", "wchen")).doubt == "may be Zoë O'Neil (12345) or Wei Chen (1001)"
    assert finder.find(claim("nobody")).doubt == ""


def hand_in(*people: Who, **fields: Any) -> HandIn:
    """A hand-in without files."""
    return HandIn(people[0].student, people, {}, **fields)


def test_people_are_called_as_the_roster_calls_them() -> None:
    one, stranger = assigned([hand_in(Who("zoneil", "Z.")), hand_in(Who("x", "X"))], Roster(tuple(PEOPLE)))
    assert [(person.student, person.name) for person in one.people] == [("12345", "Zoë O'Neil")]
    assert [(person.student, person.name) for person in stranger.people] == [("x", "X")]


def test_two_that_claim_one_name_get_it_neither() -> None:
    found = assigned([hand_in(Who("Na Li")), hand_in(Who("Na Li (1)", "Na Li"))], Roster(tuple(PEOPLE)))
    assert [one.people[0].student for one in found] == ["Na Li", "Na Li (1)"]
    found = assigned([hand_in(Who("Na Li")), hand_in(Who("77"))], Roster(tuple(PEOPLE)))
    assert [one.people[0].student for one in found] == ["Na Li", "77"]


TEAM = (
    RosterPerson("1", "Ann", ("1",), group="Team 7", extension="2026-12-01T23:59:00"),
    RosterPerson("2", "Ben", ("2",), group="Team 7", extension="2026-12-02T23:59:00"),
    RosterPerson("3", "Cy", ("3",), group="Team 8"),
)


@pytest.mark.parametrize("name", ["1001", "wchen", "Mallory 1001", "Mallory_1001"])
def test_a_name_that_a_student_can_choose_is_no_id(name: str) -> None:
    (one,) = assigned([hand_in(Who(name, name, is_id=False))], Roster(tuple(PEOPLE)))
    assert [person.student for person in one.people] == [name]


def test_a_participant_of_moodle_is_no_id_of_somebody_else() -> None:
    roster = Roster((RosterPerson("29123", "Wei Chen", ("29123",)), RosterPerson("7", "O'Neil, Zoë", ("7",))))
    who = Who("29123", "Zoë ONeil", ("Participant 29123",), is_id=False)
    (one,) = assigned([hand_in(who)], roster)
    assert [person.student for person in one.people] == ["7"]
    (one,) = assigned([hand_in(who)], roster_from(MOODLE.encode()))
    assert [person.student for person in one.people] == ["Participant 29123"]


@pytest.mark.parametrize("who", [Who("512", "Team 7"), Who("2", "team7"), Who("Team_7")])
def test_a_team_is_all_its_members(who: Who) -> None:
    (one,) = assigned([hand_in(who)], Roster(TEAM))
    assert [person.student for person in one.people] == ["1", "2"]
    assert one.extension == "2026-12-02T23:59:00"


def test_somebody_else_cannot_hand_in_for_a_team() -> None:
    (one,) = assigned([hand_in(Who("3", "team7"))], Roster(TEAM))
    assert [person.student for person in one.people] == ["3"]


def test_members_are_found_one_by_one() -> None:
    (one,) = assigned([hand_in(Who("1", "Ann"), Who("x", "X"))], Roster(TEAM))
    assert [person.student for person in one.people] == ["1", "x"]


def test_without_a_roster_everybody_is_who_they_are() -> None:
    (one,) = assigned([hand_in(Who("1", "Ann"))], None)
    assert (one.people[0].student, one.people[0].name, one.extension) == ("1", "Ann", None)
