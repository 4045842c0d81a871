"""`grader push` as a process of its own: interrupted, without its extra, and nowhere does it tell the token."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lms_canvas
import pytest
from lms_canvas import Canvas
from lms_moodle import Moodle
from lms_web import Answer, Fault

from grader.store import Run

ROOT = Path(__file__).parents[2]
Command = Callable[..., subprocess.CompletedProcess[str]]


def at(canvas: Canvas) -> list[object]:
    """Options that name the assignment in the imitation."""
    return ["--url", canvas.url, "--course-id", 101, "--assignment-id", 202]


def test_interrupted_it_goes_on_where_it_was(canvas: Canvas, run: Run, grader: Command) -> None:
    wait = Answer({}, 429, {"Retry-After": "60"})
    canvas.faults = [Fault(lambda asked: asked.method == "PUT" and asked.path.endswith("/12"), wait)]
    arguments = [sys.executable, "-m", "grader.cli.main", "push", "canvas", str(run.folder), *map(str, at(canvas))]
    process = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = ""
    while "asks to wait; waiting 60 s." not in said:
        line = process.stderr.readline()
        assert line, said  # it ended without having waited
        said += line
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    err = said + rest
    assert process.returncode == 130, err
    assert "1 sent, 0 had all already" in err
    assert "Traceback" not in err
    ran = grader("push", "canvas", run.folder, *at(canvas))
    assert ran.returncode == 0, ran.stderr
    assert "2 sent, 1 had all already" in ran.stderr
    assert [len(canvas.texts(number)) for number in (11, 12, 13)] == [1, 1, 1]


def test_the_token_is_in_no_traceback(
    canvas: Canvas, run: Run, grader: Command, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADER_DEBUG", "1")
    monkeypatch.delenv("CANVAS_TOKEN")
    file = tmp_path / "token"
    file.write_text(lms_canvas.TOKEN)
    file.chmod(0o600)
    # No number of points: an error that we did not foresee, after the reading of everything else.
    canvas.about["points_possible"] = "many"
    ran = grader("push", "canvas", run.folder, *at(canvas), "--token-file", file)
    assert "Traceback" in ran.stderr
    assert lms_canvas.TOKEN not in ran.stdout + ran.stderr


def test_without_its_extra_it_says_what_to_install(canvas: Canvas, run: Run, tmp_path: Path) -> None:
    (tmp_path / "requests.py").write_text("raise ModuleNotFoundError('gone', name='requests')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    arguments = [sys.executable, "-m", "grader.cli.main", "push", "canvas", str(run.folder), *map(str, at(canvas))]
    ran = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 2
    assert ran.stderr == (
        "grader: Pushing needs requests (the extra `push`); install it with: pip install canvasapi requests\n"
    )


@pytest.mark.full
def test_a_graded_class_reaches_moodle_without_what_is_hidden(
    moodle: Moodle, tiny_course: Path, tmp_path: Path, grader: Command
) -> None:
    """The whole way: a download of Moodle, graded, and its scores, comments and reports back by numbers of its own."""
    texts = {
        "Ada Lovelace_11": "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n",
        "Bob Noyce_12": "def double(x):\n    print(x)\n    return abs(2 * x)\ndef total(x):\n    raise ValueError(x)",
        "Cyd Charisse_13": "def double(x)\n",
    }
    for name, text in texts.items():
        folder = tmp_path / "download" / f"{name}_assignsubmission_file"
        folder.mkdir(parents=True)
        (folder / "tiny.py").write_text(text)
    out = tmp_path / "out"
    graded = ("grade", tmp_path / "download", "--assignment", "tiny", "--course", tiny_course, "--out", out)
    assert grader(*graded, "--isolation", "plain").returncode == 0
    moodle.about["grade"] = 20
    ran = grader("push", "moodle", out, "--url", moodle.url, "--assignment-id", 77, "--report")
    assert ran.returncode == 0, ran.stderr
    assert float(moodle.grades[301]["grade"]) == 20
    assert 0 < float(moodle.grades[302]["grade"]) < 20
    assert float(moodle.grades[303]["grade"]) == 0
    sent = [
        *moodle.comments.values(),
        *(f.decode() for files in moodle.feedback_files.values() for f in files.values()),
    ]
    assert len(sent) == 6
    for text in [*sent, ran.stdout, ran.stderr]:
        assert "271828" not in text
        assert "CANARY" not in text
    assert "total(x) is the sum of x" in moodle.comments[302]
