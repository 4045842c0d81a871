"""The linux backend: bubblewrap around the zygote, and every inner layer on each student process.

Runs in the judge. Mode A1 is for an unprivileged user on a system with user namespaces: bubblewrap makes one, and the
zygote keeps CAP_SYS_ADMIN inside it to give each child namespaces of its own. Mode B is for root: no user namespace,
and each submission becomes a uid of its own. Root never takes A1, since the kernel does not enforce RLIMIT_NPROC for
root inside a user namespace.

What bubblewrap mounts is an allow-list (see `interpreter`): read-only, without network, with an empty environment.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.assignment import Limits
from grader.sandbox.backends import syscalls
from grader.sandbox.backends.interpreter import Interpreter, describe_interpreter
from grader.sandbox.base import SandboxBroken
from grader.sandbox.zygote import ZygoteSandbox, launch_command

_FIRST_UID = 210_000
_UIDS_PER_SLOT = 1000
_ROOT_CAPABILITIES = ("SYS_ADMIN", "SETUID", "SETGID", "KILL", "SETPCAP", "CHOWN")
INSTALL_HINT = "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)"


@dataclass(frozen=True)
class LinuxBackend:
    """Mode `A1` (unprivileged) or `B` (root)."""

    mode: str
    name: str = "linux"

    def open(self, limits: Limits, preload: Sequence[str], slot: int) -> ZygoteSandbox:
        """See `Backend.open`."""
        bwrap = self._requirements()
        interpreter = describe_interpreter()
        settings = {
            "namespaces": True,
            "filtered": True,
            "readable": interpreter.readable,
            "preload": list(preload),
            "memory": limits.memory_mb << 20,
            "scratch_bytes": limits.scratch_mb << 20,
            "scratch_files": limits.scratch_files,
        }

        def command(descriptor: int) -> list[str]:
            outer = [bwrap, *_isolation(self.mode), *_mounts(interpreter)]
            return [*outer, "--", *interpreter.arguments, str(descriptor), json.dumps(settings)]

        first = _FIRST_UID + slot * _UIDS_PER_SLOT
        uids = range(first, first + _UIDS_PER_SLOT) if self.mode == "B" else None
        # bubblewrap itself starts with an empty environment: its own would be readable as /proc/1/environ.
        return ZygoteSandbox(self.mode, launch_command(command, {}), limits.output_kb << 10, uids)

    def _requirements(self) -> str:
        """Path of bubblewrap; raises SandboxBroken for what can be told without trying."""
        if sys.platform != "linux":
            raise SandboxBroken("confinement needs Linux; run the grader in a container or a virtual machine there")
        from grader.sandbox.backends import kernel, landlock  # which only Linux can load

        root = os.geteuid() == 0
        if self.mode == "A1" and root:
            raise SandboxBroken("mode A1 is for unprivileged users; root takes mode B")
        if self.mode == "B" and not root:
            raise SandboxBroken("mode B needs root")
        if kernel.machine() not in syscalls.ALLOWED:
            raise SandboxBroken(f"there is no system call table for the processor {kernel.machine()}")
        if not landlock.abi():
            raise SandboxBroken("this kernel has no Landlock (Linux 5.13 or newer, with landlock among its LSMs)")
        bwrap = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
        if bwrap is None:
            raise SandboxBroken(f"bwrap is not installed: {INSTALL_HINT}")
        return bwrap


def _isolation(mode: str) -> list[str]:
    arguments = ["--die-with-parent", "--new-session", "--clearenv"]
    if mode == "B":
        arguments += ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        arguments += ["--cap-drop", "ALL"]
        for capability in _ROOT_CAPABILITIES:
            arguments += ["--cap-add", f"CAP_{capability}"]
    else:
        arguments += ["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000"]
        arguments += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
    return [*arguments, "--hostname", "sandbox"]


def _mounts(interpreter: Interpreter) -> list[str]:
    environment = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/tmp",
        "USER": "student",  # torch's compiler asks for it when it is imported
        "LD_LIBRARY_PATH": interpreter.library_path,
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
    }
    arguments = []
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    arguments += ["--size", str(16 << 20), "--tmpfs", "/tmp", "--dir", "/box", "--dir", "/proc", "--dir", "/dev"]
    for here, there in interpreter.binds:
        parents = there.split("/")[1:-1]
        for depth in range(len(parents)):  # parents that bubblewrap makes unasked have mode 0700
            arguments += ["--dir", "/" + "/".join(parents[: depth + 1])]
        arguments += ["--ro-bind", here, there]
    for target, link in interpreter.links:
        arguments += ["--symlink", target, link]
    arguments += ["--proc", "/proc"]
    for node in ("null", "zero", "urandom", "random"):
        arguments += ["--dev-bind", f"/dev/{node}", f"/dev/{node}"]
    arguments += ["--size", str(64 << 10), "--tmpfs", "/dev/shm", "--chdir", "/"]
    return [*arguments, "--remount-ro", "/dev/shm", "--remount-ro", "/"]
