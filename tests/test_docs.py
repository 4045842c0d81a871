"""Documentation that does not go stale: generated parts compared, README's commands run, the schema used."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
Command = Callable[..., subprocess.CompletedProcess[str]]


def test_generated_documentation_is_current() -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, text in module.generated().items():
        assert path.read_text("utf-8") == text, f"{path} is stale: run `make docs`"


def readme_commands() -> list[str]:
    """The `grader …` commands of README's console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ grader ")]


def test_readme_has_commands_for_students_and_instructors() -> None:
    names = {shlex.split(command)[1] for command in readme_commands()}
    assert {"init", "check", "grade", "doctor", "validate"} <= names


@pytest.mark.full
def test_readme_commands_work(grader: Command, tmp_path: Path) -> None:
    """Every command as it stands and in its order, in one folder. `check` fails on the untouched stub: status 1."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for command in readme_commands():
        ran = grader(*shlex.split(command)[1:], cwd=tmp_path)
        assert ran.returncode == (1 if " check " in command else 0), f"{command}: {ran.stderr}"
        assert "Traceback" not in ran.stderr


def test_changelog_has_an_unreleased_section() -> None:
    assert re.search(r"^## Unreleased\n\n### ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def test_make_targets_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"`?make ([a-z-]+)", README))
    assert {"demo", "test"} <= named <= targets


def test_nothing_names_the_makers_machine() -> None:
    """Paths and hosts of whoever builds this are nobody's business."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert len(listed) > 100
    forbidden = [re.escape(str(Path.home()) + "/"), re.escape(sys.prefix)]
    for name in listed:
        path = ROOT / name
        if path.is_file() and path.suffix in (".py", ".md", ".toml", ".sh", ".j2", ".css", ".js", ".json", ""):
            text = path.read_text("utf-8", "replace")
            for pattern in forbidden:
                assert not re.search(pattern, text), f"{name} holds {pattern}"
