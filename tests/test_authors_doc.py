"""docs/authors.md is followed literally, and what it says beside that is what the code does."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from pages import PICTURE, commands_of, followed, matches, photograph, steps_of

from grader import registry
from grader.judge.chance import Claim, risk_of_each_end
from grader.model.result import Visibility

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "authors.md").read_text("utf-8")
TEN_MINUTES, _, AFTER = PAGE.partition("\n## After the ten minutes\n")
Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.full
def test_the_page_followed_literally(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    ran = [one for block in followed(steps_of(TEN_MINUTES), folder, tmp_path / "programs") for one in block]
    assert len(ran) > 10
    for one in ran:
        assert one.as_told, "\n".join([f"$ {one.command.line}", *one.output])
        told = "\n".join(one.output)
        failed = "SURPRISE" in told if "validate" in one.command.line else "✗ FAIL" in told
        assert one.status == (1 if failed else 0), one.command.line
    surprised = [one for one in ran if "SURPRISE" in "\n".join(one.output)]
    proven = [one for one in ran if one.output[-1:] == ["No surprises."]]
    assert (len(surprised), len(proven)) == (1, 2)
    for picture in photograph(PAGE, folder, tmp_path):
        there = ROOT / "docs" / picture.relative_to(tmp_path)
        assert picture.stat().st_size > 10_000  # an empty page has less
        assert there.read_bytes()[:8] == picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_every_block_of_the_ten_minutes_is_a_file_or_is_run() -> None:
    steps = steps_of(TEN_MINUTES)
    assert len(steps) > 15
    for step in steps:
        assert (step.kind == "console") != (step.place is not None), step.text[:60]
    names = {command.line.split()[1] for step in steps if step.kind == "console" for command in commands_of(step.text)}
    assert {"new", "validate", "init", "check", "release", "grade"} <= names
    for step in steps:
        if step.place is not None and step.place.endswith(".py"):
            assert ast.get_docstring(ast.parse(step.text)) or step.place == "scaled/scaled.py"


def test_the_commands_of_the_page_exist() -> None:
    named = set(re.findall(r"`grader\s+([a-z]+)", PAGE))
    assert named <= registry.COMMANDS.keys()
    assert "rescore" in named


def test_lines_are_compared_as_the_page_means_them() -> None:
    assert matches(["a", "…", "took 1.5 s."], ["a", "b", "c", "took 10.25 s."])
    assert matches(["isolation A1"], ["isolation C   "])
    assert matches([], [])
    assert not matches(["a"], ["a", "b"])
    assert not matches(["a", "b"], ["a"])
    assert not matches(["score 1.5"], ["score 2.5"])


@pytest.mark.full
def test_the_check_that_counts_works(grader: Program, tmp_path: Path) -> None:
    (block,) = [step for step in steps_of(AFTER) if "expect.proportion(" in step.text]
    home = tmp_path / "course" / "assignments" / "select"
    (home / "handout").mkdir(parents=True)
    about = 'title = "S"\nversion = "1"\nfiles = ["select_some.py"]\nnames = ["select"]\npublic_points = 10\n'
    (home / "assignment.toml").write_text(about)
    head = "import torch\n\nfrom grader.judge.marks import hint, points\n\n\n"
    (home / "handout" / "check_select.py").write_text(head + block.text)
    for name, share, status in (("right", "rate", 0), ("wrong", "0.11", 1)):
        path = tmp_path / name / "select_some.py"
        path.parent.mkdir()
        body = f"    return torch.rand(tokens.shape, generator=generator) < {share}\n"
        path.write_text(f"import torch\n\n\ndef select(tokens, rate, generator):\n{body}")
        ran = grader("check", path, "--assignment", "select", "--course", tmp_path / "course")
        assert ran.returncode == status, ran.stdout + ran.stderr
        assert "1 of 1 checks" in ran.stdout if status == 0 else "selected tokens: 0.1" in ran.stdout


def test_what_so_many_draws_find() -> None:
    """Of samples with another share, how many lie within the bounds; the page says hardly any, and nearly all."""
    assert "with these 10 000 draws it finds a share of 0.11 nearly always, and one of 0.13 hardly ever" in PAGE
    claim = Claim("selected tokens", 0, 10_000, 1 / 7)
    low, high = claim.bounds(risk_of_each_end([claim], 1e-10))
    random = np.random.default_rng(7)
    for share, least, most in ((0.11, 0.999, 1.0), (0.13, 0.0, 0.01)):
        counts = random.binomial(claim.total, share, 100_000)
        found = float(((counts < low) | (counts > high)).mean())
        assert least <= found <= most, (share, found)


def test_the_surprises_are_those_of_the_proof() -> None:
    """What the table quotes is in the sentences of the program."""
    sentences = "".join((ROOT / "grader" / "batch" / name).read_text("utf-8") for name in ("proof.py", "survivors.py"))
    sentences += (ROOT / "grader" / "judge" / "session.py").read_text("utf-8")
    table = AFTER.partition("### What surprises mean\n")[2].partition("\n### ")[0]
    quoted = [
        "passes everything",
        "has no docstring",
        "no wrong variant fails",
        "a mutant passes everything",
        "excuses a mutant that does not survive",
        "the order of the checks matters",
        "is recorded to fail",
    ]
    for words in quoted:
        assert words in sentences, words
        assert words in table, words
    assert table.count("\n| ") == 11


def test_the_kinds_of_visibility() -> None:
    section = AFTER.partition("### What students see\n")[2].partition("\n### ")[0]
    assert all(f"`{kind}`" in section or f'"{kind}"' in section for kind in get_args(Visibility))


def test_the_links_of_the_page_lead_somewhere() -> None:
    assert len(PICTURE.findall(PAGE)) == PAGE.count("![") > 0
    linked = re.findall(r"\]\(([^)]+)\)", PAGE)
    assert len(linked) >= 2
    assert all((ROOT / "docs" / place).is_file() for place in linked)
