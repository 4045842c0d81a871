"""`grader push canvas` with the real client, against an imitation of Canvas."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lms_canvas import BASE, TOKEN, Canvas
from lms_web import Answer, Asked, Fault

from grader.model.roster import Roster, RosterPerson
from grader.store import Run

Push = Callable[..., Any]


def is_put(asked: Asked) -> bool:
    """Whether a request grades or comments."""
    return asked.method == "PUT"


def test_everybody_gets_score_and_comment_once(canvas: Canvas, push_canvas: Push) -> None:
    ran = push_canvas()
    assert ran.status == 0, ran.err
    assert [canvas.submissions[n]["score"] for n in (11, 12, 13)] == [75.0, 62.5, 0.0]
    assert "ada_11, Ada Lovelace (11): score none → 75, comment “Tiny exercise: 75 of 100 points, 1 of 3" in ran.out
    assert "3 sent, 0 had all already" in ran.err
    assert "1 of these are invalid" in ran.err
    assert "invalid syntax in line 1" in canvas.texts(13)[0]
    (text,) = canvas.texts(11)
    assert "- a < b & c (10 of 20 points)" in text
    assert len(canvas.puts()) == 3
    again = push_canvas()
    assert (again.status, len(canvas.puts())) == (0, 3)
    assert "0 sent, 3 had all already" in again.err


def test_a_dry_run_only_asks(canvas: Canvas, push_canvas: Push, run: Run) -> None:
    before = sorted(path.name for path in run.folder.iterdir())
    ran = push_canvas("--dry-run", "--report")
    assert ran.status == 0, ran.err
    assert canvas.asked
    assert not canvas.changes()
    assert sorted(path.name for path in run.folder.iterdir()) == before
    assert "score none → 62.5, comment “Tiny exercise: 62.5 of 100 points" in ran.out
    assert "file tiny-" in ran.out
    assert "nothing was sent: 3 would be sent" in ran.err


def test_a_second_run_sends_what_changed_alone(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    push_canvas()
    run.save(result("bob_12", "12", 80.0))
    assert push_canvas().status == 0
    run.save(result("ada_11", "11", 75.0, notices=["Another notice."]))
    assert push_canvas().status == 0
    bob, ada = canvas.puts()[3:]
    assert bob.path.endswith("/12")
    assert bob.value("submission[posted_grade]") == "80"
    assert ada.path.endswith("/11")
    assert not ada.values("submission[posted_grade]")  # the score is the same: the comment alone
    assert [len(canvas.texts(n)) for n in (11, 12, 13)] == [2, 2, 1]


def test_without_its_record_nothing_is_sent_twice(canvas: Canvas, push_canvas: Push, run: Run) -> None:
    push_canvas("--report")
    for path in run.folder.glob("pushed-*.json"):
        path.unlink()
    assert push_canvas("--report").status == 0
    assert len(canvas.puts()) == 3


def test_a_dropped_connection_is_looked_up(canvas: Canvas, push_canvas: Push) -> None:
    canvas.faults = [Fault(is_put, done=True), Fault(is_put, done=False)]
    ran = push_canvas()
    assert ran.status == 0, ran.err
    assert [len(canvas.texts(n)) for n in (11, 12, 13)] == [1, 1, 1]
    assert [asked.path[-2:] for asked in canvas.puts()] == ["11", "12", "12", "13"]
    assert "3 sent" in ran.err


def test_what_is_not_settled_is_settled_by_the_next_run(canvas: Canvas, push_canvas: Push) -> None:
    canvas.faults = [Fault(is_put, done=True, answer=Answer("gateway", 504)), Fault(is_put, done=False)]
    first = push_canvas("--tries", 1)
    assert first.status == 3
    assert "whether it arrived is not known, the next run looks" in first.err
    second = push_canvas("--tries", 1)
    assert second.status == 0
    assert [len(canvas.texts(n)) for n in (11, 12, 13)] == [1, 1, 1]
    assert "1 sent, 2 had all already" in second.err


def test_a_score_given_by_hand_stays(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    push_canvas()
    canvas.grade(12, 90.0, grader=9)
    assert "3 had all already" not in push_canvas("--dry-run").err
    run.save(result("bob_12", "12", 70.0))
    ran = push_canvas()
    assert ran.status == 3
    assert "has score 90, given by Terry Teacher (Canvas user 9) at 2026-12-01T10:00:00" in ran.err
    assert canvas.submissions[12]["score"] == 90.0
    assert len(canvas.texts(12)) == 1
    assert push_canvas("--overwrite").status == 0
    assert canvas.submissions[12]["score"] == 70.0


def test_a_first_push_keeps_scores_that_are_there(canvas: Canvas, push_canvas: Push) -> None:
    canvas.grade(11, 50.0, grader=9)
    canvas.grade(12, 62.5, grader=9)
    ran = push_canvas()
    assert ran.status == 3
    assert canvas.submissions[11]["score"] == 50.0
    assert "not from this run" in ran.err
    assert len(canvas.texts(12)) == 1  # the same score: no conflict


def test_the_excused_stay_excused(canvas: Canvas, push_canvas: Push) -> None:
    canvas.submissions[11]["excused"] = True
    ran = push_canvas()
    assert ran.status == 3
    assert "is excused in Canvas" in ran.err
    assert canvas.submissions[11]["score"] is None


def test_a_late_policy_of_canvas_is_no_change_by_hand(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    push_canvas()
    canvas.submissions[11]["score"] = 65.0  # what is left of the entered 75
    assert push_canvas().status == 0
    assert len(canvas.puts()) == 3


def test_limits_are_waited_for(canvas: Canvas, push_canvas: Push) -> None:
    canvas.faults = [
        Fault(is_put, Answer("403 Forbidden (Rate Limit Exceeded)", 403, {"Retry-After": "0"})),
        Fault(is_put, Answer({}, 429, {"Retry-After": "0"})),
        Fault(lambda asked: asked.path == BASE, Answer("", 503, {"Retry-After": "0"})),
    ]
    ran = push_canvas()
    assert ran.status == 0, ran.err
    assert len(canvas.puts()) == 5
    assert [len(canvas.texts(n)) for n in (11, 12, 13)] == [1, 1, 1]


def test_one_refusal_stops_nobody_else(canvas: Canvas, push_canvas: Push) -> None:
    canvas.faults = [
        Fault(is_put, Answer({"errors": [{"message": "user not authorized to perform that action"}]}, 401)),
        Fault(is_put, Answer({"message": "cannot be graded in a closed period"}, 422)),
    ]
    ran = push_canvas()
    assert ran.status == 3
    assert "not authorized" in ran.err
    assert "closed period" in ran.err
    assert canvas.submissions[13]["score"] == 0.0
    assert "1 sent, 0 had all already, 2 not sent" in ran.err
    assert push_canvas().status == 0


def test_reports_go_in_three_steps(canvas: Canvas, push_canvas: Push, run: Run) -> None:
    for confirm in (303, 201, 200):
        canvas.confirm = confirm
        run.save_report("ada_11", f"<!doctype html><p>report {confirm}")
        ran = push_canvas("--report")
        assert ran.status == 0, ran.err
    comments = canvas.submissions[11]["submission_comments"]
    sent = [canvas.files[one["attachments"][0]["id"]] for one in comments]
    assert [file["content"][-3:] for file in sent] == [b"303", b"201", b"200"]
    assert [bool(one["comment"]) for one in comments] == [True, False, False]
    assert len(canvas.submissions[12]["submission_comments"]) == 1


def test_a_confirmation_elsewhere_does_not_get_the_token(canvas: Canvas, push_canvas: Push) -> None:
    elsewhere = Answer("", 303, {"Location": "http://localhost:9/files/1"})
    canvas.faults = [Fault(lambda asked: asked.path == "/files_of_canvas", elsewhere)]
    ran = push_canvas("--report")
    assert ran.status == 3
    assert "another host, which does not get the token" in ran.err
    assert canvas.submissions[11]["score"] is None


def test_a_missing_report_is_said(canvas: Canvas, push_canvas: Push, run: Run) -> None:
    run.drop_report("bob_12")
    ran = push_canvas("--report", "--comments", "none")
    assert ran.status == 3
    assert "grader report" in ran.err
    assert [canvas.submissions[n]["score"] for n in (11, 12)] == [75.0, None]
    assert canvas.texts(11) == [""]


def test_redirects_do_not_carry_the_token(canvas: Canvas, push_canvas: Push) -> None:
    to = Canvas()
    canvas.faults = [Fault(lambda asked: asked.path == BASE, Answer("", 302, {"Location": "http://localhost:9/x"}))]
    ran = push_canvas()
    assert ran.status == 3
    assert "sends on to http://localhost:9; if that is right, name it with --url" in ran.err
    assert not to.asked
    assert len(canvas.asked) == 1


def test_scores_are_scaled(canvas: Canvas, push_canvas: Push) -> None:
    canvas.about["points_possible"] = 15.0
    ran = push_canvas()
    assert [canvas.submissions[n]["score"] for n in (11, 12)] == [11.25, 9.375]
    assert "Scores are of 100 points here and of 15 in Canvas" in ran.err


def test_assignments_without_points_are_refused(canvas: Canvas, push_canvas: Push) -> None:
    for change in ({"points_possible": None}, {"points_possible": 10, "grading_type": "pass_fail"}):
        canvas.about |= change
        assert push_canvas().status == 2
    assert not canvas.changes()


def test_ungraded_sends_nothing(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    run.save(result("bob_12", "12", None))
    ran = push_canvas()
    assert ran.status == 3
    assert "bob_12, Bob Noyce (12): ungraded, nothing is sent" in ran.err
    assert "1 not sent (1 of them ungraded)" in ran.err
    assert canvas.submissions[12]["score"] is None
    assert not canvas.texts(12)


def test_each_member_of_a_group(canvas: Canvas, push_canvas: Push, run: Run, result: Any, person: Any) -> None:
    canvas.enrol(14, "Dee Dee")
    canvas.groups = [{12, 14}]
    canvas.about |= {"group_category_id": 5, "grade_group_students_individually": False}
    run.save(result("bob_12", "12", 62.5, members=[person("12", "Bob"), person("14", "Dee")]))
    ran = push_canvas("--group-comment")
    assert ran.status == 0, ran.err
    assert "by group" in ran.err
    assert [canvas.submissions[n]["score"] for n in (12, 14)] == [62.5, 62.5]
    assert [len(canvas.texts(n)) for n in (12, 14)] == [1, 1]
    values = [asked.value("comment[group_comment]") for asked in canvas.puts()]
    assert values == ["true", "false", "false", "true"]
    assert push_canvas().status == 0
    assert len(canvas.puts()) == 4


def test_strangers_and_doubles_are_told(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    run.save(result("eve", "eve", 100.0))
    run.save(result("ada-2", "s11", 20.0))  # Ada's official id
    canvas.enrol(15, "Fay", sis_user_id="12")  # may be Bob's number in Canvas, too
    ran = push_canvas()
    assert ran.status == 3
    assert "nobody in the assignment has the id “eve”" in ran.err
    assert "Ada Lovelace (11) has several results: ada-2, ada_11" in ran.err
    assert "“12” may be Bob Noyce (12) or Fay (15)" in ran.err
    assert [asked.path[-2:] for asked in canvas.puts()] == ["13"]


def test_a_bare_number_is_the_downloads_or_nobodys(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    canvas.enrol(14, "Dee", sis_user_id="4711")
    run.save(result("bob_12", "4711", 62.5))  # perhaps a number of another course's download
    ran = push_canvas()
    assert ran.status == 3
    assert "the number “4711” is nobody's in a download" in ran.err
    assert [asked.path[-2:] for asked in canvas.puts()] == ["11", "13"]
    run.save_roster(Roster(tuple(RosterPerson(one, ids=(one,)) for one in ("11", "4711", "13"))))
    assert push_canvas().status == 0
    assert canvas.submissions[14]["score"] == 62.5


def test_only_names_submissions(canvas: Canvas, push_canvas: Push) -> None:
    assert push_canvas("--only", "nobody").status == 2
    assert push_canvas("--only", "bob_12").status == 0
    assert [asked.path[-2:] for asked in canvas.puts()] == ["12"]


def test_a_wrong_token_stops_all(canvas: Canvas, push_canvas: Push, monkeypatch: Any) -> None:
    monkeypatch.setenv("CANVAS_TOKEN", "7~someOtherTokenThatIsWrong")
    ran = push_canvas()
    assert ran.status == 2
    assert "does not accept the token" in ran.err
    assert len(canvas.asked) == 1
    assert "someOtherToken" not in ran.all


def test_two_at_once_are_refused(canvas: Canvas, push_canvas: Push, run: Run) -> None:
    run.prepare()
    ran = push_canvas()
    assert ran.status == 2
    assert "another grader" in ran.err
    assert not canvas.asked


def test_a_broken_record_stops_before_anything_is_sent(canvas: Canvas, push_canvas: Push, run: Run) -> None:
    push_canvas()
    (record,) = run.folder.glob("pushed-*.json")
    record.write_text("{")
    canvas.asked.clear()
    ran = push_canvas()
    assert ran.status == 2
    assert "record of what was sent" in ran.err
    assert not canvas.changes()


def test_a_token_file_that_others_can_read_is_refused(canvas: Canvas, push_canvas: Push, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o644)
    ran = push_canvas("--token-file", file)
    assert ran.status == 2
    assert re.fullmatch(r"grader: Others can read .*; run: chmod 600 .*\n", ran.err)
    assert not canvas.asked


def test_a_netrc_does_not_take_the_place_of_the_token(
    canvas: Canvas, push_canvas: Push, tmp_path: Path, monkeypatch: Any
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    assert push_canvas().status == 0
    assert {asked.headers["authorization"] for asked in canvas.asked} == {f"Bearer {TOKEN}"}


def test_an_anonymous_run_tells_no_names(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    run.save_anonymous("student-001", "<!doctype html>")
    run.save(result("eve", "eve", 100.0))
    run.drop_report("bob_12")
    ran = push_canvas("--dry-run", "--report")
    assert ran.status == 3
    assert ran.all.count("Student 00") == 4
    assert not re.search("ada_|lovelace|bob|eve", ran.all, re.IGNORECASE)


def test_the_token_is_nowhere(canvas: Canvas, push_canvas: Push, run: Run) -> None:
    echo = {"errors": [{"message": f"You sent Bearer {TOKEN}, which may not do this"}]}
    said = ""
    for fault in (
        Fault(is_put, Answer(echo, 403)),
        Fault(is_put, done=True),
        Fault(lambda asked: asked.path == BASE, Answer(echo, 401, {"WWW-Authenticate": "Bearer"})),
        Fault(lambda asked: asked.path == BASE, Answer(f"<html>{TOKEN}</html>")),
        Fault(lambda asked: asked.path == BASE, Answer("", 302, {"Location": f"https://example.edu/?token={TOKEN}"})),
    ):
        canvas.faults = [fault]
        said += push_canvas("--report").all
    assert "You sent Bearer [token], which may not do this" in said
    assert TOKEN not in said
    written = [path.read_bytes() for path in run.folder.rglob("*") if path.is_file()]
    assert len(written) == 7
    assert not [content for content in written if TOKEN.encode() in content]
    assert TOKEN not in " ".join(f"{asked.path} {asked.query}" for asked in canvas.asked)


def test_pages_at_another_address_are_told(canvas: Canvas, push_canvas: Push) -> None:
    other = {"Link": '<https://other.example.edu/api/v1/courses/101?page=2>; rel="next"'}
    first = [canvas.submissions[11]]
    canvas.faults = [Fault(lambda asked: asked.path == f"{BASE}/submissions", Answer(first, headers=other))]
    ran = push_canvas()
    assert ran.status == 3
    assert "another address than --url" in ran.err
    assert not canvas.changes()


def test_three_unknown_in_a_row_stop_all(canvas: Canvas, push_canvas: Push) -> None:
    canvas.enrol(14, "Dee")
    canvas.faults = [Fault(is_put, done=True)] * 3
    ran = push_canvas("--tries", 1)
    assert ran.status == 3
    assert "in trouble: of 3 in a row nobody knows. What was sent is noted" in ran.err
    assert push_canvas().status == 0
    assert [len(canvas.texts(number)) for number in (11, 12, 13)] == [1, 1, 1]


def test_a_token_that_is_revoked_on_the_way(canvas: Canvas, push_canvas: Push) -> None:
    gone = Answer({"errors": [{"message": "Revoked access token."}]}, 401, {"WWW-Authenticate": "Bearer"})
    canvas.faults = [Fault(lambda asked: is_put(asked) and asked.path.endswith("/12"), gone)]
    ran = push_canvas()
    assert ran.status == 3
    assert "1 sent, 0 had all already" in ran.err
    assert "does not accept the token" in ran.err
    assert push_canvas().status == 0
    assert [len(canvas.texts(number)) for number in (11, 12, 13)] == [1, 1, 1]


def test_an_lms_that_rounds(canvas: Canvas, push_canvas: Push, run: Run, result: Any) -> None:
    canvas.about["points_possible"] = 5.0
    canvas.decimals = 2
    run.save(result("ada_11", "11", 99.99))
    assert push_canvas().status == 0
    assert push_canvas().status == 0
    assert len(canvas.puts()) == 3
    canvas.grade(12, 5.0, grader=9)  # all points, given by hand
    run.save(result("bob_12", "12", 99.99))
    ran = push_canvas()
    assert ran.status == 3
    assert "has score 5, given by" in ran.err


def test_a_group_without_members_is_told_by_one(canvas: Canvas, push_canvas: Push) -> None:
    canvas.enrol(14, "Dee Dee")
    canvas.groups = [{12, 14}]
    canvas.about["group_category_id"] = 5
    assert push_canvas("--group-comment").status == 0
    assert [canvas.submissions[number]["score"] for number in (12, 14)] == [62.5, 62.5]
    assert [len(canvas.texts(number)) for number in (12, 14)] == [1, 1]
    assert push_canvas("--group-comment").status == 0
    assert len(canvas.puts()) == 3
