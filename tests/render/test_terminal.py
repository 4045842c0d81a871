"""The table of a class on a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.render.terminal import print_class


def test_what_being_late_costs_stands_on_lines_of_its_own(make_timed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    times = ["2026-12-01T10:00Z", None, "2026-12-03T10:59:00Z"]
    print_class([make_timed(time) for time in times], Path("index.html"))
    lines = capsys.readouterr().out.splitlines()
    (row,) = [number for number, line in enumerate(lines) if "Handed in" in line]
    assert " 27.5 " in lines[row - 1] or " 27.5 " in lines[row - 2]
    text = " ".join(" ".join(lines[row:]).split())
    assert text.startswith(
        "Handed in 1 day, 3 hours after the deadline (1 Dec 2026, 23:59 PST): 20 points off 47.5 "
        "(10 for each day begun, at most 50). 3 submissions: 3 graded, 1 late, 1 of unknown time, mean 40.83, "
    )


def test_without_a_deadline_nobody_is_late(make_result: Any, capsys: pytest.CaptureFixture[str]) -> None:
    print_class([make_result()], Path("index.html"))
    printed = capsys.readouterr().out
    assert "late" not in printed
    assert "1 submission: 1 graded, mean 47.5" in printed
