"""Clock and calendar of a time zone: instants, days and how people write them.

Pure functions; the time-zone database is all that is read. A wall time is what a clock on the wall shows: a datetime
without a zone. An instant is a datetime in UTC. Days are counted on the wall, so that one on which the clock changes is
one day, whether it has 23 hours or 25; hours and minutes are real ones.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

_MACHINES_OWN = frozenset({"localtime", "posixrules", "posix", "right", "Factory"})
"""Names in the database that stand for this machine's zone, for none, or for clocks with leap seconds."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = timedelta(days=1)


def zone_named(name: str) -> ZoneInfo | None:
    """The zone with this IANA name, or None if there is none."""
    if name.split("/", maxsplit=1)[0] in _MACHINES_OWN:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def zone_names() -> set[str]:
    """The names of all zones; empty on a machine without the database."""
    return available_timezones()


def is_plausible(moment: datetime) -> bool:
    """Whether a time is near enough to today that it can be moved by years without leaving the calendar."""
    return 1970 < moment.year < 3000


def read_moment(text: str) -> datetime | None:
    """A time in ISO 8601, with or without a zone, or None if `text` is none that can be meant."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if is_plausible(moment) else None


def wall_time(moment: datetime, zone: ZoneInfo) -> datetime:
    """What a clock in `zone` shows at `moment`; a time without a zone is taken for one in `zone`."""
    return moment.replace(tzinfo=None) if moment.tzinfo is None else moment.astimezone(zone).replace(tzinfo=None)


def instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """When the clock shows `wall`: the second time, where it is shown twice.

    A time that the clock skips is as long after the change as it would have been before.
    """
    return max(wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def days_begun(since: datetime, until: datetime, slack: timedelta, zone: ZoneInfo) -> int:
    """How many days have begun between the wall time `since` and the instant `until`, at least one.

    A day lasts from `since` on the clock to the same time of the next date, and `slack` longer.
    """
    days = max(1, (until - slack - instant(since, zone)).days - 2)
    while until >= instant(since + days * _DAY, zone) + slack:
        days += 1
    return days


def elapsed(since: datetime, until: datetime, zone: ZoneInfo) -> str:
    """The time from the wall time `since` to the instant `until`, in its two largest units: `1 day, 3 hours`."""
    days = max(0, (until - instant(since, zone)).days - 2)
    while until >= instant(since + (days + 1) * _DAY, zone):
        days += 1
    hours, minutes = divmod(int((until - instant(since + days * _DAY, zone)).total_seconds()) // 60, 60)
    parts = [counted(number, unit) for number, unit in ((days, "day"), (hours, "hour"), (minutes, "minute")) if number]
    return ", ".join(parts[:2]) or "less than a minute"


def counted(number: int, unit: str) -> str:
    """`1 day`, `2 days`."""
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def in_words(moment: datetime) -> str:
    """A time with its zone as people write it: `1 Dec 2026, 23:59 PST`. Seconds are left out."""
    name = moment.tzname() or ""
    if not name.isalpha():
        name = f"UTC{moment.isoformat(timespec='minutes')[16:]}"
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} {name}"
