"""Golden folders: `tests/golden/<case>/submission` graded, compared with `<case>/expected.json`.

`python tools/update_golden.py` writes the expected files anew; read the difference before you commit it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
ASSIGNMENTS = {"attention": "attention", "mlm": "mlm_loss"}


def digest(result: dict[str, Any]) -> dict[str, Any]:
    """What a golden file holds of a result: all that matters to the student, numbers to two digits.

    The digits after those differ between processors.
    """
    failing = {
        check["id"]: [check["status"], check["fault"], (check["diagnosis"] or {}).get("slug"), check["feedback"]]
        for check in result["checks"]
        if check["status"] != "passed"
    }
    for ended in failing.values():
        ended[3] = re.sub(r"\d+\.\d+(e[-+]\d+)?", lambda number: f"{float(number[0]):.2g}", ended[3])
    keys = ("status", "reason", "score", "notices", "stdout")
    return {key: result[key] for key in keys} | {"graded_file": result["submission"]["graded_file"], "failing": failing}


@pytest.fixture(scope="module")
def graded(
    grader: Callable[..., subprocess.CompletedProcess[str]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Every case, graded in one run for each assignment."""
    found: dict[str, Any] = {}
    for prefix, assignment in ASSIGNMENTS.items():
        folder = tmp_path_factory.mktemp(prefix)
        for case in CASES:
            if case.startswith(f"{prefix}-"):
                (folder / "source").mkdir(exist_ok=True)
                _copy(GOLDEN / case / "submission", folder / "source" / case)
        ran = grader("grade", folder / "source", "--assignment", assignment, "--out", folder / "out")
        assert ran.returncode == 0, ran.stderr
        for path in (folder / "out" / "results").glob("*.json"):
            found[path.stem] = json.loads(path.read_text("utf-8"))
    return found


def _copy(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.is_file():
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())


@pytest.mark.parametrize("case", CASES)
def test_golden(graded: dict[str, Any], case: str) -> None:
    expected = GOLDEN / case / "expected.json"
    found = json.dumps(digest(graded[case]), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if "--update-golden" in sys.argv:
        expected.write_text(found, "utf-8")
    assert found == expected.read_text("utf-8")
