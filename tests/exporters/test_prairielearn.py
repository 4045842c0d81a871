"""PrairieLearn: its files, held against its documented rules; the package, run in a container like its own."""

from __future__ import annotations

import base64
import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from containers import SOURCES, Container, Workshop, needs_container
from hostile import graded, hidden, hostile_results, invalid, late, passed, result
from jsonschema import Draft202012Validator

from grader.errors import UsageProblem
from grader.exporters.base import Kit, Member, Package, Told
from grader.exporters.prairielearn import PrairieLearn

SCRIPTS = Path(__file__).parent.parent.parent / "grader" / "exporters" / "scripts"
PLATFORM = PrairieLearn()
MIB = 1024 * 1024


def schema(name: str) -> Draft202012Validator:
    """A schema of this folder, written from the documentation."""
    text = (Path(__file__).parent / f"{name}.schema.json").read_text("utf-8")
    return Draft202012Validator(json.loads(text))


def written(delivery: Any) -> dict[str, Any]:
    """What PrairieLearn reads of a delivery; it must keep all of its rules."""
    assert delivery.exit_status == 0  # else PrairieLearn reads nothing
    (path, file), *others = delivery.files.items()
    assert (path, others) == ("/grade/results/results.json", [])
    assert len(file.content) <= MIB
    found: dict[str, Any] = json.loads(file.content)
    schema("prairielearn_results").validate(found)
    assert "\\u0000" not in json.dumps(found)
    return found


def test_a_result_is_as_documented() -> None:
    found = written(PLATFORM.deliver(graded(late(result([passed("a"), hidden("b", "SECRET")]), 2.0))))
    assert found["score"] == 10.5 / 20
    assert found["gradable"] is True
    assert "One day late costs 2 points." in found["message"]
    assert [(test["points"], test["max_points"]) for test in found["tests"]] == [(10, 10), (2.5, 10)]
    assert "SECRET" not in json.dumps(found)


def test_full_marks_are_exactly_one() -> None:
    parts = [passed(f"t{number}", points=33.33, max_points=33.33) for number in range(3)]
    assert written(PLATFORM.deliver(graded(result(parts))))["score"] == 1.0


def test_what_cannot_be_loaded_is_a_mark_of_nought_with_its_reason() -> None:
    found = written(PLATFORM.deliver(graded(invalid("tiny.py has a syntax error in line 1."))))
    assert (found["score"], found["gradable"]) == (0, False)  # no attempt is used up
    assert found["format_errors"] == ["tiny.py has a syntax error in line 1."]


def test_what_could_not_be_graded_is_no_mark_and_no_attempt() -> None:
    found = written(PLATFORM.decline("The autograder could not start.\0", Told()))
    assert found["gradable"] is False
    assert "score" not in found
    assert "could not start" in found["message"]


def test_hostile_texts_keep_every_rule() -> None:
    for one in hostile_results():
        assert written(PLATFORM.deliver(graded(one)))["score"] == (one.score or 0) / one.max_score


def test_the_schema_of_results_refuses_what_prairielearn_does() -> None:
    refused: list[dict[str, Any]] = [{}, {"score": 2}, {"score": "1"}, {"score": True}, {"gradable": True}]
    refused += [{"score": 1, "tests": [{"name": "a", "points": 1}]}, {"score": 1, "message": "\0"}]
    accepted = [{"score": 0}, {"gradable": False, "format_errors": "x"}, {"score": 1, "images": ["data:,"]}]
    assert [one for one in refused if schema("prairielearn_results").is_valid(one)] == []
    assert [one for one in accepted if not schema("prairielearn_results").is_valid(one)] == []


def data(files: Any) -> bytes:
    """A data.json with the keys that the documentation names."""
    answers = {} if files is None else {"_files": files}
    return json.dumps({"params": {}, "submitted_answers": answers, "variant_seed": 1, "gradable": True}).encode()


def test_files_are_read_from_data_json_as_well() -> None:
    files = [{"name": "tiny.py", "contents": base64.b64encode(b"x = 1\n").decode()}, {"name": "a/b.py", "contents": ""}]
    assert PLATFORM.told(data(files), {}) == Told(spare_files={"tiny.py": b"x = 1\n", "a/b.py": b""})
    assert PLATFORM.told(data(None), {}) == PLATFORM.told(None, {}) == Told()


@pytest.mark.parametrize(
    "metadata", [b"{", b"[]", b"\xff", data([{"name": "a"}]), data([{"name": "a", "contents": "!"}])]
)
def test_data_json_of_another_form_is_said_to_be_so_and_the_folder_counts(metadata: bytes) -> None:
    told = PLATFORM.told(metadata, {})
    assert told.spare_files is None
    assert [notice.partition(":")[0] for notice in told.notices] == [
        "/grade/data/data.json is not what PrairieLearn documents"
    ]


COMMON = ("course/assignment.toml", "known.msgpack", "install.sh", "requirements.txt", "grader/__init__.py")


def kit(**fields: Any) -> Kit:
    """What a package is made of."""
    common = {name: Member(name.encode(), executable=name.endswith(".sh")) for name in COMMON}
    values: dict[str, Any] = {
        "assignment": "tiny",
        "title": "Tiny {{#x}} <b>",
        "names": ("tiny.py", "a, b.py"),
        "seconds": 300,
        "memory_mb": 2048,
        "options": ("--assignment", "tiny", "--for", "prairielearn"),
        "common": common,
    }
    return Kit(**(values | fields))


def info(package: Package) -> dict[str, Any]:
    """The question's info.json, which must keep the documented schema."""
    found: dict[str, Any] = json.loads(package.members["questions/tiny/info.json"].content)
    schema("prairielearn_info").validate(found)
    return found


def test_the_package_is_a_question_a_script_and_an_image() -> None:
    package = PLATFORM.package(kit())
    assert set(package.members) == {
        "questions/tiny/info.json",
        "questions/tiny/question.html",
        "questions/tiny/tests/course/assignment.toml",
        "questions/tiny/tests/known.msgpack",
        "serverFilesCourse/grader/run.sh",
        "image/Dockerfile",
        "image/install.sh",
        "image/requirements.txt",
        "image/grader/__init__.py",
    }
    about = info(package)
    options = about["externalGradingOptions"]
    assert options["entrypoint"] == ["/grade/serverFilesCourse/grader/run.sh", *kit().options]
    assert options["image"] in package.advice[0]
    assert info(PLATFORM.package(kit(title="Other")))["uuid"] == about["uuid"]
    assert info(PLATFORM.package(kit(common={})))["externalGradingOptions"]["image"] != options["image"]


def test_the_question_asks_for_the_files_and_no_title_is_markup() -> None:
    page = PLATFORM.package(kit()).members["questions/tiny/question.html"].content.decode()
    names = re.search(r'file-names="([^"]*)"', page)
    assert names is not None
    assert html.unescape(names[1]) == "tiny.py, a\\, b.py"
    assert "{{" not in page
    assert "<b>" not in page
    assert "<pl-external-grader-results>" in page


def test_more_time_than_prairielearn_gives_is_refused() -> None:
    with pytest.raises(UsageProblem, match="600 seconds at most"):
        PLATFORM.package(kit(seconds=601))


@pytest.mark.parametrize("platform", ["prairielearn", "coursera", "inginious"])
def test_scripts_are_shell(platform: str) -> None:
    shells = [path for path in (SCRIPTS / platform).iterdir() if path.read_text("utf-8").startswith("#!")]
    assert shells
    for path in shells:
        subprocess.run(["bash", "-n", str(path)], check=True)


@needs_container
@pytest.mark.full
def test_the_package_gives_the_marks_of_grade_without_namespaces(workshop: Workshop) -> None:
    source = workshop.package("prairielearn", "--seconds", "60")
    environment = workshop.installed(source / "image")
    about = json.loads((source / "questions" / "tiny" / "info.json").read_bytes())
    for name in ("right", "wrong", "broken"):
        text = SOURCES[name]
        grade = workshop.folder / f"grade-{name}"
        (grade / "data").mkdir(parents=True)
        contents = base64.b64encode(text.encode()).decode()
        (grade / "data" / "data.json").write_bytes(data([{"name": "tiny.py", "contents": contents}]))
        if name != "wrong":  # whose file is in data.json alone
            (grade / "student").mkdir()
            (grade / "student" / "tiny.py").write_text(text)
        for inside, folder in (("tests", "questions/tiny/tests"), ("serverFilesCourse", "serverFilesCourse")):
            subprocess.run(["cp", "-a", str(source / folder), str(grade / inside)], check=True)
        container = Container({"/grade": grade}, {"/opt/grader": environment})
        ran = container.run(about["externalGradingOptions"]["entrypoint"])
        assert ran.returncode == 0, ran.stderr
        found = json.loads((grade / "results" / "results.json").read_bytes())
        schema("prairielearn_results").validate(found)
        expected = workshop.expected[name]
        assert found["score"] == pytest.approx(expected["score"] / expected["max_score"]), name
        assert [(test["name"], test["points"]) for test in found.get("tests", [])] == [
            (check["title"], check["points"]) for check in expected["checks"]
        ], name
