"""Coursera: its files, held against its documented rules; the package, run as another user than root."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from containers import SOURCES, Container, Workshop, needs_container
from hostile import graded, hidden, hostile_results, invalid, late, passed, result
from jsonschema import Draft202012Validator

from grader.errors import UsageProblem
from grader.exporters.base import Kit, Member, Told
from grader.exporters.coursera import Coursera
from grader.model.submission import Person

PLATFORM = Coursera()
SCHEMA = Draft202012Validator(json.loads((Path(__file__).parent / "coursera_feedback.schema.json").read_text("utf-8")))
PAGE, FEEDBACK = "/shared/htmlFeedback.html", "/shared/feedback.json"


def written(delivery: Any) -> dict[str, Any]:
    """What Coursera reads of a delivery; it must keep all of its rules."""
    assert delivery.exit_status == 0
    assert set(delivery.files) == {PAGE, FEEDBACK}  # the page's name goes with feedbackType
    content = delivery.files[FEEDBACK].content
    assert len(content) < 64_000
    found: dict[str, Any] = json.loads(content)
    SCHEMA.validate(found)
    assert found["feedbackType"] == "HTML"
    assert len(found["feedback"].encode("utf-8")) < 64_000
    return found


def test_a_result_is_as_documented() -> None:
    delivery = PLATFORM.deliver(graded(late(result([passed("a"), hidden("b", "SECRET")]), 2.0), "<!doctype html>é"))
    found = written(delivery)
    assert found["fractionalScore"] == 10.5 / 20
    assert "One day late costs 2 points." in found["feedback"]
    assert "A title [2.5 of 10 points]" in found["feedback"]
    assert delivery.files[PAGE].content == "<!doctype html>é".encode()
    assert "SECRET" not in found["feedback"]


@pytest.mark.parametrize(("points", "score"), [(0.0, 0.0), (10.0, 1.0)])
def test_nought_and_one_are_numbers_and_no_truth_values(points: float, score: float) -> None:
    found = written(PLATFORM.deliver(graded(result([passed("a", points=points)]))))
    assert found["fractionalScore"] == score
    assert type(found["fractionalScore"]) is float
    assert not SCHEMA.is_valid(found | {"fractionalScore": bool(score)})


def test_what_cannot_be_loaded_is_a_mark_of_nought_with_its_reason() -> None:
    found = written(PLATFORM.deliver(graded(invalid("tiny.py has a syntax error in line 1."))))
    assert found["fractionalScore"] == 0
    assert "syntax error in line 1" in found["feedback"]


def test_what_could_not_be_graded_is_a_grader_that_failed() -> None:
    delivery = PLATFORM.decline("The autograder could not start.", Told())
    assert delivery.files == {}
    assert delivery.exit_status != 0
    assert "could not start" in delivery.stdout


def test_hostile_texts_keep_every_rule() -> None:
    for one in hostile_results():
        assert written(PLATFORM.deliver(graded(one)))["fractionalScore"] == (one.score or 0) / one.max_score


def test_the_learner_is_in_the_environment() -> None:
    assert PLATFORM.told(None, {"userId": "4711", "partId": "xY", "filename": "a"}).people == (Person("4711", ""),)
    assert PLATFORM.told(None, {}) == Told()


def kit(**fields: Any) -> Kit:
    """What a package is made of."""
    values: dict[str, Any] = {
        "assignment": "tiny",
        "title": "Tiny",
        "names": ("tiny.py",),
        "seconds": 1200,
        "memory_mb": 4096,
        "options": ("--assignment", "tiny", "--for", "coursera"),
        "common": {"install.sh": Member(b""), "course/x": Member(b"")},
    }
    return Kit(**(values | fields))


def test_the_dockerfile_is_at_the_root_and_limits_are_those_that_coursera_offers() -> None:
    package = PLATFORM.package(kit(memory_mb=4500, seconds=60))
    assert set(package.members) == {"Dockerfile", "run.sh", "install.sh", "course/x"}
    assert b"--assignment tiny --for coursera" in package.members["run.sh"].content
    assert package.members["run.sh"].executable
    assert "--grader-memory-limit 5120 --grader-timeout 300" in package.advice[1]
    with pytest.raises(UsageProblem, match="3600 seconds at most"):
        PLATFORM.package(kit(seconds=3601))


@needs_container
@pytest.mark.full
def test_the_package_gives_the_marks_of_grade_as_another_user(workshop: Workshop) -> None:
    source = workshop.package("coursera", "--seconds", "60")
    environment = workshop.installed(source)
    source.joinpath("course").chmod(0o755)
    for path in [*source.joinpath("course").rglob("*"), source / "known.msgpack"]:
        path.chmod(0o755 if path.is_dir() else 0o644)  # as the Dockerfile has it
    for name in ("right", "wrong"):
        shared = workshop.folder / f"shared-{name}"
        (shared / "submission").mkdir(parents=True)
        (shared / "submission" / "tiny.py").write_text(SOURCES[name])
        shared.chmod(0o777)
        container = Container({"/shared": shared}, {"/opt/grader": environment, "/opt/grader-files": source})
        command = ["/usr/bin/setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"]
        ran = container.run([*command, "/opt/grader-files/run.sh"], environment={"userId": "4711", "partId": "xY"})
        assert ran.returncode == 0, ran.stderr
        found = json.loads((shared / "feedback.json").read_bytes())
        SCHEMA.validate(found)
        expected = workshop.expected[name]
        assert found["fractionalScore"] == pytest.approx(expected["score"] / expected["max_score"]), name
        assert (shared / "htmlFeedback.html").read_text("utf-8").startswith("<!")
