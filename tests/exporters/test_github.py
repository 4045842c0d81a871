"""GitHub Actions: what its reporter and its log make of a result, and what the workflows may do."""

from __future__ import annotations

import base64
import functools
import json
import operator
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from containers import SOURCES, Container, Workshop, needs_container
from hypothesis import given
from hypothesis import strategies as st
from views import HOSTILE, KIT, check, graded, hostile, invalid, late

from grader.errors import UsageProblem
from grader.exporters.base import Graded, Told
from grader.exporters.github import GitHub, encoded_result
from grader.exporters.words_markdown import block, escaped

STUDENTS = "student/.github/workflows/autograding.yml"
STAFFS = "staff/.github/workflows/grade-tiny.yml"
MOST_OF_A_VARIABLE = 128 * 1024
MOST_OF_A_SUMMARY = 1024 * 1024
PLACES = {"GITHUB_OUTPUT": "/run/output", "GITHUB_STEP_SUMMARY": "/run/summary", "GITHUB_ACTOR": "zoe"}
CLASSROOM50 = {
    "CLASSROOM": "bert-f26",
    "ASSIGNMENT": "tiny",
    "SUBMISSION_TAG": "submit/2026-12-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://github.com/org/r/commit/1",
    "RELEASE_URL": "https://github.com/org/r/releases/tag/1",
}


def told(**more: str) -> Told:
    """What the environment of a step tells."""
    return GitHub().told(None, {**PLACES, **more})


class Reported(dict[str, Any]):
    """What the reporter says of a result, told again from its documentation and source."""

    def __init__(self, encoded: str) -> None:
        found = json.loads(base64.b64decode(encoded, validate=True))
        tests = found["tests"]  # where there are none, the reporter ends with "reading 'reduce'"
        scores = [test["score"] for test in tests]  # one that is missing makes the sum NaN
        assert tests
        assert all(isinstance(score, (int, float)) for score in scores)
        assert all(test["line_no"] == 0 for test in tests)  # any other is shown as a line
        assert {test["status"] for test in tests} <= {"pass", "fail", "error"}
        assert found["max_score"] > 0  # else nothing is reported
        points = functools.reduce(operator.add, scores, 0)
        super().__init__(found, points=f"{points:.17g}", red=found["status"] != "pass")
        self.points = points


def acts_in_log(line: str) -> bool:
    """Whether GitHub's runner takes a line of a log for a workflow command: `::` first, or the old form anywhere."""
    return line.lstrip().startswith("::") or "##[" in line


def written(one: Graded) -> dict[str, str]:
    """The files that are written, by path, as text."""
    files = GitHub().deliver(one).files
    return {path: file.content.decode("utf-8") for path, file in files.items()}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_change_no_score_and_keep_the_limits(text: str) -> None:
    one = hostile(text, told())
    files = written(one)
    (line,) = files["/run/output"].splitlines()
    encoded = line.removeprefix("result=")
    assert len(f"GRADER_RESULTS={encoded}") < MOST_OF_A_VARIABLE
    found = Reported(encoded)
    assert found.points == 12.34
    for test in found["tests"]:
        assert not any(acts_in_log(line) for part in (test["name"], test["message"]) for line in part.split("\n"))
    assert len(files["/run/summary"].encode("utf-8")) < MOST_OF_A_SUMMARY
    assert "SECRET" not in files["/run/summary"]
    printed = GitHub().deliver(one).stdout.splitlines()
    assert [part.split(" ")[0] for part in printed] == ["::error", "::error", "::error", "::notice"]
    assert "SECRET" not in "".join(printed)


@given(st.lists(st.tuples(st.integers(0, 3333), st.integers(1, 3333)), min_size=1, max_size=30))
def test_the_reporters_sum_of_doubles_is_the_score(pairs: list[tuple[int, int]]) -> None:
    checks = [check(n, earned=min(a, b) / 100, most=b / 100) for n, (a, b) in enumerate(pairs)]
    score = float(sum(Decimal(min(a, b)) for a, b in pairs) / 100)
    found = Reported(encoded_result(graded(*checks, score=score)))
    assert found.points == pytest.approx(score, abs=1e-12)
    assert round(found.points, 2) == score


def test_what_being_late_costs_is_part_of_the_sum() -> None:
    found = Reported(encoded_result(late()))
    assert found.points == 87.5
    assert not found["red"]
    assert found["tests"][-1]["score"] == -12.5
    assert found["tests"][-1]["message"] == "2 days late: 12.5 points less."


def test_a_full_score_is_green_and_less_is_red() -> None:
    assert not Reported(encoded_result(graded(check(1), check(2))))["red"]
    assert Reported(encoded_result(graded(check(1), check(2, earned=9.99))))["red"]


def test_hundreds_of_checks_fit_into_a_variable() -> None:
    many = graded(*(check(n, "🤖" * 120, earned=0.5, feedback="x" * 1500) for n in range(600)), told=told())
    encoded = encoded_result(many)
    assert len(encoded) < MOST_OF_A_VARIABLE - 100
    assert Reported(encoded).points == pytest.approx(300)
    assert len(written(many)["/run/summary"].encode("utf-8")) < MOST_OF_A_SUMMARY
    printed = GitHub().deliver(many).stdout.splitlines()
    assert [line.split(" ")[0] for line in printed] == ["::error"] * 10 + ["::notice"]
    assert "591 more checks" in printed[9]


def test_invalid_is_a_zero_with_its_reason() -> None:
    found = Reported(encoded_result(invalid(told())))
    assert (found.points, found["max_score"], found["red"]) == (0, 100, True)
    assert found["tests"][0]["message"].startswith("tiny.py is not Python")


def test_what_could_not_be_graded_has_no_result_and_fails_the_step() -> None:
    delivery = GitHub().decline("The disk is full,\n::error::tell staff.", told())
    assert delivery.exit_status != 0
    assert set(delivery.files) == {"/run/summary"}
    assert delivery.stdout == "::error title=Not graded::Not graded: The disk is full, ::error::tell staff.\n"
    assert GitHub().decline("No event.", Told()).files == {}


def test_annotations_name_the_line_where_it_is_known() -> None:
    from grader.model.result import StudentError

    place = StudentError("ValueError", "my,odd:file%.py", 41)
    one = graded(check(1, "A, b: c", earned=0, visibility="hidden", status="error", error=place), told=told())
    first = GitHub().deliver(one).stdout.splitlines()[0]
    assert first.startswith("::error title=A%2C b%3A c,file=my%2Codd%3Afile%25.py,line=41::Your code raised ValueError")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_leaves_its_block_or_acts_as_markdown(text: str) -> None:
    first, *inner, last = block(text).split("\n")
    fence = first.removesuffix("text")
    assert re.fullmatch("`{3,}", fence)
    assert last == fence
    assert not [line for line in inner if line.strip().startswith(fence)]
    line = escaped(text)
    assert "\n" not in line
    assert not re.search(r"(?<!\\)[*_`\[\]|~<>@:]", line)


def test_the_time_is_that_of_the_push_and_not_of_the_commit() -> None:
    event = {"commits": [{"timestamp": "2000-01-01T00:00:00Z"}], "repository": {"pushed_at": 1796083200}}
    found = GitHub().told(json.dumps(event).encode(), PLACES)
    assert found.submitted_at == "2026-12-01T00:00:00+00:00"
    assert [person.student for person in found.people] == ["zoe"]
    dispatched = {"repository": {"pushed_at": "2026-12-01T00:00:00Z"}, "inputs": {}}
    assert GitHub().told(json.dumps(dispatched).encode(), PLACES).submitted_at is None
    asked = {**PLACES, "GRADER_STUDENT": "org/bert-zoe", "GRADER_SUBMITTED_AT": "2026-12-02T10:00:00Z"}
    staff = GitHub().told(json.dumps(dispatched).encode(), asked)
    assert (staff.people[0].student, staff.submitted_at) == ("org/bert-zoe", "2026-12-02T10:00:00+00:00")


@pytest.mark.parametrize("event", [b"{", b"[]", b'{"commits": [], "repository": {"pushed_at": "soon"}}', b"\xff"])
def test_an_event_that_is_none_is_a_plain_sentence(event: bytes) -> None:
    with pytest.raises(UsageProblem, match="not what GitHub documents"):
        GitHub().told(event, PLACES)


def classroom50(one: Graded) -> dict[str, Any]:
    """Its result file, after the rules that are documented for it."""
    found: dict[str, Any] = json.loads(written(one)["result.json"])
    assert found["schema"] == "classroom50/result/v1"
    numbers = [found["score"], found["max-score"]]
    numbers += [test[key] for test in found["tests"] for key in ("score", "max-score")]
    assert all(type(number) is int for number in numbers)
    assert found["score"] == sum(test["score"] for test in found["tests"])
    assert found["max-score"] == sum(test["max-score"] for test in found["tests"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["datetime"])
    return found


def test_classroom50_gets_whole_numbers_that_give_nothing_away() -> None:
    environment = told(**CLASSROOM50)
    found = classroom50(graded(check(1), check(2, earned=9), told=environment))
    assert (found["score"], found["max-score"]) == (19, 20)
    assert [test["passed"] for test in found["tests"]] == [True, False]
    assert found["review"] == found["commit"]
    found = classroom50(graded(check(1), check(2, earned=9.99), told=environment))
    assert (found["score"], found["max-score"]) == (1999, 2000)
    found = classroom50(late(environment))
    assert (found["score"], found["max-score"], found["tests"][-1]["score"]) == (8750, 10000, -1250)
    found = classroom50(invalid(environment))
    assert (found["score"], found["max-score"]) == (0, 100)
    assert "result.json" not in written(graded(check(1), told=told()))


def members(suffix: str) -> dict[str, bytes]:
    """The files of the package that end so, by name."""
    found = {name: member.content for name, member in GitHub().package(KIT).members.items() if name.endswith(suffix)}
    assert found
    return found


def steps_of(workflow: Mapping[str, Any], job: str) -> list[dict[str, Any]]:
    """The steps of a job."""
    found: list[dict[str, Any]] = workflow["jobs"][job]["steps"]
    return found


def test_the_students_workflow_is_what_the_reporter_asks_for() -> None:
    workflow = yaml.safe_load(members("autograding.yml")[STUDENTS])
    assert workflow[True] == ["push", "workflow_dispatch"]  # `on` is a bool to YAML 1.1
    assert workflow["permissions"] == {"checks": "write", "actions": "read", "contents": "read"}
    assert list(workflow["jobs"]) == ["run-autograding-tests"]
    steps = steps_of(workflow, "run-autograding-tests")
    (reporter,) = [step for step in steps if "autograding-grading-reporter" in step.get("uses", "")]
    runner = reporter["with"]["runners"]
    assert re.fullmatch("[a-zA-Z0-9]+", runner)
    assert reporter["env"] == {f"{runner.upper()}_RESULTS": f"${{{{ steps.{runner}.outputs.result }}}}"}
    assert [step.get("id") for step in steps].count(runner) == 1
    assert steps.index(reporter) > [step.get("id") for step in steps].index(runner)
    assert "if" not in reporter  # it must not run, and report nothing, where the step before has failed


@pytest.mark.parametrize("name", [STUDENTS, STAFFS])
def test_another_python_makes_another_environment(name: str) -> None:
    """The environment that is kept points to the Python that made it, and runners get newer ones."""
    steps = [step for job in yaml.safe_load(members(".yml")[name])["jobs"].values() for step in job["steps"]]
    (kept,) = [step for step in steps if "actions/cache" in step.get("uses", "")]
    (python,) = [step for step in steps if "setup-python" in step.get("uses", "")]
    assert f"steps.{python['id']}.outputs.python-version" in kept["with"]["key"]


@pytest.mark.parametrize("name", [STUDENTS, STAFFS])
def test_no_secret_is_there_while_student_code_runs(name: str) -> None:
    text = members(".yml")[name].decode()
    workflow = yaml.safe_load(text)
    assert "secrets." not in str(workflow.get("env"))
    for job in workflow["jobs"].values():
        assert "secrets." not in str(job.get("env"))
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False
            if "grade.sh" in step.get("run", ""):
                assert "secrets." not in str(step)
            assert "${{" not in step.get("run", "")  # a name in an expression would be run as shell
    assert "pull_request_target" not in text


def test_hidden_tests_are_for_the_staff_repository_alone() -> None:
    package = GitHub().package(KIT)
    hidden = [name for name, member in package.members.items() if b"# hidden" in member.content]
    assert hidden == ["staff/tiny/course/assignments/tiny/hidden/test_tiny.py"]
    assert [name for name in package.members if name.startswith("student/")] == [STUDENTS]
    for name, content in members(".sh").items():
        assert b"@" not in content.replace(b"$@", b"").replace(b"python3 -m", b""), name
        ran = subprocess.run(["bash", "-n"], input=content, check=False)
        assert ran.returncode == 0, name


def graded_by_script(folder: Path, python: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What the step `Grade` prints, with a stand-in for Python."""
    (folder / "environment" / "bin").mkdir(parents=True)
    place = folder / "environment" / "bin" / "python"
    place.write_text(f"#!/bin/sh\n{python}\n")
    place.chmod(0o755)
    (folder / "grade.sh").write_bytes(members("grade.sh")["staff/tiny/grade.sh"])
    return subprocess.run(
        ["bash", str(folder / "grade.sh"), "work"],
        env={"PATH": "/usr/bin:/bin", "GRADER_ENVIRONMENT": str(folder / "environment"), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_step_shows_staff_talk_in_the_staff_repository_alone(tmp_path: Path) -> None:
    text = "echo '::error::from the result'; echo '::error::from student code' >&2"
    ran = graded_by_script(tmp_path / "a", text)
    assert (ran.returncode, ran.stdout) == (0, "::error::from the result\n")
    ran = graded_by_script(tmp_path / "b", text, GRADER_TALK="yes")
    start, talk, _, end, last = ran.stdout.splitlines()
    token = start.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert (talk, end, last) == ("::error::from student code", f"::{token}::", "::error::from the result")


def test_the_step_fails_and_says_so_where_the_grader_dies(tmp_path: Path) -> None:
    ran = graded_by_script(tmp_path, "kill -9 $$", GH_TOKEN="x")
    assert ran.returncode != 0
    assert ran.stdout.startswith("::error title=Not graded::")
    ran = graded_by_script(tmp_path / "tokens", 'echo "[$GH_TOKEN$GITHUB_TOKEN]"', GH_TOKEN="x", GITHUB_TOKEN="y")
    assert ran.stdout == "[]\n"


def told_to_student(folder: Path, result: str) -> list[str]:
    """What `tell.sh` asks GitHub's own command to do, one call after the other, with what it is given."""
    folder.mkdir()
    command = folder / "gh"
    command.write_text(f'#!/bin/sh\necho "$@" >>{folder}/calls\ncase "$*" in *--input*) cat >>{folder}/calls;; esac\n')
    command.chmod(0o755)
    (folder / "summary.md").write_text("## Tiny\n$(touch x) `touch x`\n")
    (folder / "tell.sh").write_bytes(members("tell.sh")["staff/tiny/tell.sh"])
    arguments = ["bash", str(folder / "tell.sh"), "org/zoe", "abc", str(folder / "summary.md"), result]
    environment = {"PATH": f"{folder}:{Path(sys.executable).parent}:/usr/bin:/bin"}
    subprocess.run(arguments, cwd=folder, env=environment, check=True, timeout=60)
    assert not (folder / "x").exists()
    return (folder / "calls").read_text().splitlines()


def test_the_student_is_told_the_points_or_that_there_are_none(tmp_path: Path) -> None:
    status = "api repos/org/zoe/statuses/abc -f state={} -f context=grade/tiny -f description={}"
    calls = told_to_student(tmp_path / "late", encoded_result(late()))
    assert calls[0] == status.format("success", "87.5 of 100 points")
    assert calls[1] == "api repos/org/zoe/commits/abc/comments --input -"
    assert json.loads(calls[2]) == {"body": "## Tiny\n$(touch x) `touch x`\n"}
    calls = told_to_student(tmp_path / "invalid", encoded_result(invalid()))
    assert calls[0] == status.format("failure", "0 of 100 points")
    calls = told_to_student(tmp_path / "none", "")
    assert calls == [status.format("error", "Not graded yet; the course staff have been told.")]


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs the layer: jq")
def test_names_of_repositories_are_split_and_never_run() -> None:
    workflow = yaml.safe_load(members(".yml")[STAFFS])
    (step,) = steps_of(workflow, "list")
    names = "org/a  org/b,org/c\n$(touch x)"
    script = step["run"].replace('>>"$GITHUB_OUTPUT"', "")
    ran = subprocess.run(["bash", "-c", script], env={"PATH": "/usr/bin:/bin", "REPOSITORIES": names},
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert json.loads(ran.stdout.removeprefix("repositories=")) == ["org/a", "org/b", "org/c", "$(touch", "x)"]


@needs_container
@pytest.mark.full
def test_the_package_gives_the_marks_of_grade_without_namespaces(workshop: Workshop) -> None:
    staff = workshop.package("github", "--seconds", "60") / "staff"
    environment = workshop.installed(staff / "tiny")
    for name, text in SOURCES.items():
        folder = workshop.folder / f"runner-{name}"
        (folder / "work").mkdir(parents=True)
        (folder / "work" / "tiny.py").write_text(text)
        (folder / "event.json").write_text(json.dumps({"commits": [], "repository": {"pushed_at": 1796083200}}))
        variables = {
            "GITHUB_OUTPUT": "/home/runner/output",
            "GITHUB_STEP_SUMMARY": "/home/runner/summary",
            "GITHUB_EVENT_PATH": "/home/runner/event.json",
            "GITHUB_ACTOR": "zoe",
            "GRADER_ENVIRONMENT": "/opt/grader",
        }
        container = Container({"/home/runner": folder}, {"/opt/grader": environment, "/srv/staff": staff})
        ran = container.run(["bash", "/srv/staff/tiny/grade.sh", "work"], cwd="/home/runner", environment=variables)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        found = Reported((folder / "output").read_text().strip().removeprefix("result="))
        assert found.points == workshop.expected[name]["score"], name
        assert (folder / "summary").read_text().startswith("## Tiny")
