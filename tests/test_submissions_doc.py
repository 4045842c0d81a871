"""docs/submissions.md says what the code does."""

from __future__ import annotations

from pathlib import Path

from grader.intake.choose import is_renamed
from grader.sandbox.standins import REPLACED

TEXT = (Path(__file__).parent.parent / "docs" / "submissions.md").read_text("utf-8")


def test_the_packages_that_have_stand_ins() -> None:
    (listed,) = [part for part in TEXT.split("\n\n") if part.startswith("matplotlib, ")]
    assert tuple(listed.replace("\n", " ").split(", ")) == REPLACED


def test_the_names_that_are_understood() -> None:
    _, _, rest = TEXT.partition("2. Else one of these")
    names = rest.partition("3. Else")[0].split("`")[1::2]
    assert len(names) > 5
    assert all(is_renamed(name, "attention") for name in names)
