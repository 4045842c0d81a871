"""Layers, tried for real: here, as an ordinary user, and where something was taken away."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from machines import USER, VERSION

from grader.sandbox import layers
from grader.sandbox.layers import Absent, Layer, in_child

ROOT = Path(__file__).parents[2]
PYTHON = f"/usr/bin/{VERSION}"
TRY = """
import dataclasses, json
from grader.sandbox.layers import try_layers
print(json.dumps([dataclasses.asdict(layer) for layer in try_layers()]))
"""
NAMESPACES = {"bubblewrap", "capabilities in bubblewrap", "own namespaces", "sized tmpfs"}
PROCESS = {"rlimits", "no_new_privs", "Landlock", "Landlock scopes", "seccomp"}
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups")
BARE = ("setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all")

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs the layer: root, who can become others")
readable_python = pytest.mark.skipif(not Path(PYTHON).exists(), reason=f"needs the layer: {PYTHON}, for everybody")


@pytest.fixture(scope="module")
def package() -> Iterator[Path]:
    """A folder with a copy of the package that everybody may read; `layers` needs no other."""
    folder = Path(tempfile.mkdtemp(prefix="grader-layers-", dir="/var/tmp"))
    folder.chmod(0o755)
    shutil.copytree(ROOT / "grader", folder / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "imitate.py", folder)
    yield folder
    shutil.rmtree(folder)


def tried(package: Path, *prefix: object, python: str = PYTHON, before: str = "") -> dict[str, dict[str, Any]]:
    """Layers by name, tried by another process: `prefix` starts it, `before` is what it does first."""
    ran = subprocess.run(
        [*map(str, prefix), python, "-S", "-P", "-B", "-c", before + TRY],
        env={"PYTHONPATH": str(package), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return {layer["name"]: layer for layer in json.loads(ran.stdout)}


def missing(found: dict[str, dict[str, Any]]) -> set[str]:
    """Names of the layers that are not there; a hint stands with each of them and with no other."""
    assert all(bool(layer["hint"]) is not layer["present"] and layer["tried"] for layer in found.values())
    return {name for name, layer in found.items() if not layer["present"]}


def test_this_machine_has_every_layer_that_its_user_can_have(package: Path) -> None:
    found = tried(package, python=sys.executable)
    root = os.geteuid() == 0
    closed = not Path(os.__file__).resolve().is_relative_to("/usr") and root
    assert missing(found) - {"open interpreter"} == (set() if root else {"own uid"})
    assert found["open interpreter"]["present"] or closed
    assert "MemoryError" in found["rlimits"]["tried"]
    assert found["Landlock"]["tried"].startswith("ABI ")
    assert "Permission denied" in found["Landlock"]["tried"]
    assert "Operation not permitted" in found["seccomp"]["tried"]
    assert "No space left" in found["sized tmpfs"]["tried"]
    assert "process 1" in found["own namespaces"]["tried"]


@root_only
@readable_python
def test_an_ordinary_user(package: Path) -> None:
    found = tried(package, *AS_USER)
    assert missing(found) == {"own uid"}
    assert "only root" in found["own uid"]["tried"]
    assert "--unshare-user" in found["bubblewrap"]["tried"]


@root_only
@readable_python
def test_an_interpreter_that_is_closed_to_others(package: Path) -> None:
    library = package / "grader" / "sandbox" / "layer_trials.py"
    library.chmod(0o600)
    try:
        found = tried(package)
    finally:
        library.chmod(0o644)
    assert missing(found) == {"open interpreter"}
    assert "Permission denied" in found["open interpreter"]["tried"]
    assert "not below /root" in found["open interpreter"]["hint"]


@root_only
@readable_python
def test_root_without_capabilities(package: Path) -> None:
    found = tried(package, *BARE)
    assert missing(found) == {*NAMESPACES, "own uid", "open interpreter"}
    for name in NAMESPACES:
        assert "Operation not permitted" in found[name]["tried"]
        assert "CAP_SYS_ADMIN" in found[name]["hint"]
        assert "mode C" in found[name]["hint"]
    assert "CAP_SETUID" in found["own uid"]["hint"]


@root_only
@readable_python
@pytest.mark.parametrize("prefix", [(), AS_USER], ids=["root", "user"])
def test_a_container(package: Path, prefix: tuple[str, ...]) -> None:
    found = tried(package, *prefix, PYTHON, package / "imitate.py", "container")
    assert missing(found) == {*NAMESPACES, "user namespaces"} | ({"own uid"} if prefix else set())
    assert all("mode C is used there" in found[name]["hint"] for name in NAMESPACES)


@root_only
@readable_python
def test_bubblewrap_without_capabilities_inside(package: Path) -> None:
    found = tried(package, *AS_USER, PYTHON, package / "imitate.py", "apparmor")
    assert missing(found) == {*NAMESPACES, "user namespaces", "own uid"} - {"bubblewrap"}


def test_without_bubblewrap(package: Path) -> None:
    before = "from grader.sandbox import layer_hints; layer_hints.BWRAP_PLACES = '/nowhere'\n"
    found = tried(package, python=sys.executable, before=before)
    assert {"bubblewrap", "capabilities in bubblewrap"} <= missing(found)
    assert found["bubblewrap"]["tried"] == "looked for bwrap in /nowhere: not there"
    assert "apt-get install bubblewrap" in found["bubblewrap"]["hint"]
    assert "dnf install bubblewrap" in found["capabilities in bubblewrap"]["hint"]


REFUSE = """
import struct
from grader.sandbox.backends import kernel, seccomp
steps = ((0x20, 0, 0, 0), (0x15, 0, 1, {number}), (0x06, 0, 0, 0x00050000 | {code}), (0x06, 0, 0, 0x7FFF0000))
kernel.forbid_new_privileges()
seccomp.install(b"".join(struct.pack("HBBI", *step) for step in steps), kernel.machine())
"""
"""A kernel that does not know a system call."""


def test_a_kernel_without_landlock(package: Path) -> None:
    found = tried(package, python=sys.executable, before=REFUSE.format(number=444, code=38))
    assert missing(found) & PROCESS == {"Landlock", "Landlock scopes"}
    assert found["Landlock"]["tried"] == "landlock_create_ruleset: Function not implemented"
    assert "lsm=" in found["Landlock"]["hint"]


def test_a_kernel_without_filters(package: Path) -> None:
    number = {"x86_64": 317, "aarch64": 277}[platform.machine()]
    found = tried(package, python=sys.executable, before=REFUSE.format(number=number, code=22))
    assert missing(found) & PROCESS == {"seccomp"}
    assert found["seccomp"]["tried"] == "seccomp(SECCOMP_SET_MODE_FILTER): Invalid argument"


STATE = """
def state():
    import os
    lines = [line for line in open("/proc/self/status") if line.startswith(("Uid", "Cap", "NoNewPrivs", "Seccomp:"))]
    spaces = [os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "net", "pid", "user")]
    return lines, spaces, open("/proc/self/mounts").read(), sorted(os.listdir("/proc/self/fd")), os.uname()
before = state()
"""
CHECK = """
import os
assert state() == before, (state(), before)
try:
    raise SystemExit(f"a child is left: {os.waitpid(-1, os.WNOHANG)}")
except ChildProcessError:
    pass
"""


def test_nothing_sticks(package: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-S", "-P", "-B", "-c", STATE + TRY + CHECK],
        env={"PYTHONPATH": str(package), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_elsewhere_there_is_one_honest_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers.sys, "platform", "darwin")
    monkeypatch.setattr(layers.platform, "system", lambda: "Darwin")
    (row,) = layers.try_layers()
    assert (row.present, row.needed_by) == (False, ("A1", "A2", "B", "C"))
    assert "Darwin" in row.tried
    assert "Linux" in row.hint


def hang() -> NoReturn:
    """Starts a child and sleeps, as that child does."""
    os.fork()
    while True:
        time.sleep(60)


def die() -> NoReturn:
    """Dies of a signal."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def lack() -> NoReturn:
    """Reports that it is not there."""
    raise Absent("asked: not there")


def stumble() -> NoReturn:
    """Raises what nobody foresaw."""
    raise KeyError("x")


def test_attempts_end_in_words() -> None:
    assert in_child(lambda: "asked: there", 10) == (True, "asked: there")
    assert in_child(lack, 10) == (False, "asked: not there")
    assert in_child(stumble, 10) == (False, "KeyError: 'x'")
    assert in_child(die, 10) == (False, "the process that tried it ended with status -9")
    started = time.monotonic()
    assert in_child(hang, 0.5) == (False, "no answer within 0.5 s")
    assert time.monotonic() - started < 5
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_layer_is_a_record() -> None:
    layer = Layer("x", True, "y", "")
    with pytest.raises(AttributeError):
        layer.present = False  # type: ignore[misc]
