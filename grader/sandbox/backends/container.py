"""The container backend, mode C: confinement where no namespaces are to be had, as in most platforms' containers.

Runs in the judge. The zygote is an ordinary process with an empty environment. Each student process is held by Landlock
(the interpreter and its packages are all it can open, nothing can be written), an allow-list of system calls (no fork,
no exec, no sockets, signals to itself alone, changes of files' metadata pretended), rlimits and no_new_privs. As root
each submission becomes a uid of its own as well. Since it cannot fork, ending the one process ends everything.

What is weaker than in the other modes: names, sizes and dates of files can be looked up by who guesses a path, unless
they lie in a folder that its uid may not enter. The container itself is the outer wall.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.backends.interpreter import plain_arguments, readable_in_place, zygote_environment
from grader.sandbox.backends.linux import require_kernel
from grader.sandbox.backends.uids import uids_of_this_process
from grader.sandbox.base import SandboxBroken
from grader.sandbox.settings import Settings
from grader.sandbox.zygote import ZygoteSandbox, launch_command

_WITH_SHARED_USER = 3
"""The first Landlock ABI (Linux 6.2) that can forbid truncating files which the user owns."""


@dataclass(frozen=True)
class ContainerBackend:
    """Mode `C`."""

    mode: str = "C"
    name: str = "container"

    def open(self, limits: Limits, needs: SandboxNeeds, slot: int) -> ZygoteSandbox:
        """See `Backend.open`."""
        root = os.geteuid() == 0
        require_kernel(1 if root else _WITH_SHARED_USER)
        if needs.profile == "multi":
            raise SandboxBroken("the profile multi needs a PID namespace, which mode C has not")
        readable = readable_in_place()
        settings = Settings(
            namespaces=False,
            exposed=True,
            shared_user=not root,
            filtered=True,
            readable=readable,
            scratch="none",
            multi=False,
            preload=tuple(needs.preload),
            memory=limits.memory_mb << 20,
            scratch_bytes=limits.scratch_mb << 20,
            scratch_files=limits.scratch_files,
        ).to_json()
        arguments = plain_arguments()

        def command(descriptor: int) -> list[str]:
            return [*arguments, str(descriptor), settings]

        environment = zygote_environment(os.environ.get("LD_LIBRARY_PATH", ""))
        return ZygoteSandbox("C", launch_command(command, environment), limits.output_kb << 10, _uids(root, readable))


def _uids(root: bool, readable: Sequence[str]) -> range | None:
    """User ids for root's student processes.

    Raises:
        SandboxBroken: there are too few, or the interpreter is closed to them.
    """
    if not root:
        return None
    for path in readable:
        _require_open_to_others(path)
    try:
        return uids_of_this_process()
    except LookupError as error:
        raise SandboxBroken(str(error)) from None


def _require_open_to_others(path: str) -> None:
    step = os.path.realpath(path)
    needed = 0o5 if os.path.isdir(step) else 0o4
    while True:
        if os.stat(step).st_mode & needed != needed:
            raise SandboxBroken(
                f"student processes get a user of their own, to whom {step} is closed: install Python and the packages "
                "where everybody may read them"
            )
        if step == "/":
            return
        step, needed = os.path.dirname(step), 0o1
