"""What an XQueue of Open edX gives and takes, by its documentation and by how the LMS reads a reply."""

from __future__ import annotations

import base64
import json
import subprocess
import xml.etree.ElementTree as ET
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from made import CHECKS, HOSTILE, SECRET, made_graded, made_result

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Kit, Told
from grader.exporters.openedx import FILES, REPLY, OpenEdX, assignment_asked

INFO = {"anonymous_student_id": "ab12", "submission_time": "20261129101542", "random_seed": 1}


def content(response: object = "x = 1", payload: object = '{"grader": "hw1"}', **others: object) -> dict[str, Any]:
    """What `get_submission` gives: JSON in JSON in JSON."""
    body = {"student_response": response, "grader_payload": payload, "student_info": json.dumps(INFO), **others}
    header = json.dumps({"submission_id": 42, "submission_key": "f3c1"})
    return {"xqueue_header": header, "xqueue_body": json.dumps(body), "xqueue_files": "{}"}


def told(found: dict[str, Any]) -> Told:
    return OpenEdX().told(json.dumps(found).encode("ascii"), {})


def reply(delivery: Delivery) -> dict[str, Any]:
    """A reply as the LMS takes it: a dict of three keys, whose message `etree.fromstring` reads."""
    (written,) = delivery.files.values()
    assert list(delivery.files) == [REPLY]
    assert len(written.content) < 64 * 1024
    assert written.content.isascii()
    found: dict[str, Any] = json.loads(written.content)
    assert set(found) == {"correct", "score", "msg"}
    assert isinstance(found["correct"], bool)
    assert isinstance(found["score"], float)
    assert 0 <= found["score"] <= 1
    assert ET.fromstring(found["msg"]).tag == "div"
    assert "&nbsp;" not in found["msg"]
    return found


def test_what_is_told_of_a_submission() -> None:
    found = told(content("def f(x):\n    return 'é 🎓'\n"))
    assert [person.student for person in found.people] == ["ab12"]
    assert found.submitted_at == "2026-11-29T10:15:42+00:00"
    assert found.files == {"": "def f(x):\n    return 'é 🎓'\n".encode()}
    assert found.late is None


def test_both_servers_ways_of_telling_the_time() -> None:
    seconds = json.dumps({**INFO, "submission_time": "1795947342"})
    assert told(content(student_info=seconds)).submitted_at == "2026-11-29T10:15:42+00:00"
    unknown = told(content(student_info=json.dumps({**INFO, "submission_time": "soon"})))
    assert unknown.submitted_at is None
    assert "submission_time" in unknown.notices[0]


def test_uploaded_files_take_the_place_of_what_was_typed() -> None:
    found = content("") | {FILES: {"hw1.py": base64.b64encode(b"y = 2\n").decode()}}
    assert told(found).files == {"hw1.py": b"y = 2\n"}


@pytest.mark.parametrize(
    "broken",
    [b"", b"\xff", b"[]", b"{}", b'{"xqueue_body": "{"}', b'{"xqueue_body": "[]"}'],
    ids=["empty", "binary", "list", "no body", "half a body", "list in it"],
)
def test_what_no_queue_sends_is_refused(broken: bytes) -> None:
    with pytest.raises(UsageProblem, match=r"submission\.json"):
        OpenEdX().told(broken, {})


@pytest.mark.parametrize("response", [None, 3, ["x"], {"score": 1}])
def test_a_response_that_is_no_text_is_refused(response: object) -> None:
    with pytest.raises(UsageProblem, match="student_response"):
        told(content(response))


def test_a_response_that_plays_the_queue_stays_text() -> None:
    hostile = (
        '"}, "grader_payload": "{\\"grader\\": \\"easy\\"}", "score": 1, "grader_files": {"a": "b"}, "x": {"y": "\ud800'
    )
    found = content(hostile)
    assert assignment_asked(found) == "hw1"
    assert told(found).files == {"": hostile.encode("utf-8", "replace")}


def test_the_payload_names_the_assignment() -> None:
    assert assignment_asked(content(payload='{"grader": "hw1/"}')) == "hw1"
    assert assignment_asked(content(payload={"grader": "hw1"})) == "hw1"
    for payload in ("", "hw1", "[]", '{"other": 1}', None):
        with pytest.raises(UsageProblem, match="grader_payload"):
            assignment_asked(content(payload=payload))


def test_the_reply_has_score_and_words_and_nothing_hidden() -> None:
    found = reply(OpenEdX().deliver(made_graded(made_result(printed="1 < 2 & 3"))))
    assert (found["correct"], found["score"]) == (False, 0.2)
    words = "".join(ET.fromstring(found["msg"]).itertext())
    assert "20 of 100 points; 1 of 4 checks passed." in words
    assert "Hint: Each head is narrow." in words
    assert "You take the softmax over the queries." in words
    assert "1 < 2 & 3" in words
    assert SECRET not in json.dumps(found)


def test_correct_is_full_marks_alone() -> None:
    assert reply(OpenEdX().deliver(made_graded(made_result(score=100))))["correct"] is True
    assert reply(OpenEdX().deliver(made_graded(made_result(score=99.99))))["correct"] is False


def test_work_that_cannot_be_loaded_is_a_zero_with_its_reason() -> None:
    found = reply(OpenEdX().deliver(made_graded(made_result((), 0))))
    assert found["score"] == 0
    assert "line 3" in found["msg"]


@pytest.mark.parametrize("times", [1, 1_000])
def test_hostile_texts_of_any_length_stay_one_small_element(times: int) -> None:
    nasty = (HOSTILE + "]]></div><script>&nbsp;") * times
    checks = tuple(msgspec.structs.replace(check, feedback=nasty, title=nasty[:500]) for check in CHECKS * 8)
    found = reply(OpenEdX().deliver(made_graded(made_result(checks, printed=nasty))))
    assert found["score"] == 0.2
    assert {child.tag for child in ET.fromstring(found["msg"]).iter()} <= {"div", "p", "h4", "pre", "strong"}


def test_very_many_checks_leave_the_score() -> None:
    checks = tuple(msgspec.structs.replace(CHECKS[1], id=f"c{number}") for number in range(3000))
    assert "20 of 100 points" in reply(OpenEdX().deliver(made_graded(made_result(checks))))["msg"]


def test_what_could_not_be_graded_has_no_reply() -> None:
    delivery = OpenEdX().decline("a disk is full\x00", Told())
    assert not delivery.files
    assert delivery.exit_status != 0


def test_the_package_has_a_handler_and_a_loop(tmp_path: Path) -> None:
    kit = Kit("hw1", "T", ("hw1.py",), 240, 3072, ("--assignment", "hw1", "--for", "openedx"), {})
    members = OpenEdX().package(kit).members
    settings = json.loads(members["conf.d/grader.json"].content)["QUEUE"]
    assert settings["HANDLERS"][0]["HANDLER"] == "grader_xqueue.Grader"
    for name in ("setup.sh", "grade.sh", "pull.sh"):
        assert members[name].executable
        assert b"@" not in members[name].content.replace(b'"$@"', b"")
    compile(members["grader_xqueue.py"].content, "grader_xqueue.py", "exec")
    assert b"@" not in members["grader_xqueue.py"].content.replace(b"@staticmethod", b"")


@pytest.mark.parametrize("platform", ["openedx", "vpl", "submitty"])
def test_scripts_are_sound_shell(platform: str) -> None:
    folder = Path(str(resources.files("grader.exporters"))) / "scripts" / platform
    scripts = list(folder.glob("*.sh"))
    assert scripts or platform == "submitty"
    for script in scripts:
        assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0, script
