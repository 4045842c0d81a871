"""Marks and rows of a gradebook -> who is who.

Pure functions, in the command. People are found by ids as text, by a name only where the platform does so itself and
one person alone is called so. Nothing is guessed: a mark that fits two rows, and a row that fits two marks, stay apart
and are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grader.exporters.gradebooks.gradebook import Entry, Gradebook, Platform, Sheet
from grader.exporters.gradebooks.marks import Mark
from grader.model.roster import Claim, Finder, Match, Roster


@dataclass(frozen=True)
class Stranger:
    """A mark whose person is not found, and why."""

    mark: Mark
    why: str


@dataclass(frozen=True)
class Matched:
    """Whose row is whose; marks of nobody in the gradebook, and rows of those who handed in nothing.

    Marks that do not count are among `pairs`, too: their people did hand something in.
    """

    pairs: tuple[tuple[Mark, Entry], ...]
    strangers: tuple[Stranger, ...]
    without: tuple[Entry, ...]


def matched(sheet: Sheet, marks: Sequence[Mark], gradebook: Gradebook) -> Matched:
    """Everybody's row."""
    finder = Finder(Roster(tuple(entry.person for entry in sheet.entries)))
    by_person: dict[object, list[Entry]] = {}
    for entry in sheet.entries:
        by_person.setdefault(entry.person, []).append(entry)
    found: list[tuple[Mark, Entry, bool]] = []
    strangers: list[Stranger] = []
    for mark in marks:
        match = _match(finder, mark, gradebook, sheet.by_name)
        rows = by_person.get(match.person, []) if match.person else []
        if len(rows) == 1:
            found.append((mark, rows[0], match.by_name))
        else:
            several = f"{len(rows)} rows are theirs" if rows else ""
            strangers.append(Stranger(mark, match.doubt or several or "nobody in the gradebook has this id"))
    pairs = []
    sure = Counter(entry.row for _, entry, by_name in found if not by_name)
    unsure = Counter(entry.row for _, entry, by_name in found if by_name)
    for mark, entry, by_name in found:
        if (unsure[entry.row] == 1 and not sure[entry.row]) if by_name else sure[entry.row] == 1:
            pairs.append((mark, entry))
        else:
            strangers.append(Stranger(mark, f"may be {entry.called}, as may another submission"))
    taken = {entry.row for _, entry in pairs}
    missing = tuple(entry for entry in sheet.entries if entry.row not in taken and not entry.nobody)
    return Matched(tuple(pairs), tuple(strangers), missing)


def _match(finder: Finder, mark: Mark, gradebook: Gradebook, by_name: bool) -> Match:
    named = Platform() if mark.in_group else _named(mark, gradebook)
    keys = (*mark.keys, *([named.key] if named.key else []))
    match = finder.find(Claim(keys, mark.name or named.name or mark.student))
    if match.person is None or match.doubt:
        return match
    if match.by_name and not by_name:
        return Match(doubt=f"no id of theirs is in the gradebook; by the name it may be {match.person.called}")
    own = named.key in (*match.person.ids, *match.person.logins) and not set(mark.keys) & _keys(match)
    if own and named.name and match.person.name and match.person not in finder.namesakes(Claim((), named.name)):
        return Match(doubt=f"{named.key} is {match.person.called} in the gradebook, but {named.name} in the download")
    return match


def _named(mark: Mark, gradebook: Gradebook) -> Platform:
    """Whom the download names: one person, whatever they handed in."""
    found = {gradebook.named(name) for name in mark.handed_in_as} - {Platform()}
    return found.pop() if len({one.key for one in found}) == 1 else Platform()


def _keys(match: Match) -> set[str]:
    person = match.person
    return set() if person is None else {person.student, *person.ids, *person.logins, *person.emails}
