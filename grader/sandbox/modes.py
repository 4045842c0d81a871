"""Which way to confine student code on this machine: tried, not guessed.

Runs in the command. `probe_all` starts each backend for real with an interpreter that imports nothing heavy and one
confined process in it; `choose` takes the best that works and refuses below what the caller demands, with a sentence
that says what to install. Nothing degrades silently.
"""

from __future__ import annotations

import os

from grader import registry
from grader.errors import MachineProblem, UsageProblem
from grader.model.assignment import Limits, SandboxNeeds
from grader.sandbox.base import MODES, MULTI_MODES, STRICT_MODES, Backend, Probe, SandboxBroken


def backend_for(mode: str) -> Backend:
    """The backend that provides a mode."""
    made = registry.load(registry.BACKENDS[mode])
    backend: Backend = made() if mode == "plain" else made(mode)
    return backend


def probe(mode: str) -> Probe:
    """Whether a mode works here, by starting one empty confined process in it."""
    if mode not in registry.BACKENDS:
        return Probe("", mode, False, (), "this mode is not available in this version")
    backend = backend_for(mode)
    try:
        sandbox = backend.open(Limits(), SandboxNeeds(), slot=0)
        try:
            process = sandbox.spawn(cpu_seconds=5)
            layers = tuple(process.layers)
            process.end()
        finally:
            sandbox.close()
    except SandboxBroken as broken:
        return Probe(backend.name, mode, False, (), str(broken))
    return Probe(backend.name, mode, True, layers)


def probe_all() -> list[Probe]:
    """Every mode, best first, tried on this machine."""
    return [probe(mode) for mode in MODES]


def choose(isolation: str, minimum: str, profile: str = "single") -> str:
    """The mode to grade with.

    `isolation` is `auto` (the best that works), `strict` (A1, A2 or B) or `plain`; `minimum` is the least that the
    assignment accepts under `auto`: a mode's name, or `confined` for any but plain; `profile` is what its code needs.

    Raises:
        MachineProblem: nothing that works here is good enough; the text says what is missing.
        UsageProblem: `minimum` is no mode.
    """
    if isolation == "plain":
        return "plain"
    wanted = STRICT_MODES if isolation == "strict" else _at_least(minimum)
    reasons = []
    if profile == "multi":
        reasons = ["this assignment lets student code start processes, which only modes A1 and B can hold"]
        wanted = tuple(mode for mode in wanted if mode in MULTI_MODES)
    for mode in wanted:
        found = probe(mode)
        if found.works:
            return mode
        if mode in registry.BACKENDS:
            reasons.append(f"{mode}: {found.reason}")
    raise MachineProblem(
        "Student code can't be confined on this machine, so nothing was graded ("
        + "; ".join(reasons)
        + "). Run `grader doctor`, or accept the risk with --isolation plain."
    )


def slots_at_once(mode: str, wanted: int, profile: str = "single") -> int:
    """How many slots may run at the same time.

    One where students' processes share a user: what the kernel counts for each user (threads, descriptors on their way)
    one submission could use up while another runs.
    """
    shared = (mode == "C" and os.geteuid() != 0) or (mode == "A1" and profile == "multi")
    return 1 if shared else wanted


def _at_least(minimum: str) -> tuple[str, ...]:
    if minimum == "confined":
        return tuple(mode for mode in MODES if mode != "plain")
    if minimum not in MODES:
        raise UsageProblem(f"[isolation] minimum is {minimum!r}; expected confined or one of {', '.join(MODES)}.")
    return MODES[: MODES.index(minimum) + 1]
