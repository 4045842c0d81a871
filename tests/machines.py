"""Kinds of machine that tests grade on: this one as it is, and others made by taking something away from it.

A machine says which mode `grade` must choose there, or which layer is missing for it to be had here. Those that are not
this process's own user need an interpreter and packages that everybody may read: the distribution's python3, and a
world-readable copy (hard links where that is possible) of the checkout and of the installed packages.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
USER = 12345 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""An unprivileged user for each process that runs tests: the kernel counts a user's processes and descriptors."""
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
COPIED = ("grader", "assignments", "reference", "reports", "tests/course", "examples")


@dataclass(frozen=True)
class Place:
    """Where a machine's user works: `folder` is theirs, `checkout` holds the course; `python` runs the grader."""

    folder: Path
    checkout: Path
    prefix: tuple[str, ...]
    python: str
    environment: dict[str, str]

    def run(self, *command: object, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """A command on that machine."""
        return subprocess.run(
            [*self.prefix, *map(str, command)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def grader(self, *arguments: object, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """`grader …` on that machine."""
        return self.run(self.python, "-P", "-m", "grader.cli.main", *arguments, seconds=seconds)


@dataclass(frozen=True)
class Machine:
    """A kind of machine; `imitates` is what `imitate.py` takes away, `as_user` whether an unprivileged user grades."""

    name: str
    mode: str
    as_user: bool
    imitates: str | None = None

    def reason_missing(self) -> str | None:
        """The layer that this machine lacks for it, or None."""
        if sys.platform != "linux":
            return "Linux"
        if not self.as_user and os.geteuid() != 0:
            return "root"
        if self.mode != "C" and shutil.which("bwrap") is None:
            return "bubblewrap"
        if self._needs_copy() and not Path("/usr/bin", VERSION).exists():
            return f"/usr/bin/{VERSION}, readable for everybody"
        return None

    def _needs_copy(self) -> bool:
        return os.geteuid() == 0 and (self.as_user or self.imitates is not None)

    @contextlib.contextmanager
    def open(self) -> Iterator[Place]:
        """A place to work on such a machine, taken away afterwards."""
        top = Path(tempfile.mkdtemp(prefix="grader-machine-", dir="/var/tmp"))
        try:
            top.chmod(0o755)
            folder = top / "home"
            folder.mkdir(mode=0o755)
            if os.geteuid() == 0 and self.as_user:
                os.chown(folder, USER, USER)
            yield self._place(top, folder)
        finally:
            shutil.rmtree(top, ignore_errors=True)

    def _place(self, top: Path, folder: Path) -> Place:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        prefix: list[str] = []
        if os.geteuid() == 0 and self.as_user:
            prefix += ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        python, checkout = sys.executable, ROOT
        if self._needs_copy():
            python, checkout = f"/usr/bin/{VERSION}", _readable_copy(top)
            environment["PYTHONPATH"] = f"{checkout}:{top / 'site-packages'}"
        if self.imitates:
            imitation = shutil.copy(ROOT / "tests" / "imitate.py", top)
            os.chmod(imitation, 0o644)
            prefix += [python, str(imitation), self.imitates]
        return Place(folder, checkout, tuple(prefix), python, environment)


def _readable_copy(top: Path) -> Path:
    """The checkout, with the installed packages beside it, for everybody to read."""
    for name in COPIED:
        shutil.copytree(ROOT / name, top / "checkout" / name)
    packages = Path(next(entry for entry in sys.path if entry.endswith("site-packages")))
    if subprocess.run(["cp", "-al", packages, top / "site-packages"], capture_output=True, check=False).returncode:
        shutil.rmtree(top / "site-packages", ignore_errors=True)
        shutil.copytree(packages, top / "site-packages")
    return top / "checkout"


MACHINES = {
    machine.name: machine
    for machine in (
        Machine("root", "B", as_user=False),
        Machine("user", "A1", as_user=True),
        Machine("user without capabilities", "A2", as_user=True, imitates="apparmor"),
        Machine("container as root", "C", as_user=False, imitates="container"),
        Machine("container as user", "C", as_user=True, imitates="container"),
    )
}
"""Every kind that there is a mode for, by name."""
