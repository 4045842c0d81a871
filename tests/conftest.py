"""What all tests share: the command line as its users run it, and a tiny course."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Opener, a_browser, an_opener
from containers import Workshop, a_workshop
from hypothesis import settings
from playwright.sync_api import Browser

settings.register_profile("untimed", deadline=None)  # how long an example takes tells how busy the machine is
settings.load_profile("untimed")
ROOT = Path(__file__).parent.parent
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder of the test session's own."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def grader(cache: Path) -> Command:
    """Runs `grader …` in a process of its own and returns what it printed and its exit status."""

    def run(*arguments: object, cwd: Path = ROOT, seconds: float = 180) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "grader.cli.main", *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "XDG_CACHE_HOME": str(cache), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def workshop(grader: Command) -> Iterator[Workshop]:
    """Where packages for platforms are built and unpacked."""
    with a_workshop(grader) as opened:
        yield opened


@pytest.fixture
def tiny_course(tmp_path: Path) -> Path:
    """A copy of the tiny course that a test may change."""
    return Path(shutil.copytree(ROOT / "tests" / "course", tmp_path / "course"))


@pytest.fixture
def tiny_class(tmp_path: Path) -> Path:
    """A folder of three student folders: one right, one wrong, one that cannot be imported."""
    source = tmp_path / "class"
    texts = {"ada": RIGHT, "bob": RIGHT.replace("2 * x", "x * x"), "cyd": "def double(x)\n    return x\n"}
    for name, text in texts.items():
        (source / name).mkdir(parents=True)
        (source / name / "tiny.py").write_text(text)
    return source


def results(out: Path) -> dict[str, Any]:
    """The result files of a run, by id."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((out / "results").glob("*.json"))}


@pytest.fixture
def read_results() -> Callable[[Path], dict[str, Any]]:
    """Reads the result files of a run, by id."""
    return results


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; of a module and no longer, since Playwright keeps an event loop running while it is open."""
    with a_browser() as browser:
        yield browser


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens a page from disk; when the test ends, it must have been quiet: one request, no error, no violation."""
    with an_opener(browser, tmp_path) as opener:
        yield opener
