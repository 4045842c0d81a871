"""The deadline that holds for one submission, and what can be wrong with an assignment's.

Pure functions; the time-zone database is all that is read. Extensions are resolved here, so that nobody else need know
of them. Seconds of a limit do not count: it includes its whole minute.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from grader.model.assignment import Deadline
from grader.model.text import plain_line
from grader.model.zonetime import in_words, instant, is_plausible, read_moment, wall_time, zone_named, zone_names


@dataclass(frozen=True)
class Terms:
    """What holds for one submission: wall times in `zone`, and how long after each it still counts as kept."""

    zone: ZoneInfo
    due: datetime
    extended: bool
    last: datetime | None
    slack: timedelta

    def kept(self, limit: datetime, at: datetime) -> bool:
        """Whether `at` is before the end of the minute `limit` and of the grace on top."""
        return at < instant(limit, self.zone) + self.slack

    def words(self, wall: datetime) -> str:
        """A wall time for people, with its zone."""
        return in_words(instant(wall, self.zone).astimezone(self.zone))


def terms_for(extension: str | None, people: Iterable[str], deadline: Deadline) -> tuple[Terms, list[str]]:
    """What holds for these people, and what of their extensions could not be used."""
    zone, notices = ZoneInfo(deadline.zone), []
    due = wall_time(deadline.due, zone)
    own = [wall_time(deadline.extensions[who], zone) for who in people if who in deadline.extensions]
    if extension is not None:
        given = read_moment(extension)
        if given is None:
            notices.append(f"the extension {plain_line(extension)!r} is no time; it was left out.")
        elif wall_time(given, zone) < due:
            notices.append(f"the extension {plain_line(extension)!r} lies before the deadline; it was left out.")
        else:
            own.append(wall_time(given, zone))
    latest = max([due, *own]).replace(second=0, microsecond=0)
    last = None
    if deadline.last_day is not None:
        last = max(latest, wall_time(deadline.last_day, zone).replace(second=0, microsecond=0))
    slack = timedelta(minutes=1 + deadline.grace_minutes)
    return Terms(zone, latest, latest > due, last, slack), notices


def unknown_people(deadline: Deadline, people: Iterable[str]) -> list[str]:
    """Ids under `extensions` that none of these people has: most likely a typing error that costs somebody points."""
    return sorted(deadline.extensions.keys() - set(people))


def deadline_problem(deadline: Deadline) -> tuple[str, str] | None:
    """(key, what is wrong with it), or None if the deadline can be worked with."""
    zone = zone_named(deadline.zone)
    if zone is None:
        return "zone", _no_zone(deadline.zone)
    times = [("due", "`due`", deadline.due)]
    if deadline.last_day is not None:
        times.append(("last_day", "`last_day`", deadline.last_day))
    times += [(who, f"the extension of {plain_line(who)}", moment) for who, moment in deadline.extensions.items()]
    for key, name, moment in times:
        if not is_plausible(moment):
            return key, f"{name} lies in the year {moment.year}"
        if wall_time(moment, zone) < wall_time(deadline.due, zone):
            return key, f"{name} lies before `due`"
    return None


def _no_zone(name: str) -> str:
    names = zone_names()
    if not names:
        return "this machine has no time zones; install the package `tzdata` (pip install tzdata)"
    by_city = {known.rpartition("/")[2].lower(): known for known in sorted(names)} | {n.lower(): n for n in names}
    close = difflib.get_close_matches(name.replace(" ", "_").lower(), by_city, n=1)
    guess = f"did you mean {by_city[close[0]]}?" if close else "zones are called as America/Los_Angeles"
    return f"there is no time zone {plain_line(name)!r}; {guess}"
