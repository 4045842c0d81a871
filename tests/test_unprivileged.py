"""Mode A1, which an unprivileged user gets: graded as such a user, with an interpreter that others may read.

Needs, when run as root: the distribution's own Python of the version that the tests run with, since root's may lie in a
folder that is closed to others. When run as an ordinary user, the whole suite runs in mode A1 anyway.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
USER = 12345
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs every other test in mode A1 already"),
]


@pytest.fixture(scope="module")
def readable() -> Iterator[Path]:
    """A world-readable folder with the checkout and the installed packages, hard-linked where that is possible."""
    if not Path("/usr/bin", VERSION).exists():
        pytest.skip(f"needs the layer: /usr/bin/{VERSION}, readable for everybody")
    folder = Path(tempfile.mkdtemp(prefix="grader-a1-", dir="/var/tmp"))
    folder.chmod(0o755)
    for name in ("grader", "assignments", "reference", "reports", "tests/course", "examples"):
        shutil.copytree(ROOT / name, folder / "checkout" / name)
    packages = Path(next(entry for entry in sys.path if entry.endswith("site-packages")))
    if subprocess.run(["cp", "-al", packages, folder / "site-packages"], capture_output=True, check=False).returncode:
        shutil.rmtree(folder / "site-packages", ignore_errors=True)
        shutil.copytree(packages, folder / "site-packages")
    yield folder
    shutil.rmtree(folder)


def as_user(readable: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`grader …` as an unprivileged user."""
    home = readable / "home"
    if not home.exists():
        home.mkdir()
        os.chown(home, USER, USER)
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "PYTHONPATH": f"{readable / 'checkout'}:{readable / 'site-packages'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NO_COLOR": "1",
    }
    command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", f"/usr/bin/{VERSION}", "-P"]
    return subprocess.run(
        [*command, "-m", "grader.cli.main", *arguments],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_folder_is_open_to_others(readable: Path) -> None:
    for path in [readable, *readable.parents]:
        assert path.stat().st_mode & stat.S_IXOTH, path


def test_doctor_finds_a1_and_every_promise_is_kept(readable: Path) -> None:
    ran = as_user(readable, "doctor")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "`grade` takes mode A1" in ran.stdout
    assert "broken" not in ran.stdout


def test_grade_in_mode_a1(readable: Path) -> None:
    source = str(readable / "checkout" / "examples" / "class-mlm")
    out = readable / "home" / "out"
    ran = as_user(readable, "grade", source, "--assignment", "mlm_loss", "--out", str(out), "--isolation", "strict")
    assert ran.returncode == 0, ran.stderr
    results = {path.stem: json.loads(path.read_text()) for path in (out / "results").glob("*.json")}
    assert {name: result["score"] for name, result in results.items()}["m01"] == 100
    assert results["m05"]["score"] == 0
    assert {result["isolation"]["mode"] for result in results.values()} == {"A1"}
    assert {"seccomp", "no capabilities"} <= set(results["m01"]["isolation"]["layers"])
