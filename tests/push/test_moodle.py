"""`grader push moodle`, against an imitation of Moodle's web services."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lms_moodle import Moodle
from lms_web import Answer, Asked, Fault

from grader.model.roster import Roster, RosterPerson
from grader.store import Run

Push = Callable[..., Any]


def is_save(asked: Asked) -> bool:
    """Whether a request gives a grade."""
    return asked.value("wsfunction") == "mod_assign_save_grade"


def saves(moodle: Moodle) -> list[str]:
    """The user ids that grades were saved for."""
    return [asked.value("userid") for asked in moodle.asked if is_save(asked)]


def test_numbers_of_a_download_become_users(moodle: Moodle, push_moodle: Push) -> None:
    moodle.enrol(11, "Eve", 999)  # her user id is Ada's number in the download
    ran = push_moodle()
    assert ran.status == 0, ran.err
    assert {user: float(grade["grade"]) for user, grade in moodle.grades.items()} == {301: 75, 302: 62.5, 303: 0}
    assert "- a &lt; b &amp; c (10 of 20 points)<br>" in moodle.comments[301]
    assert push_moodle().status == 0
    assert saves(moodle) == ["301", "302", "303"]


def test_a_dry_run_only_asks(moodle: Moodle, push_moodle: Push, run: Run) -> None:
    ran = push_moodle("--dry-run", "--report")
    assert ran.status == 0, ran.err
    assert "ada_11, Ada Lovelace (301): score none → 75" in ran.out
    assert not moodle.changes()
    assert not list(run.folder.glob("pushed-*"))


def test_without_the_mapping_ids_of_the_roster_tell(moodle: Moodle, push_moodle: Push, run: Run, result: Any) -> None:
    moodle.functions.remove("mod_assign_get_user_mappings")
    run.save(result("bob_12", "s12", 62.5))
    run.save_roster(
        Roster((RosterPerson("s12", "Bob", ("s12",)), RosterPerson("11", "Ada", ("11",), emails=("Ada@Example.edu",))))
    )
    ran = push_moodle()
    assert ran.status == 3
    assert sorted(saves(moodle)) == ["301", "302"]
    assert "cyd_13: held for staff: nobody of the roster" in ran.err
    assert "lacks mod_assign_get_user_mappings: whose the numbers of a download are stays unknown" in ran.err


def test_without_the_mapping_a_number_is_nobodys(moodle: Moodle, push_moodle: Push) -> None:
    moodle.functions.remove("mod_assign_get_user_mappings")
    moodle.enrol(307, "Gil", 999, idnumber="11")  # and no more than that
    ran = push_moodle()
    assert ran.status == 3
    assert "ada_11: the number “11” is nobody's in a download" in ran.err
    assert not saves(moodle)


def test_a_name_alone_is_never_enough(moodle: Moodle, push_moodle: Push, run: Run, result: Any) -> None:
    run.save(result("bob_12", "Bob Noyce", 62.5))
    ran = push_moodle()
    assert ran.status == 3
    assert "nobody in the assignment has the id “Bob Noyce”" in ran.err
    assert saves(moodle) == ["301", "303"]


def test_a_team_is_its_group_and_no_person_of_that_number(
    moodle: Moodle, push_moodle: Push, run: Run, result: Any
) -> None:
    moodle.about["teamsubmission"] = 1
    moodle.enrol(304, "Dee", 600, groupid=512, groupname="Team 7")
    moodle.enrol(305, "Fay", 601, groupid=512, groupname="Team 7")
    moodle.enrol(306, "Gil", 512)  # somebody's own number is that of the group
    run.save(result("team_512", "512", 90.0))
    ran = push_moodle()
    assert ran.status == 3  # 11, 12 and 13 are no groups
    assert saves(moodle) == ["304", "305"]
    assert moodle.grades[304]["grade"] == moodle.grades[305]["grade"] == "90.00000"


def test_dropped_connections_and_errors(moodle: Moodle, push_moodle: Push) -> None:
    broken = {"exception": "dml_write_exception", "errorcode": "dmlwriteexception", "message": "Error writing"}
    moodle.faults = [Fault(is_save, done=True), Fault(is_save, Answer(broken))]
    ran = push_moodle()
    assert ran.status == 3
    assert "Moodle says of mod_assign_save_grade: Error writing (dmlwriteexception)" in ran.err
    assert saves(moodle) == ["301", "302", "303"]
    assert push_moodle().status == 0
    assert saves(moodle) == ["301", "302", "303", "302"]


def test_comments_and_files_of_others_stay(moodle: Moodle, push_moodle: Push, run: Run, result: Any) -> None:
    push_moodle("--comments", "none")
    moodle.comments[301] = "<p>Come and see me.</p>"
    moodle.feedback_files[302] = {"notes.pdf": b"%PDF"}
    run.save(result("ada_11", "11", 80.0))
    assert push_moodle("--comments", "none").status == 0
    assert moodle.comments[301] == "<p>Come and see me.</p>"  # a score alone leaves it
    ran = push_moodle("--report")
    assert ran.status == 3
    assert "has a comment that is not from this run" in ran.err
    assert "has feedback files that are not from this run" in ran.err
    assert moodle.comments[301] == "<p>Come and see me.</p>"
    assert list(moodle.feedback_files[302]) == ["notes.pdf"]
    assert push_moodle("--report", "--overwrite").status == 0
    assert b"report of bob_12" in next(iter(moodle.feedback_files[302].values()))
    assert "80 of 100 points" in moodle.comments[301]
    assert push_moodle("--report").status == 0


def test_a_grade_given_by_hand_stays(moodle: Moodle, push_moodle: Push, run: Run, result: Any) -> None:
    push_moodle()
    moodle.grade(302, 90, grader=8)
    run.save(result("bob_12", "12", 70.0))
    ran = push_moodle()
    assert ran.status == 3
    assert "has score 90, given by Moodle user 8 at 2025-12-01T" in ran.err
    assert moodle.grades[302]["grade"] == "90.00000"


def test_a_rubric_that_ignores_the_grade_is_noticed(moodle: Moodle, push_moodle: Push) -> None:
    moodle.rubric = True
    ran = push_moodle()
    assert ran.status == 3
    assert "Moodle took the score 75 and has none: is it graded by a rubric?" in ran.err
    assert "0 sent" in ran.err


def test_the_marking_workflow_stays_where_it_is(moodle: Moodle, push_moodle: Push) -> None:
    moodle.about["markingworkflow"] = 1
    moodle.states = {301: "inmarking"}
    ran = push_moodle()
    assert "release them in Moodle" in ran.err
    assert moodle.states == {301: "inmarking", 302: "", 303: ""}


def test_what_the_service_or_the_assignment_lacks_is_said(moodle: Moodle, push_moodle: Push) -> None:
    moodle.functions.remove("core_files_upload")
    assert "service in Moodle lacks core_files_upload" in push_moodle("--report").err
    moodle.about["configs"] = [{**one, "value": "0"} for one in moodle.about["configs"]]
    assert "“comments” switched off" in push_moodle().err
    moodle.about["grade"] = -5
    assert "a scale or no grade" in push_moodle("--comments", "none").err
    assert not moodle.changes()


def test_the_number_in_the_address_is_not_the_assignment(moodle: Moodle, push_moodle: Push) -> None:
    ran = push_moodle("--assignment-id", 501)
    assert ran.status == 2
    assert "it is --assignment-id 77" in ran.err


def test_a_wrong_token_stops_all(moodle: Moodle, push_moodle: Push, monkeypatch: Any) -> None:
    monkeypatch.setenv("MOODLE_TOKEN", "anotherTokenThatIsWrong")
    ran = push_moodle()
    assert ran.status == 2
    assert "does not accept the token (invalidtoken)" in ran.err
    assert len(moodle.asked) == 1


def test_a_page_that_is_no_moodle(moodle: Moodle, push_moodle: Push) -> None:
    moodle.faults = [Fault(lambda _: True, Answer("<html>Welcome</html>"))]
    ran = push_moodle()
    assert ran.status == 3
    assert "did not answer as Moodle's web services do" in ran.err
