"""A platform's container from inside: where the work is found, and what is handed over if nothing can be graded."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.site import Site
from grader.errors import UsageProblem
from grader.exporters.base import Told
from grader.model.submission import Person, Submission

Command = Callable[..., subprocess.CompletedProcess[str]]
TEXT = "def double(x):\n    return 2 * x\n"


def found(platform: str, root: Path, told: Told, given: Path | None = None) -> Submission:
    """The submission in a container whose root is `root`."""
    return Site(platform, root).submission(given, told, "tiny.py", ("double",))


def sources(submission: Submission) -> dict[str, bytes]:
    return {file.name: file.content for file in submission.files}


def test_spare_files_are_for_a_folder_that_is_missing(tmp_path: Path) -> None:
    told = Told(spare_files={"tiny.py": b"spare = 1\n"})
    assert sources(found("prairielearn", tmp_path, told)) == {"tiny.py": b"spare = 1\n"}
    (tmp_path / "grade" / "student").mkdir(parents=True)
    (tmp_path / "grade" / "student" / "tiny.py").write_text(TEXT)
    assert sources(found("prairielearn", tmp_path, told)) == {"tiny.py": TEXT.encode()}


def test_stored_files_get_their_names_back(tmp_path: Path) -> None:
    (tmp_path / ".__input").mkdir()
    (tmp_path / ".__input" / "__inputfile_0").write_text(TEXT)
    told = Told(people=(Person("ann", ""),), stored={"tiny.py": "/.__input/__inputfile_0"})
    work = found("inginious", tmp_path, told)
    assert (sources(work), work.student) == ({"tiny.py": TEXT.encode()}, "ann")


def test_a_path_that_was_given_comes_first(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TEXT)
    told = Told(files={"tiny.py": b""}, spare_files={"tiny.py": b""}, stored={"tiny.py": "/x"})
    assert list(sources(found("prairielearn", tmp_path, told, tmp_path / "mine.py")).values()) == [TEXT.encode()]


def test_no_submission_anywhere_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="does not exist"):
        found("coursera", tmp_path, Told())


@pytest.mark.parametrize(
    ("platform", "file", "status", "expected"),
    [
        ("prairielearn", "grade/results/results.json", 0, {"gradable": False}),
        ("inginious", ".__output/__feedback.json", 0, {"result": "crash"}),
        ("coursera", None, 1, {}),
    ],
)
def test_a_container_without_work_gives_no_mark(
    platform: str,
    file: str | None,
    status: int,
    expected: dict[str, object],
    grader: Command,
    tiny_course: Path,
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    arguments = ["--assignment", "tiny", "--for", platform, "--course", tiny_course, "--root", root]
    ran = grader("grade-one", *arguments)
    assert ran.returncode == status, ran.stderr
    written = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    assert set(written) == ({file} if file else set())
    for path in written.values():
        content = json.loads(path.read_bytes())
        assert expected.items() <= content.items()
        assert {"score", "grade"} & set(content) == set()


def test_a_link_beside_the_work_is_left_out(tmp_path: Path) -> None:
    """As in many repositories; it must not be a zero for work that is right."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "tiny.py").write_text(TEXT)
    (tmp_path / "work" / "README.md").symlink_to("docs/README.md")
    (tmp_path / "work" / "secrets").symlink_to("/etc")
    work = found("github", tmp_path, Told(), tmp_path / "work")
    assert (work.main, work.problem, list(sources(work))) == ("tiny.py", None, ["tiny.py"])
    assert sum("is a link" in notice for notice in work.notices) == 2
    (tmp_path / "work" / "tiny.py").unlink()
    assert "is a link" in (found("github", tmp_path, Told(), tmp_path / "work").problem or "")
