"""Times as platforms write them, for machines and for people of several languages, as ISO 8601.

Pure functions. A zone is kept where the text names one that can mean only one thing; one that could be several (CST,
IST) or is unknown is left out, so that the course's zone holds. Nothing is guessed: a text that is no time gives None.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

_MONTHS = (
    *("juil", "jul", "lug", "juin", "jun", "giu", "jan", "ene", "gen", "feb", "fev", "mar", "mrt", "mae"),
    *("apr", "abr", "avr", "may", "mai", "mei", "mag", "aug", "ago", "aou", "sep", "set", "oct", "okt", "out", "ott"),
    *("nov", "dec", "dez", "dic"),
)
_NUMBERS = {
    **dict.fromkeys(("jan", "ene", "gen"), 1),
    **dict.fromkeys(("feb", "fev"), 2),
    **dict.fromkeys(("mar", "mrt", "mae"), 3),
    **dict.fromkeys(("apr", "abr", "avr"), 4),
    **dict.fromkeys(("may", "mai", "mei", "mag"), 5),
    **dict.fromkeys(("jun", "juin", "giu"), 6),
    **dict.fromkeys(("jul", "juil", "lug"), 7),
    **dict.fromkeys(("aug", "ago", "aou"), 8),
    **dict.fromkeys(("sep", "set"), 9),
    **dict.fromkeys(("oct", "okt", "out", "ott"), 10),
    "nov": 11,
    **dict.fromkeys(("dec", "dez", "dic"), 12),
}
_HOURS = {
    **dict.fromkeys(("UTC", "GMT", "Z", "WET"), 0.0),
    **dict.fromkeys(("CET", "WEST"), 1.0),
    **dict.fromkeys(("CEST", "EET", "SAST", "MESZ"), 2.0),
    **{"MEZ": 1.0, "EEST": 3.0, "MSK": 3.0, "SGT": 8.0, "HKT": 8.0, "AWST": 8.0, "JST": 9.0, "KST": 9.0},
    **{"AEST": 10.0, "AEDT": 11.0, "NZST": 12.0, "NZDT": 13.0},
    **{"EST": -5.0, "EDT": -4.0, "CDT": -5.0, "MST": -7.0, "MDT": -6.0, "PST": -8.0, "PDT": -7.0},
    **{"AKST": -9.0, "AKDT": -8.0, "HST": -10.0},
}
"""Zones that an abbreviation can mean, in hours east of Greenwich; CST, IST and BST mean several."""
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T \-]+(\d\d)[:\-](\d\d)(?:[:\-](\d\d))?(?:[.,]\d+)?\s*(.*)", re.DOTALL)
_CLOCK = re.compile(r"\b(\d{1,2})\s?[:.h]\s?(\d\d)(?:[:.](\d\d))?\b|\b(\d{1,2})(\d\d)\b")
_OFFSET = re.compile(r"(?:UTC|GMT)?\s*([+-])(\d\d):?(\d\d)")


def iso_time(text: str) -> str | None:
    """`text` in ISO 8601, without fractions of a second, or None if it is no time."""
    text = text.strip()
    if found := _ISO.fullmatch(text):
        year, month, day, hour, minute = map(int, found.groups()[:5])
        return _iso((year, month, day, hour, minute, int(found[6] or 0)), found[7])
    return _in_words(text)


def _in_words(text: str) -> str | None:
    """`Nov 29, 2026 1014 AM`, `Sunday, 29 November 2026 10:14:00 o'clock GMT`, `29. Nov. 2026 10:14`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    months = [month for word in re.findall(r"[a-z]+", plain) if (month := _month(word))]
    year = re.search(r"\b((?:19|20)\d\d)\b", plain)
    if year is None or len(set(months)) != 1:
        return None
    rest = plain[year.end() :]
    day = re.search(r"\b(\d{1,2})\b", plain[: year.start()])
    clock = _CLOCK.search(rest)
    if day is None or clock is None:
        return None
    hour, minute, second = int(clock[1] or clock[4]), int(clock[2] or clock[5]), int(clock[3] or 0)
    half = re.match(r"\s*([ap])\.?m\b", rest[clock.end() :])
    if half:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    zone = re.sub(r"^\s*([ap]\.?m\.?)?\s*(o'clock|uhr|h)?\s*", "", rest[clock.end() :])
    return _iso((int(year[1]), months[0], int(day[1]), hour, minute, second), zone.upper())


def _month(word: str) -> int | None:
    known = next((month for month in _MONTHS if word.startswith(month)), None)
    return None if known is None else _NUMBERS[known]


def _iso(parts: tuple[int, int, int, int, int, int], zone: str) -> str | None:
    try:
        moment = datetime(*parts)
    except ValueError:
        return None
    known = _zone(zone.strip())
    return moment.isoformat() if known is None else moment.replace(tzinfo=known).isoformat()


def _zone(text: str) -> timezone | ZoneInfo | None:
    if found := _OFFSET.fullmatch(text):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
        return timezone(-offset if found[1] == "-" else offset) if offset < timedelta(hours=24) else None
    if (hours := _HOURS.get(text.upper())) is not None:
        return timezone(timedelta(hours=hours)) if hours else UTC
    if re.fullmatch(r"[A-Za-z]+(/[A-Za-z_+\-0-9]+)+", text):
        try:
            return ZoneInfo(text)
        except (KeyError, ValueError, OSError):
            return None
    return None
