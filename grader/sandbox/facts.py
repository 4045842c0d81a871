"""How a student process ended, from the kernel's side, and what that means.

Pure data: the facts come from wait status and resource usage as the zygote reports them, never from the student's
process. `explain_end` turns them into words for people.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class ExitFacts:
    """`status` is the exit status, or minus the signal that ended the process; `peak_kb` its largest resident size.

    `over_memory`: the zygote ended it, since its processes together held more memory than allowed.
    """

    status: int
    cpu_seconds: float
    peak_kb: int
    over_memory: bool = False

    @property
    def signal_name(self) -> str | None:
        """Name of the signal that ended the process, or None if it exited."""
        if self.status >= 0:
            return None
        try:
            return signal.Signals(-self.status).name
        except ValueError:
            return f"signal {-self.status}"


def struck_cpu_limit(facts: ExitFacts, cpu_seconds: float) -> bool:
    """Whether the processor-time limit of this process ended it (the kernel sends SIGKILL or SIGXCPU)."""
    return facts.signal_name in ("SIGKILL", "SIGXCPU") and facts.cpu_seconds >= cpu_seconds - 0.5


_SIGNALS = {
    "SIGSEGV": "it touched memory that is not its own (SIGSEGV)",
    "SIGABRT": "it called abort (SIGABRT)",
    "SIGKILL": "it was ended by SIGKILL",
    "SIGFPE": "it divided an integer by zero in native code (SIGFPE)",
    "SIGBUS": "it touched memory that is not there (SIGBUS)",
    "SIGILL": "it ran an instruction that the processor does not have (SIGILL)",
    "SIGSYS": "it made a system call that the sandbox forbids (SIGSYS)",
}


def explain_end(facts: ExitFacts) -> str:
    """How the process ended, as a clause for people."""
    name = facts.signal_name
    if facts.over_memory:
        return "it was ended, since its processes together held too much memory"
    if name is None:
        return f"it exited with status {facts.status}"
    return _SIGNALS.get(name, f"it was ended by {name}")
