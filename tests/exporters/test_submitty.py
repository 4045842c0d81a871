"""What Submitty's validator reads of a custom validator, by its documentation and its own arithmetic."""

from __future__ import annotations

import json
import math
import runpy
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import numpy as np
import pytest
from containers import SOURCES, VERSION, Container, Workshop, needs_container
from made import CHECKS, HOSTILE, SECRET, made_graded, made_result

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Kit, Member, Told, script
from grader.exporters.submitty import Submitty

INPUT = {
    "method": "custom_validator",
    "command": "python3 grader.py",
    "actual_file": "STDOUT.txt",
    "testcase_prefix": "test01/",
    "username": "zoneil",
}
STATUSES = {"information", "failure", "warning", "success"}


def taken(content: bytes) -> tuple[float, list[dict[str, str]]] | None:
    """Score and messages that Submitty takes from a results file; None for a failed validation."""
    found: dict[str, Any] = json.loads(content)
    assert isinstance(found["status"], str)
    if found["status"] != "success":
        assert isinstance(found["message"], str)
        return None
    score, messages = found["data"]["score"], found["data"]["message"]
    assert isinstance(score, float)
    assert 0 <= score <= 1
    assert messages
    for message in messages:
        assert set(message) == {"message", "status"}
        assert isinstance(message["message"], str)
        assert message["status"] in STATUSES
    return score, messages


def awarded(score: float, points: int) -> int:
    """The points of a test case with one autocheck: single precision, then rounded down."""
    grade = float(np.float32(score))
    return math.floor(max(0.0, min(1.0, 1.0 - 1.0 * (1 - grade))) * points)


def written(delivery: Delivery) -> bytes:
    (found,) = delivery.files.items()
    assert found[0] == "validation_results.json"
    return found[1].content


def test_every_score_is_awarded_in_whole_points() -> None:
    for cents in range(0, 10_001, 7):
        score = cents / 100
        found = taken(written(Submitty().deliver(made_graded(made_result(score=score)))))
        assert found is not None
        assert awarded(found[0], 100) == cents // 100, score
    for whole in range(101):
        found = taken(written(Submitty().deliver(made_graded(made_result(score=whole)))))
        assert found is not None
        assert awarded(found[0], 100) == whole


def test_full_marks_and_none_are_exact() -> None:
    for score in (0, 100):
        found = taken(written(Submitty().deliver(made_graded(made_result(score=score)))))
        assert found is not None
        assert found[0] == score / 100


def test_messages_have_what_a_student_may_read() -> None:
    content = written(Submitty().deliver(made_graded(made_result(printed="hello"))))
    found = taken(content)
    assert found is not None
    words = [message["message"] for message in found[1]]
    assert words[0] == "20 of 100 points; 1 of 4 checks passed."
    assert any("Hint: Each head is narrow." in text for text in words)
    assert any("hello" in text for text in words)
    assert SECRET.encode() not in content


def test_work_that_cannot_be_loaded_is_a_zero_with_its_reason() -> None:
    found = taken(written(Submitty().deliver(made_graded(made_result((), 0)))))
    assert found is not None
    assert found[0] == 0
    assert "line 3" in found[1][0]["message"]


@pytest.mark.parametrize("times", [1, 1_000])
def test_hostile_texts_of_any_length_stay_messages(times: int) -> None:
    nasty = HOSTILE * times
    checks = tuple(msgspec.structs.replace(check, feedback=nasty, title=nasty[:500]) for check in CHECKS * 8)
    content = written(Submitty().deliver(made_graded(made_result(checks, printed=nasty))))
    assert content.isascii()
    assert len(content) < 100_000
    found = taken(content)
    assert found is not None
    assert not any("\x00" in message["message"] or "\x1b" in message["message"] for message in found[1])


def test_what_could_not_be_graded_is_a_failed_validation() -> None:
    assert taken(written(Submitty().decline("a disk is full\x00", Told()))) is None


def test_who_handed_in_is_told() -> None:
    assert [person.student for person in Submitty().told(json.dumps(INPUT).encode(), {}).people] == ["zoneil"]
    assert Submitty().told(None, {}).notices
    with pytest.raises(UsageProblem, match="custom_validator_input"):
        Submitty().told(b"[1", {})


def test_the_configuration_is_json_with_one_test_case() -> None:
    common = {name: Member(b"x") for name in ("install.sh", "grader/a.py", "course/hidden/test.py", "known.msgpack")}
    kit = Kit("hw1", 'Q "1"', ("hw1.py",), 120, 3072, ("--assignment", "hw1"), common)
    members = Submitty().package(kit).members
    config = json.loads(members["config/config.json"].content)
    (case,) = config["testcases"]
    assert (case["title"], case["points"], case["validation"][0]["method"]) == ('Q "1"', 100, "custom_validator")
    assert {name for name in members if name.startswith("server/")} == {"server/install.sh", "server/grader/a.py"}
    compile(members["config/custom_validation_code/grader.py"].content, "grader.py", "exec")
    assert Decimal(config["resource_limits"]["RLIMIT_CPU"]) == 120


def test_a_folder_named_as_submittys_own_files_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student may hand one in; Submitty's own file of such a name is not graded."""
    values = {"OPTIONS": "", "SECONDS": "10"}
    (tmp_path / "grader.py").write_bytes(script("submitty", "grader.py", values))
    (tmp_path / "custom_validator_input.json").write_text(json.dumps(INPUT))
    (tmp_path / "test01" / "STDOUT_mine.txt").mkdir(parents=True)
    (tmp_path / "test01" / "STDOUT.txt").write_text("tiny.py\n")
    with zipfile.ZipFile(tmp_path / "grader_course.zip", "w"):
        pass
    ran = Mock()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("subprocess.run", ran)
    monkeypatch.setattr("os.umask", Mock())
    runpy.run_path("grader.py", run_name="__main__")
    assert ran.called
    assert [path.name for path in (tmp_path / "test01").iterdir()] == ["STDOUT_mine.txt"]


@needs_container
@pytest.mark.full
def test_the_validator_gives_the_marks_of_grade(workshop: Workshop) -> None:
    """As Submitty does: the validator's code beside the folder of the test case, in tmp_work."""
    package = workshop.package("submitty", "--seconds", "60")
    environment = workshop.installed(package / "server")
    for name in ("wrong", "broken"):
        text = SOURCES[name]
        work = workshop.folder / f"submitty-{name}"
        (work / "test01").mkdir(parents=True)
        (work / "test01" / "tiny.py").write_text(text)
        (work / "test01" / "STDOUT.txt").write_text("tiny.py\n")
        (work / "custom_validator_input.json").write_text(json.dumps(INPUT))
        (work / "validation_results.json").write_text('{"status": "success", "data": {"score": 1, "message": "mine"}}')
        for file in (package / "config" / "custom_validation_code").iterdir():
            (work / file.name).write_bytes(file.read_bytes())
        container = Container({"/tmp_work": work}, {"/opt/grader": environment})
        limits = json.loads((package / "config" / "config.json").read_bytes())["resource_limits"]
        names = {"RLIMIT_CPU": "cpu", "RLIMIT_AS": "as", "RLIMIT_NPROC": "nproc", "RLIMIT_NOFILE": "nofile"}
        bounds = [f"--{short}={limits[name]}" for name, short in names.items()]
        ran = container.run(["prlimit", *bounds, VERSION, "grader.py"], cwd="/tmp_work")
        found = taken((work / "validation_results.json").read_bytes())
        assert found is not None, ran.stderr
        assert awarded(found[0], 100) == math.floor(workshop.expected[name]["score"]), name


@needs_container
@pytest.mark.full
def test_a_validator_that_cannot_start_fails(workshop: Workshop) -> None:
    package = workshop.package("submitty", "--seconds", "60")
    work = workshop.folder / "submitty-nothing"
    (work / "test01").mkdir(parents=True)
    (work / "custom_validator_input.json").write_text(json.dumps(INPUT))
    code: Path = package / "config" / "custom_validation_code"
    for file in code.iterdir():
        (work / file.name).write_bytes(file.read_bytes())
    Container({"/tmp_work": work}).run([VERSION, "grader.py"], cwd="/tmp_work")
    assert taken((work / "validation_results.json").read_bytes()) is None
