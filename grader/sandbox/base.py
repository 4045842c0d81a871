"""What the judge knows of a sandbox: processes that answer frames, and the ways in which they fail to.

Runs in the judge. Backends (`grader.sandbox.backends`) start the zygotes; this module and `process` are all that the
judge sees of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.facts import ExitFacts

MODES = ("A1", "A2", "B", "C", "plain")
"""Names of the modes; `docs/security.md` says what each holds."""

STRICT_MODES = ("A1", "A2", "B")
MULTI_MODES = ("A1", "B", "plain")
"""Where the profile `multi` is to be had: elsewhere processes could outlive the one that started them."""


TimeLimit = Literal["import", "check", "processor", "total", "share"]
"""Which time was up: that of the import, of one check, of the processor or of everything together."""


@dataclass(frozen=True)
class Place:
    """A line of the submission that student code was at. The student's word, but a line that exists, with its text."""

    file: str
    line: int
    function: str | None
    source: str


class StudentTrouble(Exception):
    """The student process did not answer as it should; the check that it served fails for it.

    `place` says where student code was, as far as that is known. `facts` say how the process ended once it was given
    up.
    """

    place: Place | None = None
    facts: ExitFacts | None = None


class StudentTimeout(StudentTrouble):
    """No answer within the time allowed; `limit` says which time that was."""

    def __init__(self, limit: TimeLimit = "check") -> None:
        super().__init__(f"no answer within the time allowed ({limit})")
        self.limit = limit


class StudentLied(StudentTrouble):
    """The answer was no valid reply to the call; `str()` says what was wrong with it."""


class StudentGone(StudentTrouble):
    """The process ended instead of answering; `facts` say how.

    `aborted`: it had called abort, by its own word. The first process of a PID namespace cannot die of SIGABRT, and
    dies of SIGSEGV then.
    """

    facts: ExitFacts
    aborted: bool = False

    def __init__(self, facts: ExitFacts) -> None:
        super().__init__(f"the process ended with status {facts.status}")
        self.facts = facts


class SandboxBroken(Exception):
    """The machine's fault: the zygote is gone, or a process could not be confined. Nothing is held against anyone."""


class StudentProcess(Protocol):
    """One student process, confined and waiting for calls."""

    layers: Sequence[str]

    def ask(self, frame: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Send a frame and return the header and payload of the answering one.

        Raises:
            StudentTimeout, StudentGone, StudentLied: as their names say; the process must then be ended.
        """

    def printed(self) -> tuple[bytes, bytes]:
        """What the process has written to its standard output and error since the last call, head and tail."""

    def end(self) -> ExitFacts:
        """Kill the process if it lives, wait for it, and say how it ended."""


class Sandbox(Protocol):
    """A warm zygote that starts student processes. One submission at a time."""

    mode: str

    def wait_ready(self) -> None:
        """Until the zygote is warm; to be called before the judge forks, since it is told once.

        Raises:
            SandboxBroken: it did not start; the text says what it said.
        """

    def expect_many(self) -> None:
        """Told once, if many submissions will come: time may be spent now that makes each of them cheaper."""

    def spawn(self, cpu_seconds: int) -> StudentProcess:
        """A fresh, confined process with so many seconds of processor time.

        Raises:
            SandboxBroken: the machine could not provide one.
        """

    def sweep(self) -> None:
        """End whatever process is left of the last submission. Raises SandboxBroken if the zygote is gone."""

    def close(self) -> None:
        """End the zygote and everything in it."""


@dataclass(frozen=True)
class Probe:
    """Whether a backend works on this machine: the mode it gives, its layers, or why it does not and what to do."""

    backend: str
    mode: str
    works: bool
    layers: tuple[str, ...] = ()
    reason: str = ""


class Backend(Protocol):
    """One way to confine student code on some kind of machine."""

    name: str
    mode: str

    def open(self, limits: Limits, needs: SandboxNeeds, slot: int) -> Sandbox:
        """Start a zygote for one slot; slots of one run have different numbers.

        Raises:
            SandboxBroken: this machine does not have what the backend needs; the text says what is missing.
        """
