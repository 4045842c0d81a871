"""What Gradescope's harness reads and what it gives, by its autograder documentation."""

from __future__ import annotations

import json
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from made import CHECKS, HOSTILE, SECRET, made_graded, made_result

from grader.errors import UsageProblem
from grader.exporters.attempts import Limit, refusal
from grader.exporters.autolab import Autolab
from grader.exporters.base import Earlier, Graded, Kit, Platform, Told
from grader.exporters.gradescope import Gradescope
from grader.exporters.openedx import OpenEdX
from grader.exporters.prairielearn import PrairieLearn

FORMATS = ["text", "html", "simple_format", "md", "ansi"]
VISIBILITIES = ["hidden", "after_due_date", "after_published", "visible"]
RESULTS: dict[str, Any] = {  # from Gradescope's "Autograder Specifications"
    "type": "object",
    "anyOf": [{"required": ["score"]}, {"required": ["tests"]}],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number", "minimum": 0},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": {"enum": FORMATS},
        "test_output_format": {"enum": FORMATS},
        "test_name_format": {"enum": FORMATS},
        "visibility": {"enum": VISIBILITIES},
        "stdout_visibility": {"enum": VISIBILITIES},
        "extra_data": {"type": "object"},
        "leaderboard": {"type": "array"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "name_format": {"enum": FORMATS},
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": {"enum": FORMATS},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": {"enum": VISIBILITIES},
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}
METADATA = {
    "id": 123456,
    "created_at": "2026-02-01T14:31:11.000000-08:00",
    "assignment": {
        "due_date": "2026-02-03T23:59:00.000000-08:00",
        "group_size": 4,
        "group_submission": True,
        "id": 25828,
        "course_id": 1234,
        "late_due_date": None,
        "release_date": "2026-01-20T00:00:00.000000-08:00",
        "title": "HW1: autograd",
        "total_points": "20.0",
        "outline": [{"a key": "that is not documented"}],
    },
    "submission_method": "upload",
    "users": [
        {"email": "student@example.com", "id": 1234, "name": "Student One"},
        {"email": "other@example.com", "id": 1235, "name": "Student Two", "sid": "0042"},
    ],
    "previous_submissions": [
        {
            "submission_time": "2026-02-01T12:15:33.000000-08:00",
            "score": 12.0,
            "autograder_error": False,
            "results": {"tests": [], "score": 12.0, "extra_data": {"seed": 7}},
        },
        {"submission_time": "2026-02-01T13:15:33.000000-08:00", "score": None, "autograder_error": True},
    ],
}


def written(graded: Graded) -> dict[str, Any]:
    """What the harness would read, by the rules of its documentation."""
    delivery = Gradescope().deliver(graded)
    assert delivery.exit_status == 0
    (content,) = delivery.files.values()
    assert list(delivery.files) == ["/autograder/results/results.json"]
    assert len(content.content) < 1 << 20
    found: dict[str, Any] = json.loads(content.content)
    jsonschema.validate(found, RESULTS)
    return found


def test_own_visibility_hides_what_the_author_hides() -> None:
    found = written(made_graded(made_result()))
    assert [test["visibility"] for test in found["tests"]] == ["visible", "visible", "hidden", "after_published"]
    assert [(test["score"], test["max_score"]) for test in found["tests"]] == [
        (20, 20),
        (0, 30),
        (0, 33.33),
        (0, 16.67),
    ]
    assert found["score"] == 20
    assert "20 of 50 points; 1 of 2 checks passed." in found["output"]  # of those that can be seen, and no total
    assert "of 100" not in found["output"]
    assert "softmax over the queries" in found["tests"][1]["output"]


def test_as_the_report_shows_all_and_the_total() -> None:
    found = written(made_graded(made_result(), hidden="report"))
    assert {test["visibility"] for test in found["tests"]} == {"visible"}
    assert "20 of 100 points; 1 of 4 checks passed." in found["output"]
    assert "Each head is narrow." in found["tests"][2]["output"]


@pytest.mark.parametrize("hidden", ["platform", "report"])
def test_nothing_of_hidden_checks_gets_out(hidden: Any) -> None:
    delivery = Gradescope().deliver(made_graded(made_result(), hidden))
    assert SECRET.encode() not in b"".join(file.content for file in delivery.files.values())


def test_points_are_those_of_the_platform() -> None:
    found = written(made_graded(made_result(score=83.335), hidden="report", points="20.0"))
    assert found["score"] == 16.67
    assert [test["max_score"] for test in found["tests"]] == [4, 6, 6.67, 3.33]


def test_hostile_texts_are_read_and_act_on_nothing() -> None:
    checks = tuple(msgspec.structs.replace(check, title=HOSTILE, feedback=HOSTILE * 3000) for check in CHECKS)
    found = written(made_graded(made_result(checks * 20, printed=HOSTILE * 10_000), hidden="report"))
    assert "\x1b" not in json.dumps(found)
    assert "\x00" not in found["output"]


def test_an_unloadable_file_is_a_zero_with_its_reason() -> None:
    found = written(made_graded(made_result((), score=0)))
    assert (found["score"], found["tests"]) == (0, [])
    assert "cannot be read as Python: line 3" in found["output"]


def test_what_could_not_be_graded_writes_no_result() -> None:
    delivery = Gradescope().decline("The sandbox broke.", Told())
    assert (dict(delivery.files), delivery.exit_status) == ({}, 1)
    assert "The sandbox broke." in delivery.stdout


def test_metadata_tells_people_time_points_and_what_came_before() -> None:
    told = Gradescope().told(json.dumps(METADATA).encode(), {})
    assert [(who.student, who.name) for who in told.people] == [
        ("student@example.com", "Student One"),
        ("0042", "Student Two"),
    ]
    assert (told.submitted_at, told.late, told.points) == (METADATA["created_at"], False, 20)
    assert [(one.score, one.failed) for one in told.earlier] == [(12, False), (None, True)]
    assert Gradescope().told(None, {}).notices


def test_times_that_cannot_be_compared_leave_lateness_open() -> None:
    about = {**METADATA["assignment"], "due_date": "2026-02-03T23:59:00"}
    told = Gradescope().told(json.dumps({**METADATA, "assignment": about, "users": None}).encode(), {})
    assert (told.late, told.people, told.points) == (None, (), 20)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"users": 3}', b'{"users": [{}]}', b'{"created_at": 3, "assignment": {"due_date": "x"}}', b"\xff"],
)
def test_other_metadata_is_refused_in_a_sentence(content: bytes) -> None:
    with pytest.raises(UsageProblem, match="is not what Gradescope documents"):
        Gradescope().told(content, {})


@pytest.mark.parametrize(
    ("attempts", "hours", "refused"), [(1, 24, True), (2, 24, False), (1, 2, False), (1, 2.5, True)]
)
def test_attempts_are_counted_by_the_time_of_handing_in(attempts: int, hours: float, refused: bool) -> None:
    told = Gradescope().told(json.dumps(METADATA).encode(), {})
    found = refusal(told, Limit(attempts, hours))
    assert (found is not None) is refused
    if found is not None:
        assert found.score == 12
        for hides in (False, True):
            (content,) = Gradescope().repeat(found.sentence, found.score, hides=hides).files.values()
            written = json.loads(content.content)
            jsonschema.validate(written, RESULTS)
            assert [test["visibility"] for test in written.get("tests", [])] == ["hidden"] * hides


def test_one_that_was_too_many_makes_nobody_wait_longer() -> None:
    """Of one a day: graded at 8, refused at 9, so that the next may come a day after 8, as its student was told."""
    earlier = tuple(Earlier(f"2026-02-01T0{hour}:00:00+00:00", Decimal(12)) for hour in (8, 9))
    soon = refusal(Told(submitted_at="2026-02-02T07:59:00+00:00", earlier=earlier), Limit(1, 24))
    assert soon is not None
    assert "after 2026-02-02 08:00" in soon.sentence
    assert refusal(Told(submitted_at="2026-02-02T08:00:01+00:00", earlier=earlier), Limit(1, 24)) is None


@pytest.mark.parametrize(("seconds", "minutes"), [(45, 1), (600, 10), (630, 11)])
def test_the_time_out_to_choose_is_in_whole_minutes(seconds: int, minutes: int) -> None:
    kit = Kit("attention", "Attention", ("attention.py",), seconds, 3072, (), {})
    assert f"a timeout of {minutes} minutes" in " ".join(Gradescope().package(kit).advice)


@pytest.mark.parametrize(
    ("platform", "seconds"), [(Gradescope(), 2401), (Autolab(), 901), (PrairieLearn(), 601), (OpenEdX(), 300)]
)
def test_no_package_asks_for_more_time_than_its_platform_gives(platform: Platform, seconds: int) -> None:
    with pytest.raises(UsageProblem, match="ask for"):
        platform.package(Kit("attention", "Attention", ("attention.py",), seconds, 3072, (), {}))


@pytest.mark.parametrize(
    "about",
    [
        {"submission_time": None},
        {"submission_time": ""},
        {"submission_time": "2026-02-04T12:00:00"},
        {"submission_time": "9999-12-31T23:59:59+00:00"},
        {"score": "NaN"},
        {"score": 1e400},
        {"score": "1e999999"},
    ],
)
def test_an_odd_earlier_submission_stops_nobody(about: dict[str, Any]) -> None:
    earlier = {**METADATA["previous_submissions"][0], **about}
    told = Gradescope().told(json.dumps({**METADATA, "previous_submissions": [earlier]}).encode(), {})
    assert refusal(told, Limit(1, 24)) is None


@pytest.mark.parametrize("points", ["1e30", "1e999999999", 10**40, 0, "-5", None])
def test_points_that_are_none_scale_nothing(points: object) -> None:
    metadata = {**METADATA, "assignment": {**METADATA["assignment"], "total_points": points}}
    assert Gradescope().told(json.dumps(metadata).encode(), {}).points is None


def test_the_zip_has_its_files_at_the_root(tmp_path: Path) -> None:
    kit = Kit("attention", "Attention", ("attention.py",), 600, 3072, ("--assignment", "attention"), {})
    package = Gradescope().package(kit)
    assert {"setup.sh", "run_autograder"} <= set(package.members)
    for name in ("setup.sh", "run_autograder"):
        member = package.members[name]
        assert member.executable
        assert member.content.startswith(b"#!")
        assert b"\r" not in member.content
        assert b"@" not in member.content
        (tmp_path / name).write_bytes(member.content)
        subprocess.run(["bash", "-n", tmp_path / name], check=True)
