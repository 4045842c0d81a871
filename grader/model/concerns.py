"""What staff should look at first in a class, by kind, the most pressing kind first.

Pure functions over results, for staff. Everything here is told by a key of a result or by the roster; no text is
searched. Most of it is an accident, and nothing of it has cost a point by itself: it is where a person should look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from grader.model.check_stats import CheckStanding
from grader.model.result import GradeResult
from grader.model.roster import Standing

Kind = Literal["ungraded", "protocol", "forbidden", "doubts", "checks", "ended", "invalid", "refused"]
"""`doubts`: submissions held for staff, since the roster does not tell whose they are; `checks`: checks to look at."""

KINDS: tuple[Kind, ...] = ("ungraded", "protocol", "forbidden", "doubts", "checks", "ended", "invalid", "refused")
SHOWN = 8
"""Entries that are told of a kind."""


class Entry(msgspec.Struct, frozen=True):
    """One thing to look at: the id of a submission, or of a check where the kind is `checks`, and what is known.

    `checks` are the numbers of those in which it happened; `at_import` says that it happened during the import.
    """

    id: str
    text: str = ""
    checks: list[int] = []
    at_import: bool = False


class Concern(msgspec.Struct, frozen=True):
    """Things of one kind: how many there are, and the first of them."""

    kind: Kind
    total: int
    entries: list[Entry]


def concerns(results: Sequence[GradeResult], checks: Sequence[CheckStanding], people: Standing | None) -> list[Concern]:
    """Every kind of which there is something."""
    found: dict[Kind, list[Entry]] = {kind: [] for kind in KINDS}
    numbers = {check.id: check.number for check in checks}
    for result in results:
        name = result.submission.id
        if result.status != "graded":
            found[result.status].append(Entry(name, result.reason or ""))
        for incident in result.incidents:
            found[incident.kind].append(Entry(name, "", _numbers(incident.checks, numbers), incident.at_import))
    found["doubts"] = [Entry(name, doubt) for name, doubt in people.doubts.items()] if people is not None else []
    found["checks"] = [Entry(check.id, check.verdict, [check.number]) for check in checks if check.suspect]
    return [Concern(kind, len(entries), entries[:SHOWN]) for kind, entries in found.items() if entries]


def _numbers(checks: Iterable[str], numbers: Mapping[str, int]) -> list[int]:
    return sorted(numbers[check] for check in checks if check in numbers)
