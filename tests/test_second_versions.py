"""Diagnosis of work that nobody has seen: `tests/second_versions/<assignment>/<slug>.py` has the misconception of the
wrong variant `<slug>`, written another time in another style.

Each is graded as a submission. At least nine in ten must be given that variant's explanation, and a right solution
none.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = Path(__file__).parent / "second_versions"
ASSIGNMENTS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())

pytestmark = pytest.mark.full


def diagnoses(result: dict[str, Any]) -> set[str]:
    """The slugs that a result names."""
    return {check["diagnosis"]["slug"] for check in result["checks"] if check["diagnosis"]}


def hand_in(source: Path, name: str, file: Path, main: str) -> None:
    (source / name).mkdir(parents=True)
    shutil.copy(file, source / name / main)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_second_versions_get_the_explanation_of_the_first(
    assignment: str, grader: Callable[..., Any], read_results: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    versions = sorted((FOLDER / assignment).glob("*.py"))
    assert len(versions) >= 10
    known = {path.stem for path in (ROOT / "assignments" / assignment / "variants" / "wrong").glob("*.py")}
    assert {path.stem for path in versions} <= known
    for path in versions:
        hand_in(tmp_path / "source", f"wrong-{path.stem}", path, f"{assignment}.py")
    for path in (ROOT / "assignments" / assignment / "variants" / "right").glob("*.py"):
        hand_in(tmp_path / "source", f"right-{path.stem}", path, f"{assignment}.py")
    arguments = ("grade", tmp_path / "source", "--assignment", assignment, "--out", tmp_path / "out")
    assert grader(*arguments, seconds=900).returncode == 0
    found = {name: diagnoses(result) for name, result in read_results(tmp_path / "out").items()}
    missed = {path.stem: found[f"wrong-{path.stem}"] for path in versions}
    missed = {slug: given for slug, given in missed.items() if given != {slug}}
    print(f"{assignment}: {len(versions) - len(missed)} of {len(versions)} second versions diagnosed; not: {missed}")
    assert len(missed) <= len(versions) // 10
    assert {name: given for name, given in found.items() if name.startswith("right-") and given} == {}
