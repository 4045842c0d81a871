"""What a backend decides for its zygote: plain data that travels to it as JSON on its command line.

Written in the judge, read in the sandbox zygote. Nothing in it is secret: every process of a machine can read command
lines.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

Scratch = Literal["tmpfs", "folder", "none"]
"""Where a student process may write: a tmpfs of its own, an ordinary temporary folder, or nowhere."""


@dataclass(frozen=True)
class Settings:
    """How each student process is confined. Sizes in bytes; `memory` is address space above the warm interpreter.

    `namespaces`: new PID, mount, network, IPC and UTS namespaces for each. `exposed`: other processes and files of the
    same user are in reach, so that Landlock and seccomp alone keep them apart; `shared_user`: that user is also the one
    who grades. `filtered`: no capabilities, no_new_privs, seccomp. `readable`: what Landlock leaves readable, None for
    no Landlock. `multi`: the process may start others. `preload` names modules to import before the first fork.
    """

    namespaces: bool
    exposed: bool
    shared_user: bool
    filtered: bool
    readable: tuple[str, ...] | None
    scratch: Scratch
    multi: bool
    preload: tuple[str, ...]
    memory: int
    scratch_bytes: int
    scratch_files: int

    def to_json(self) -> str:
        """As one argument of a command line."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Settings:
        """What `to_json` wrote."""
        given = json.loads(text)
        readable = given.pop("readable")
        preload = tuple(given.pop("preload"))
        return Settings(**given, readable=None if readable is None else tuple(readable), preload=preload)
