"""INGInious: its files, held against what its agent accepts; the package, run as its containers do."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from containers import SOURCES, Container, Workshop, needs_container
from docutils.core import publish_doctree
from hostile import TEXTS, graded, hidden, hostile_results, invalid, late, passed, result
from jsonschema import Draft202012Validator

from grader.errors import UsageProblem
from grader.exporters.base import Kit, Member, Told
from grader.exporters.inginious import INGInious
from grader.exporters.words_rst import rst_block, rst_line
from grader.model.submission import Person
from grader.model.text import plain_line

PLATFORM = INGInious()
SCHEMA = Draft202012Validator(json.loads((Path(__file__).parent / "inginious_feedback.schema.json").read_text("utf-8")))
ACCEPTED = {"result": str, "text": str, "grade": float, "problems": dict, "tests": dict}
"""What INGInious's agent wants each key to be; any other makes it say that the feedback is badly formatted."""
SHOWN = {"document", "paragraph", "literal_block", "strong", "#text"}
"""Parts of a document that only show text."""


def written(delivery: Any) -> dict[str, Any]:
    """What INGInious's agent reads of a delivery; it must keep all of its rules."""
    assert delivery.exit_status == 0
    (path, file), *others = delivery.files.items()
    assert (path, others) == ("/.__output/__feedback.json", [])
    assert len(file.content) <= 1_000_000
    found: dict[str, Any] = json.loads(file.content)
    SCHEMA.validate(found)
    assert {key for key, value in found.items() if not isinstance(value, ACCEPTED[key])} == set()
    return found


def shown(rst: str) -> str:
    """The text of a document that is nothing but text."""
    tree = publish_doctree(rst, settings_overrides={"report_level": 1, "halt_level": 1, "warning_stream": False})
    assert {node.tagname for node in tree.findall()} <= SHOWN
    return str(tree.astext())


def test_a_result_is_as_documented() -> None:
    found = written(PLATFORM.deliver(graded(late(result([passed("a"), hidden("b", "SECRET")]), 2.0))))
    assert (found["result"], found["grade"]) == ("failed", 52.5)
    assert "One day late costs 2 points." in shown(found["text"])
    assert found["problems"]["work"][0] == "failed"
    assert "A title 2.5 of 10 points" in shown(found["problems"]["work"][1])
    assert found["tests"] == {"a": True, "b": False}
    assert "SECRET" not in json.dumps(found)


def test_all_right_is_success_even_if_late() -> None:
    found = written(PLATFORM.deliver(graded(late(result([passed("a")]), 1.0))))
    assert (found["result"], found["grade"]) == ("success", 90.0)


def test_what_cannot_be_loaded_is_a_mark_of_nought_with_its_reason() -> None:
    found = written(PLATFORM.deliver(graded(invalid("tiny.py has a syntax error in line 1."))))
    assert (found["result"], found["grade"]) == ("failed", 0.0)
    assert "syntax error in line 1" in shown(found["text"])


def test_what_could_not_be_graded_is_a_crash_without_a_grade() -> None:
    found = written(PLATFORM.decline("The autograder could not start.\0", Told()))
    assert found["result"] == "crash"
    assert "grade" not in found
    assert "could not start" in shown(found["text"])


def test_hostile_texts_keep_every_rule_and_are_never_markup() -> None:
    for one in hostile_results():
        found = written(PLATFORM.deliver(graded(one)))
        assert found["grade"] == round(100 * (one.score or 0) / one.max_score, 2)
        for rst in (found["text"], found["problems"]["work"][1]):
            if len(rst) < 20_000:
                shown(rst)


@pytest.mark.parametrize("text", [text for text in TEXTS if text.strip()])
def test_lines_and_blocks_show_what_they_were_given(text: str) -> None:
    assert shown(rst_line(text)) == plain_line(text, 300)
    assert "".join(shown(rst_block(text, 4000)).split()) == "".join(plain_line(text, 4000).split())


def test_work_lies_under_a_name_of_inginious() -> None:
    found = {
        "input": {
            "work": {"filename": "tiny.py", "value": "/.__input/__inputfile_0"},
            "@username": "ann,bob",
            "@email": "ann@example.edu,bob@example.edu",
            "@time": "2026-02-04 14:31:11.250000",
            "@lang": "en",
        },
        "debug": False,
    }
    told = PLATFORM.told(json.dumps(found).encode() + b"\0", {})
    assert told.stored == {"tiny.py": "/.__input/__inputfile_0"}
    assert told.people == (Person("ann", ""), Person("bob", ""))
    assert told.submitted_at == "2026-02-04T14:31:11.250000"


def test_work_may_be_typed_into_a_box() -> None:
    told = PLATFORM.told(json.dumps({"input": {"work": "x = 1\n"}}).encode(), {})
    assert told == Told(files={"submission.py": b"x = 1\n"})


@pytest.mark.parametrize("metadata", [None, b"", b"{}", b'{"input": {}}', b'{"input": {"work": {}}}', b"[1]"])
def test_input_of_another_form_is_said_to_be_so(metadata: bytes | None) -> None:
    with pytest.raises(UsageProblem, match="__inputdata"):
        PLATFORM.told(metadata, {})


def test_the_package_is_a_task_and_an_environment() -> None:
    common = {name: Member(b"") for name in ("course/x", "known.msgpack", "install.sh", "grader/y", "requirements.txt")}
    made = Kit("tiny", "Tiny: *x*", ("tiny.py",), 300, 3072, ("--assignment", "tiny"), common)
    package = PLATFORM.package(made)
    assert set(package.members) == {
        "tiny/task.yaml",
        "tiny/run",
        "tiny/course/x",
        "tiny/known.msgpack",
        "environment/Dockerfile",
        "environment/install.sh",
        "environment/requirements.txt",
        "environment/grader/y",
    }
    task = yaml.safe_load(package.members["tiny/task.yaml"].content)
    assert task["name"] == "Tiny: *x*"
    assert task["environment"] == "grader-torch"
    assert (task["limits"]["hard_time"], task["limits"]["memory"]) == (300, 3072)
    assert list(task["problems"]) == ["work"]
    assert package.members["tiny/run"].content.startswith(b"#!")


@needs_container
@pytest.mark.full
def test_the_package_gives_the_marks_of_grade_as_the_user_worker(workshop: Workshop) -> None:
    source = workshop.package("inginious", "--seconds", "60")
    environment = workshop.installed(source / "environment")
    for name in ("right", "wrong"):
        root = workshop.folder / f"inginious-{name}"
        for folder in ("input", "output"):
            (root / folder).mkdir(parents=True)
        subprocess.run(["cp", "-a", str(source / "tiny"), str(root / "task")], check=True)
        (root / "input" / "__inputfile_0").write_text(SOURCES[name])
        work = {"filename": "tiny.py", "value": "/.__input/__inputfile_0"}
        about = {"input": {"work": work, "@username": "ann", "@time": "2026-02-04 14:31:11"}}
        (root / "input" / "__inputdata.json").write_text(json.dumps(about))
        (root / "output" / "__feedback.json").touch()
        for given in ("task", "output"):
            subprocess.run(["chown", "-R", "4242:4242", str(root / given)], check=True)
        folders = {"/.__input": root / "input", "/.__output": root / "output", "/task": root / "task"}
        command = ["/usr/bin/setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups", "/task/run"]
        ran = Container(folders, {"/opt/grader": environment}).run(command, cwd="/task")
        assert ran.returncode == 0, ran.stderr
        found = json.loads((root / "output" / "__feedback.json").read_bytes())
        expected = workshop.expected[name]
        assert found["grade"] == pytest.approx(100 * expected["score"] / expected["max_score"]), name
        assert found["tests"] == {check["id"]: check["status"] == "passed" for check in expected["checks"]}, name
