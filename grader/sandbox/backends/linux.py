"""The linux backend: bubblewrap around the zygote, and every inner layer on each student process.

Runs in the judge. Mode A1 is for an unprivileged user on a system with user namespaces: bubblewrap makes one, and the
zygote keeps CAP_SYS_ADMIN inside it to give each child namespaces of its own. Mode A2 is for systems that let
bubblewrap make namespaces but give nobody inside capabilities (Ubuntu's AppArmor profile): there each submission gets a
bubblewrap of its own, warmed up in advance, and its processes get the inner layers without namespaces, and nothing to
write to. Mode B is for root: no user namespace, and each submission becomes a uid of its own. Root never takes A1 or
A2, since the kernel does not enforce RLIMIT_NPROC for root inside a user namespace.

What bubblewrap mounts is an allow-list (see `interpreter`): read-only, without network, with an empty environment.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass

from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.backends import syscalls
from grader.sandbox.backends.interpreter import Interpreter, describe_interpreter, zygote_environment
from grader.sandbox.backends.uids import uids_of_this_process
from grader.sandbox.base import Sandbox, SandboxBroken
from grader.sandbox.pool import OneShotSandbox
from grader.sandbox.settings import Settings
from grader.sandbox.zygote import Launch, ZygoteSandbox, launch_command

_ROOT_CAPABILITIES = ("SYS_ADMIN", "SETUID", "SETGID", "KILL", "SETPCAP", "CHOWN")
_AROUND_ONE = ("bubblewrap: PID, mount, network, IPC and UTS namespaces for each submission",)
INSTALL_HINT = "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)"


@dataclass(frozen=True)
class LinuxBackend:
    """Mode `A1` or `A2` (unprivileged) or `B` (root)."""

    mode: str
    name: str = "linux"

    def open(self, limits: Limits, needs: SandboxNeeds, slot: int) -> Sandbox:
        """See `Backend.open`."""
        bwrap = self._requirements(needs)
        interpreter = describe_interpreter()
        settings = Settings(
            namespaces=self.mode != "A2",
            exposed=self.mode == "A2",
            shared_user=False,  # in A1 and A2 a user namespace counts its own tasks
            filtered=True,
            readable=interpreter.readable,
            scratch="none" if self.mode == "A2" else "tmpfs",
            multi=needs.profile == "multi",
            preload=tuple(needs.preload),
            memory=limits.memory_mb << 20,
            scratch_bytes=limits.scratch_mb << 20,
            scratch_files=limits.scratch_files,
        ).to_json()

        def command(descriptor: int) -> list[str]:
            outer = [bwrap, *_isolation(self.mode), *_mounts(interpreter)]
            return [*outer, "--", *interpreter.arguments, str(descriptor), settings]

        # bubblewrap itself starts with an empty environment: its own would be readable as /proc/1/environ.
        return self._sandbox(launch_command(command, {}), limits.output_kb << 10)

    def _sandbox(self, launch: Launch, output_cap: int) -> Sandbox:
        if self.mode == "A2":
            return OneShotSandbox(lambda: ZygoteSandbox("A2", launch, output_cap, outer=_AROUND_ONE))
        try:
            uids = uids_of_this_process() if self.mode == "B" else None
        except LookupError as error:
            raise SandboxBroken(str(error)) from None
        return ZygoteSandbox(self.mode, launch, output_cap, uids, ["bubblewrap"])

    def _requirements(self, needs: SandboxNeeds) -> str:
        """Path of bubblewrap; raises SandboxBroken for what can be told without trying."""
        require_kernel()
        root = os.geteuid() == 0
        if self.mode in ("A1", "A2") and root:
            raise SandboxBroken(f"mode {self.mode} is for unprivileged users; root takes mode B")
        if self.mode == "B" and not root:
            raise SandboxBroken("mode B needs root")
        if self.mode == "A2" and needs.profile == "multi":
            raise SandboxBroken("the profile multi needs a PID namespace for each process, which mode A2 has not")
        bwrap = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
        if bwrap is None:
            raise SandboxBroken(f"bwrap is not installed: {INSTALL_HINT}")
        return bwrap


def require_kernel(landlock_abi: int = 1) -> None:
    """Raises SandboxBroken unless this is a Linux whose kernel has what every confined mode needs."""
    if sys.platform != "linux":
        raise SandboxBroken("confinement needs Linux; run the grader in a container or a virtual machine there")
    from grader.sandbox.backends import kernel, landlock  # which only Linux can load

    if kernel.machine() not in syscalls.ALLOWED:
        raise SandboxBroken(f"there is no system call table for the processor {kernel.machine()}")
    found = landlock.abi()
    if not found:
        raise SandboxBroken("this kernel has no Landlock (Linux 5.13 or newer, with landlock among its LSMs)")
    if found < landlock_abi:
        raise SandboxBroken(f"this kernel's Landlock is too old: ABI {found}, where {landlock_abi} is needed")


def _isolation(mode: str) -> list[str]:
    arguments = ["--die-with-parent", "--new-session", "--clearenv"]
    if mode == "B":
        arguments += ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        arguments += ["--cap-drop", "ALL"]
        for capability in _ROOT_CAPABILITIES:
            arguments += ["--cap-add", f"CAP_{capability}"]
    else:
        arguments += ["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000"]
    if mode == "A1":
        arguments += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
    return [*arguments, "--hostname", "sandbox"]


def _mounts(interpreter: Interpreter) -> list[str]:
    arguments = []
    for name, value in zygote_environment(interpreter.library_path).items():
        arguments += ["--setenv", name, value]
    arguments += ["--size", str(16 << 20), "--tmpfs", "/tmp", "--dir", "/box", "--dir", "/proc", "--dir", "/dev"]
    for here, there in interpreter.binds:
        parents = there.split("/")[1:-1]
        for depth in range(len(parents)):  # parents that bubblewrap makes unasked have mode 0700
            arguments += ["--dir", "/" + "/".join(parents[: depth + 1])]
        arguments += ["--ro-bind", here, there]
    for there in interpreter.hidden:
        arguments += ["--ro-bind", "/dev/null", there]
    for target, link in interpreter.links:
        arguments += ["--symlink", target, link]
    arguments += ["--proc", "/proc"]
    for node in ("null", "zero", "urandom", "random"):
        arguments += ["--dev-bind", f"/dev/{node}", f"/dev/{node}"]
    arguments += ["--size", str(64 << 10), "--tmpfs", "/dev/shm", "--chdir", "/"]
    return [*arguments, "--remount-ro", "/dev/shm", "--remount-ro", "/"]
