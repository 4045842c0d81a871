"""What staff should look at first in a class, by kind, the most pressing kind first.

Pure functions over results, for staff. Everything here is told by a key of a result or by the roster; no text is
searched. Most of it is an accident, and nothing of it has cost a point by itself: it is where a person should look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from grader.model.check_stats import CheckStanding
from grader.model.result import GradeResult
from grader.model.roster import Standing

Kind = Literal["ungraded", "protocol", "forbidden", "doubts", "checks", "ended", "invalid", "refused"]
"""`doubts`: submissions held for staff, since the roster does not tell whose they are; `checks`: checks to look at."""

KINDS: tuple[Kind, ...] = ("ungraded", "protocol", "forbidden", "doubts", "checks", "ended", "invalid", "refused")
ENTRIES, NAMES = 5, 8
"""Entries that are told of a kind, and submissions that are named in an entry."""


class Entry(msgspec.Struct, frozen=True):
    """Submissions with one thing to look at: the ids of the first, how many `more` there are, and what is known.

    `checks` are the numbers of those in which it happened; `at_import` says that it happened during the import. Where
    the kind is `checks`, the id is that of the check, and the text its verdict.
    """

    ids: list[str]
    more: int = 0
    text: str = ""
    checks: list[int] = []
    at_import: bool = False


class Concern(msgspec.Struct, frozen=True):
    """Things of one kind: how many there are, the first of them, and how many are in no entry."""

    kind: Kind
    total: int
    entries: list[Entry]
    more: int = 0


class _What(NamedTuple):
    """What is known of a thing; those of which the same is known are one entry."""

    text: str = ""
    checks: tuple[int, ...] = ()
    at_import: bool = False


def concerns(results: Sequence[GradeResult], checks: Sequence[CheckStanding], people: Standing | None) -> list[Concern]:
    """Every kind of which there is something."""
    found: dict[Kind, dict[_What, list[str]]] = {kind: {} for kind in KINDS}
    numbers = {check.id: check.number for check in checks}
    for result in results:
        name = result.submission.id
        if result.status != "graded":
            found[result.status].setdefault(_What(result.reason or ""), []).append(name)
        for incident in result.incidents:
            where = tuple(sorted(numbers[check] for check in incident.checks if check in numbers))
            found[incident.kind].setdefault(_What("", where, incident.at_import), []).append(name)
    for name, doubt in people.doubts.items() if people is not None else ():
        found["doubts"].setdefault(_What(doubt), []).append(name)
    for check in checks:
        if check.suspect:
            found["checks"].setdefault(_What(check.verdict, (check.number,)), []).append(check.id)
    return [_concern(kind, things) for kind, things in found.items() if things]


def _concern(kind: Kind, things: dict[_What, list[str]]) -> Concern:
    entries = [
        Entry(ids[:NAMES], max(0, len(ids) - NAMES), what.text, list(what.checks), what.at_import)
        for what, ids in things.items()
    ]
    told = sum(len(ids) for ids in list(things.values())[:ENTRIES])
    total = sum(map(len, things.values()))
    return Concern(kind, total, entries[:ENTRIES], total - told)
