"""A platform's container, made of this machine: a root of its own, packages unpacked into it, namespaces denied.

Bubblewrap, started by root, gives the file system that a platform's container has: the distribution read-only, the
platform's folders writable, nothing of this checkout. Inside, `imitate.py` takes away namespaces and all capabilities
but a container engine's. What `install.sh` would install is there already, as hard links to the packages that run these
tests, since installing takes minutes; one test of the long suite runs it for real.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
PYTHON = f"/usr/bin/{VERSION}"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
SOURCES = {
    "right": RIGHT,
    "wrong": RIGHT.replace("2 * x", "x * x"),
    "endless": RIGHT.replace("return x.sum()", "while True: pass"),
    "broken": "def double(x:\n",
}
"""Submissions for the tiny course, one of each kind of end."""
Command = Callable[..., subprocess.CompletedProcess[str]]


def reason_missing() -> str | None:
    """The layer that this machine lacks for such a container, or None."""
    if sys.platform != "linux":
        return "Linux"
    if os.geteuid() != 0:
        return "root"
    if shutil.which("bwrap") is None:
        return "bubblewrap"
    return None if Path(PYTHON).exists() else PYTHON


needs_container = pytest.mark.skipif(reason_missing() is not None, reason=f"needs the layer: {reason_missing()}")


@dataclass(frozen=True)
class Container:
    """`folders` are writable, by their paths in the container; `read_only` are not."""

    folders: Mapping[str, Path]
    read_only: Mapping[str, Path] = field(default_factory=dict)

    def run(
        self,
        command: Sequence[str],
        cwd: str = "/",
        environment: Mapping[str, str] | None = None,
        seconds: float = 300,
        given: str | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """A command as root of the container, without namespaces; `given` is its standard input."""
        around = ["bwrap", "--cap-add", "ALL", "--die-with-parent", "--ro-bind", "/usr", "/usr"]
        around += ["--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev"]
        for name in ("bin", "sbin", "lib", "lib64"):
            place = Path("/", name)
            if place.is_symlink():
                around += ["--symlink", os.readlink(place), str(place)]
            elif place.is_dir():
                around += ["--ro-bind", str(place), str(place)]
        for path, mode in (("/tmp", "1777"), ("/var/tmp", "1777"), ("/root", "0755"), ("/run", "0755")):
            around += ["--perms", mode, "--tmpfs", path]
        around += [
            "--ro-bind",
            str(ROOT / "tests" / "imitate.py"),
            "/run/imitate.py",
            "--perms",
            "0755",
            "--dir",
            "/opt",
        ]
        for inside, folder in self.folders.items():
            around += ["--bind", str(folder), inside]
        for inside, folder in self.read_only.items():
            around += ["--ro-bind", str(folder), inside]
        around += ["--chdir", cwd, PYTHON, "/run/imitate.py", "container", *command]
        bare = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "LANG": "C.UTF-8", **(environment or {})}
        return subprocess.run(
            around, env=bare, input=given, capture_output=True, text=True, timeout=seconds, check=False
        )


def unpacked(package: Path, folder: Path) -> Path:
    """A package's files in a folder, with their modes, as `unzip` and `tar` leave them."""
    folder.mkdir(parents=True, exist_ok=True)
    if tarfile.is_tarfile(package):
        with tarfile.open(package) as archive:
            archive.extractall(folder, filter="data")
        return folder
    with zipfile.ZipFile(package) as archive:
        for member in archive.infolist():
            path = Path(archive.extract(member, folder))
            path.chmod(member.external_attr >> 16 & 0o777)
    return folder


def environment_of(packages: Path, source: Path, folder: Path) -> Path:
    """What `install.sh` makes, for /opt/grader: an environment with `packages` and the grader of a package."""
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    place = folder / "lib" / VERSION / "site-packages"
    shutil.rmtree(place)
    subprocess.run(["cp", "-al", str(packages), str(place)], check=True)
    for left in list(place.glob("_editable_impl_grader*")):
        left.unlink()
    shutil.copytree(source / "grader", place / "grader", dirs_exist_ok=True)
    for private in (source / "course", source / "known.msgpack"):
        if private.exists():  # some platforms keep them elsewhere
            subprocess.run(["chmod", "-R", "go-rwx", str(private)], check=True)
    return folder


class Workshop:
    """Where packages of the tiny course are built, and what `grader grade` says of the same submissions."""

    def __init__(self, folder: Path, grader: Command) -> None:
        self.folder = folder
        self._grader = grader

    def package(self, platform: str, *options: str) -> Path:
        """The unpacked package for a platform."""
        file = self.folder / f"{platform}.package"
        course = ROOT / "tests" / "course"
        ran = self._grader("package", "tiny", "--for", platform, "--out", file, "--course", course, *options)
        assert ran.returncode == 0, ran.stderr
        return unpacked(file, self.folder / platform)

    def installed(self, files: Path) -> Path:
        """The environment that the package whose common files lie in `files` would install, for /opt/grader."""
        packages = Path(next(entry for entry in sys.path if entry.endswith("site-packages")))
        return environment_of(packages, files, Path(tempfile.mkdtemp(dir=self.folder)) / "environment")

    @functools.cached_property
    def expected(self) -> dict[str, dict[str, Any]]:
        """Results of `grader grade` on this machine for SOURCES, by their names."""
        place = self.folder / "class"
        for name, text in SOURCES.items():
            (place / name).mkdir(parents=True)
            (place / name / "tiny.py").write_text(text)
        out = self.folder / "out"
        ran = self._grader("grade", place, "--assignment", "tiny", "--out", out, "--course", ROOT / "tests" / "course")
        assert ran.returncode == 0, ran.stderr
        return {path.stem: json.loads(path.read_bytes()) for path in (out / "results").glob("*.json")}


@contextlib.contextmanager
def a_workshop(grader: Command) -> Iterator[Workshop]:
    """A workshop that everybody may enter, taken away afterwards: inside a container students have other uids."""
    top = Path(tempfile.mkdtemp(prefix="grader-container-", dir="/var/tmp"))
    try:
        top.chmod(0o755)
        yield Workshop(top, grader)
    finally:
        shutil.rmtree(top, ignore_errors=True)
