"""What staff read of a process that did not answer as it should: how it ended, and what it was allowed.

Pure functions, in the judge. The facts are the kernel's; only the text of a protocol violation is the student's word,
cleaned and cut here. What differs from run to run, such as the memory it had, is left out: two gradings of a submission
are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.model.assignment import Limits
from grader.model.result import Incident, IncidentKind
from grader.model.text import plain_text
from grader.sandbox.base import StudentGone, StudentLied, StudentTimeout, StudentTrouble
from grader.sandbox.facts import ExitFacts

_TIMES = {
    "import": "Over the time of an import",
    "check": "Over the time of a check",
    "processor": "Over the processor time",
    "total": "Over the time of all checks",
    "share": "Over its share of the platform's time",
}
OUT_OF_MEMORY = "Out of memory"
_KINDS: tuple[IncidentKind, ...] = ("protocol", "forbidden", "ended", "refused")


def ending(trouble: StudentTrouble) -> str:
    """What became of the process, in a few words that group checks; empty if it was not started."""
    if isinstance(trouble, StudentGone):
        name = trouble.facts.signal_name
        if trouble.facts.over_memory:
            return OUT_OF_MEMORY
        return f"Ended by {name}" if name else f"Exited with status {trouble.facts.status}"
    if isinstance(trouble, StudentLied):
        return "Protocol violation"
    return _TIMES[trouble.limit] if isinstance(trouble, StudentTimeout) else ""


def detail(trouble: StudentTrouble, limits: Limits) -> str:
    """All that is known of it, for `staff_detail`."""
    said = f": {plain_text(str(trouble), 300)}" if isinstance(trouble, StudentLied) else ""
    head = f"{ending(trouble) or 'Not run'}{said}."
    return f"{head}\n{figures(trouble.facts, limits, ended_itself=isinstance(trouble, StudentGone))}"


def figures(facts: ExitFacts | None, limits: Limits, ended_itself: bool) -> str:
    """The limits, and where a process was known how it ended."""
    allowed = (
        f"Limits: {limits.check_seconds:g} s for a check, {limits.import_seconds:g} s for the import, "
        f"{limits.total_seconds:g} s in all, {limits.cpu_seconds} s of processor time, "
        f"{limits.memory_mb} MB of memory above the warm interpreter."
    )
    if facts is None:
        return allowed
    end = facts.signal_name or f"status {facts.status}"
    how = f"Process: ended by itself ({end})." if ended_itself else "Process: ended by the grader."
    return f"{how}\n{allowed}"


def summary(endings: Iterable[tuple[str, str]]) -> list[str]:
    """One notice for each kind of ending, with the ids of its checks, from pairs (id, ending)."""
    grouped: dict[str, list[str]] = {}
    for check, words in endings:
        if words:
            grouped.setdefault(words, []).append(check)
    return [
        f"{words} in check{'s' if len(checks) > 1 else ''} {', '.join(checks)}." for words, checks in grouped.items()
    ]


def incident(trouble: StudentTrouble) -> IncidentKind | None:
    """What staff should look at in a process that did not answer, or None: limits strike honest code, too."""
    if isinstance(trouble, StudentLied):
        return "protocol"
    if isinstance(trouble, StudentGone) and not trouble.facts.over_memory:
        # The filter of system calls kills for those of another processor alone; the others fail with an error.
        return "forbidden" if trouble.facts.signal_name == "SIGSYS" else "ended"
    return None


def refusal(kinds: Sequence[str]) -> IncidentKind | None:
    """`refused` if an exception of these classes, the innermost first, is Python's word for that."""
    return "refused" if "PermissionError" in kinds else None


def incidents(
    at_import: Iterable[IncidentKind | None], in_checks: Iterable[tuple[str, IncidentKind | None]]
) -> list[Incident]:
    """One record for each kind, from those of the import and from pairs (id of a check, kind)."""
    imported = set(at_import)
    checks: dict[IncidentKind, list[str]] = {kind: [] for kind in _KINDS if kind in imported}
    for check, kind in in_checks:
        if kind is not None:
            checks.setdefault(kind, []).append(check)
    return [Incident(kind, checks[kind], kind in imported) for kind in _KINDS if kind in checks]
