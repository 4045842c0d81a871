"""docs/students.md and docs/instructors.md: every command is run as it stands there, and every picture can be taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import PICTURE, commands_of, followed, photograph, prepared, steps_of

from grader import registry

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ["students", "instructors"]
FAILING = {"grader check attention": 1, "grader check attention --html report.html": 1, "grader doctor": None}
"""Exit statuses of commands that may end otherwise than with 0; None: as the machine is."""


@pytest.mark.full
@pytest.mark.parametrize("name", PAGES)
def test_the_page_followed_literally(name: str, tmp_path: Path) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    folder = prepared(page, tmp_path / "folder")
    ran = [one for block in followed(steps_of(page), folder, tmp_path / "programs") for one in block]
    assert len(ran) >= 3
    for one in ran:
        assert one.as_told, "\n".join([f"$ {one.command.line}", *one.output])
        wanted = FAILING.get(one.command.line, 0)
        assert wanted is None or one.status == wanted, one.command.line
    pictures = photograph(page, folder, tmp_path)
    assert len(pictures) == page.count("![")
    for picture in pictures:
        there = DOCS / picture.relative_to(tmp_path)
        assert picture.stat().st_size > 10_000  # an empty page has less
        assert there.read_bytes()[:8] == picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", [*PAGES, "languages"])
def test_what_the_page_names_exists(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    links = re.findall(r"\]\(([\w./-]+)\)", page)
    assert links or name == "languages"
    assert [link for link in links if not (DOCS / link).is_file()] == []
    assert {command for _, command in PICTURE.findall(page)} <= set(links)
    named = set(re.findall(r"grader ([a-z]+)", page)) - {"while", "grades"}
    assert {word for word in named if word in registry.COMMANDS}
    for step in steps_of(page):
        if step.kind == "console":
            assert all(one.line.split()[1] in registry.COMMANDS for one in commands_of(step.text))
