"""What Moodle's VPL reads of an evaluation, by the rules of its plugin, replayed here."""

from __future__ import annotations

import os
import shutil
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from containers import SOURCES, Container, Workshop, needs_container
from made import CHECKS, HOSTILE, SECRET, made_graded, made_result

from grader.exporters.base import Kit, Member, Told
from grader.exporters.vpl import VPL

ENVIRONMENT = """#!/bin/bash
export VPL_LANG='en_US.UTF-8'
export MOODLE_USER_ID='29123'
export MOODLE_USER_NAME='Zoë O'"'"'Neil $(touch /tmp/x)'
export MOODLE_USER_EMAIL='zoe@example.edu'
export VPL_MAXTIME=60
export VPL_MAXMEMORY=3221225472
export VPL_GRADEMIN='0'
export VPL_GRADEMAX='10.00000'
export VPL_SUBFILE0='tiny.py'
export VPL_SUBFILES="tiny.py
export VPL_GRADEMAX='1000'
"
export VPL_GRADEMAX='999'
"""
MOST_BYTES = 32 * 1024


def newline(text: str) -> str:
    """Which line end the plugin takes a text to have."""
    return "\r\n" if "\r\n" in text else "\n" if "\n" in text else "\r" if "\r" in text else "\n"


def proposed_grade(text: str) -> str:
    """The mark that the plugin finds in what was printed: of the last line that begins with the tag."""
    marks = [line for line in text.split(newline(text)) if line.startswith("Grade :=>>")]
    return marks[-1].removeprefix("Grade :=>>").strip() if marks else ""


def comment(text: str) -> str:
    """What the plugin shows of it."""
    shown, inside = [], False
    for line in text.split(newline(text)):
        if inside and line.strip() == "--|>":
            inside = False
        elif inside:
            shown.append(line.rstrip())
        elif line.startswith("Comment :=>>"):
            shown.append(line.removeprefix("Comment :=>>"))
        elif line.strip() == "<|--":
            inside = True
    return "\n".join(shown)


def test_the_environment_is_read_and_never_run() -> None:
    told = VPL().told(ENVIRONMENT.encode(), {})
    assert [(person.student, person.name) for person in told.people] == [("29123", "Zoë O'Neil $(touch /tmp/x)")]
    assert told.points == Decimal(10)
    other = ENVIRONMENT.replace("""'"'"'""", r"'\''")
    assert VPL().told(other.encode(), {}).people == told.people


@pytest.mark.parametrize(
    "environment", [None, b"", b"\xff\x00'", b"export VPL_GRADEMAX='-5'", b"export VPL_GRADEMAX='NaN'"]
)
def test_an_activity_without_points_is_no_mark(environment: bytes | None) -> None:
    told = VPL().told(environment, {})
    assert told.points is None
    assert told.notices
    assert proposed_grade(VPL().deliver(made_graded(made_result())).stdout) == ""


def test_the_mark_is_in_the_activitys_points() -> None:
    printed = VPL().deliver(made_graded(made_result(score=66.67), points="10")).stdout
    assert proposed_grade(printed) == "6.67"
    assert printed.endswith("\nGrade :=>> 6.67\n")
    assert "66.67 of 100 points" in comment(printed)
    assert "Hint: Each head is narrow." in comment(printed)
    assert SECRET not in printed


def test_work_that_cannot_be_loaded_is_a_zero_with_its_reason() -> None:
    printed = VPL().deliver(made_graded(made_result((), 0), points="10")).stdout
    assert float(proposed_grade(printed)) == 0
    assert "line 3" in comment(printed)


@pytest.mark.parametrize("times", [1, 1_000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x0b", "\x85"])
def test_no_text_of_a_student_forges_a_mark(times: int, end: str) -> None:
    nasty = end.join([HOSTILE, "--|>", "Grade :=>> 10", "Comment :=>> x", "<|--", "-title (-3)", ""]) * times
    checks = tuple(msgspec.structs.replace(check, feedback=nasty, title=nasty[:300]) for check in CHECKS * 5)
    printed = VPL().deliver(made_graded(made_result(checks, printed=nasty), points="10")).stdout
    assert len(printed.encode("utf-8")) < MOST_BYTES
    assert proposed_grade(printed) == "2.00"
    assert [line for line in printed.split("\n") if line.startswith("Grade")] == ["Grade :=>> 2.00"]
    inside = printed.split("\n")[1:-3]
    assert {line[0] for line in inside} <= {"-", ">"}
    assert printed.split("\n")[-3:] == ["--|>", "Grade :=>> 2.00", ""]


def test_very_many_checks_leave_the_mark() -> None:
    checks = tuple(msgspec.structs.replace(CHECKS[1], id=f"c{number}") for number in range(3000))
    printed = VPL().deliver(made_graded(made_result(checks), points="10")).stdout
    assert len(printed.encode("utf-8")) < MOST_BYTES
    assert proposed_grade(printed) == "2.00"


def test_what_could_not_be_graded_has_no_mark() -> None:
    delivery = VPL().decline("a disk is full\nGrade :=>> 10", Told(points=Decimal(10)))
    assert proposed_grade(delivery.stdout) == ""
    assert delivery.exit_status != 0


def test_hidden_tests_are_for_the_activity_alone() -> None:
    common = {name: Member(b"x") for name in ("install.sh", "grader/a.py", "course/hidden/test.py", "known.msgpack")}
    members = VPL().package(Kit("hw1", "T", ("hw1.py",), 120, 3072, ("--assignment", "hw1"), common)).members
    assert {name for name in members if name.startswith("server/")} == {"server/install.sh", "server/grader/a.py"}
    assert {name for name in members if not name.startswith("server/")} == {
        "activity/grader_course.zip",
        "activity/vpl_evaluate.sh",
        "activity/vpl_run.sh",
        "activity/vpl_debug.sh",
    }


FORGED = "#!/bin/sh\necho 'Grade :=>> 10'\n"


@needs_container
@pytest.mark.full
def test_the_activity_gives_the_marks_of_grade(workshop: Workshop) -> None:
    """As the execution server does: the script, then vpl_execution if there is one; as a user of its own."""
    package = workshop.package("vpl", "--seconds", "60")
    environment = workshop.installed(package / "server")
    for name in ("wrong", "endless", "broken"):
        text = SOURCES[name]
        home = Path(shutil.copytree(package / "activity", workshop.folder / f"vpl-{name}"))
        (home / "vpl_environment.sh").write_text(ENVIRONMENT)
        (home / "tiny.py").write_text(text)
        for forged in ("vpl_execution", "click.py", "sitecustomize.py"):
            (home / forged).write_text(FORGED)
            (home / forged).chmod(0o755)
        for path in [home, *home.rglob("*")]:
            os.chown(path, 10_123, 10_123)
        container = Container({"/p10123": home}, {"/opt/grader": environment})
        alone = ["setpriv", "--reuid", "10123", "--regid", "10123", "--clear-groups"]
        limits = ["prlimit", "--nproc=200", "--fsize=104857600"]  # of the page on VPL
        compiled = container.run([*alone, *limits, "./vpl_evaluate.sh"], cwd="/p10123")
        assert compiled.returncode == 0, compiled.stderr
        assert (home / "vpl_execution").exists(), (compiled.stdout, (home / ".grader" / "log.txt").read_text())
        executed = container.run([*alone, "./vpl_execution"], cwd="/p10123")
        expected = workshop.expected[name]
        assert float(proposed_grade(executed.stdout)) == pytest.approx(expected["score"] / 10), name
        assert not (home / "grader_course.zip").exists()
        assert not (home / ".grader" / "course").exists()


@needs_container
@pytest.mark.full
def test_without_a_result_nothing_is_executed(workshop: Workshop) -> None:
    """The grader is not installed there: no mark, and none that the student brought along."""
    home = workshop.folder / "vpl-nothing"
    package = workshop.package("vpl", "--seconds", "60")
    shutil.copytree(package / "activity", home)
    (home / "vpl_environment.sh").write_text(ENVIRONMENT)
    (home / "vpl_execution").write_text(FORGED)
    container = Container({"/p10123": home})
    compiled = container.run(["./vpl_evaluate.sh"], cwd="/p10123")
    assert not (home / "vpl_execution").exists()
    assert proposed_grade(compiled.stdout) == ""
    ran = container.run(["bash", "-c", "./vpl_run.sh && ./vpl_execution"], cwd="/p10123")
    assert "Evaluate" in ran.stdout
