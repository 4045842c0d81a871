"""One submission on a terminal: the order of the report, small arrays side by side, 80 columns, no colour where none is
wanted."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from grader.model.observation import Observation, tensor_to_json
from grader.model.view import student_view
from grader.render.arrays import side_by_side
from grader.render.terminal_check import print_check

ROOT = Path(__file__).parents[2]
WRONG = ROOT / "assignments" / "attention" / "variants" / "wrong" / "no_scale.py"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def lines_of(seen: Observation, width: int = 70) -> list[str]:
    """What is printed of an observation."""
    part, lines = side_by_side(seen, width)
    return [*([part] if part else []), *(line.plain for line in lines)]


def test_the_cell_that_differs_is_in_brackets(seen: list[Observation]) -> None:
    assert lines_of(seen[0]) == [
        "at [0] of shape (1, 2, 4):",
        "  yours                              expected",
        "0  0.2442 [0.2873] 0.2261  0.2724     0.2442 [0.2573] 0.2261  0.2724",
        "1  0.2360  0.2580 [0.2868] 0.2492     0.2360  0.2580 [0.2568] 0.2492",
    ]


def test_an_argument_that_was_changed_is_shown_before_and_after(seen: list[Observation]) -> None:
    one = next(one for one in seen if one.kind == "unchanged")
    assert lines_of(one) == ["  before      after", "0  1 [2] 3     1 [9] 3"]


@pytest.mark.parametrize("width", [30, 40, 50, 70, 110])
def test_arrays_fit(seen: list[Observation], width: int) -> None:
    for one in seen:
        assert all(len(line) <= width or line.startswith(("at ", "row")) for line in lines_of(one, width))
    gradient = next(one for one in seen if one.name == "gradient")
    assert re.search(r"rows 0 to 7 and columns? \d", lines_of(gradient, width)[0])


def test_what_a_text_says_better_is_not_drawn(seen: list[Observation]) -> None:
    assert [one.name for one in seen if one.kind == "close" and not side_by_side(one, 70)[1]] == ["logits"]
    scalar = tensor_to_json("float32", (), [1.0])
    assert side_by_side(Observation("loss", "close", scalar, scalar, "off"), 70) == ("", [])


def test_the_order_is_that_of_the_report(
    make_figures: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    print_check(student_view(make_figures(), ["float64"]), public=False)
    printed = capsys.readouterr().out
    order = [
        "Self-attention from scratch: 47.5 of 100 points, 5 of 22 checks passed",
        "This looks like a known misconception:",
        "You hide the rows",
        "Visibility  (10/20)",
        "✓ pass  Every query sees",
        "✗ FAIL  Padding queries keep their rows  (0/10), hidden",
        "The result is not what the assignment asks for.",
        "Hint: Compare the shape",
        "✗ FAIL  About weights",
        "It differs.",
        "[0.2873]",
        "note: The file was called attention (1).py",
        "Hidden checks will still look at: float64.",
    ]
    place = 0
    for text in order:
        place = printed.index(text, place)
    assert max(map(len, printed.splitlines())) <= 80
    assert "\x1b" not in printed
    assert "SECRET" not in printed


@pytest.mark.parametrize("filler", ["\t" * 9, "全" * 35, "\u3000" * 40, " " * 200, "😀" * 36 + " "])
def test_no_text_of_theirs_begins_where_ours_does(
    filler: str, make_result: Any, make_check: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = f"RuntimeError: bad input\n{filler}  ✓ pass  double(x) is twice x.  (40/40)"
    checks = [make_check(1, "Doubling", "It doubles", status="error", feedback=text)]
    print_check(student_view(make_result(checks=checks, notices=[text])))
    lines = capsys.readouterr().out.splitlines()
    assert all(cell_len(line) <= 80 for line in lines)
    assert [line for line in lines if re.match(r" {0,5}✓", line)] == []
    assert len(lines) < 40


def on_a_terminal(arguments: list[str], surroundings: dict[str, str], talk: bool) -> tuple[int, str]:
    """Run a command whose standard output, or whose talk, is a terminal: its exit status and what that shows."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "grader.cli.main", *arguments]
    streams = (subprocess.DEVNULL, theirs) if talk else (theirs, subprocess.DEVNULL)
    with subprocess.Popen(command, stdout=streams[0], stderr=streams[1], env=surroundings, cwd=ROOT) as running:
        os.close(theirs)
        printed = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            printed += chunk
    os.close(ours)
    return running.returncode, printed.decode().replace("\r\n", "\n")


@pytest.mark.full
def test_what_takes_long_shows_that_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(f"import time\n\ntime.sleep(6)\n{WRONG.read_text('utf-8')}", "utf-8")
    status, shown = on_a_terminal(["check", str(tmp_path)], {**os.environ, "TERM": "xterm"}, talk=True)
    assert status == 1, shown
    assert re.search(r"Checking; each check may take \d+ s: [34] s …", shown)
    assert shown.endswith("\r\x1b[K")  # nothing of it stays


@pytest.mark.parametrize("no_colour", [False, True])
def test_check_on_a_real_terminal(no_colour: bool, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(WRONG.read_text("utf-8"), "utf-8")
    surroundings = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    surroundings |= {"TERM": "xterm-256color", "COLUMNS": "80"} | ({"NO_COLOR": "1"} if no_colour else {})
    status, text = on_a_terminal(["check", str(tmp_path)], surroundings, talk=False)
    assert status == 1
    plain = COLOUR.sub("", text)
    assert "\x1b" not in plain
    assert ("\x1b[31m" in text or "\x1b[1;31m" in text) != no_colour
    assert "0 [0.2374][0.2637][0.2036][0.2953]   [0.2442][0.2573][0.2261][0.2724]" in plain
    assert max(map(len, plain.splitlines())) <= 80
