"""User ids of student processes where root grades: each submission its own, none shared between runs.

Runs in the judge. The range is drawn at random, so that runs at the same time do not meet, those of other containers
with the same users included; where there are few ids, it follows from the process id.
"""

from __future__ import annotations

import os
import secrets

_FIRST = 1_900_000_000
"""Far above what distributions give to people, services and containers."""
_EACH = 32
_RANGES = 4_000_000
_NOBODY, _ABOVE = 65_533, 65_536
"""From the one to below the other, ids mean something."""
_SMALL = 40_000


def uids_of_this_process() -> range:
    """User ids for one slot's submissions, in turn.

    Raises:
        LookupError: this user namespace maps too few ids.
    """
    wanted = _FIRST + secrets.randbelow(_RANGES) * _EACH
    extents = _mapped()
    if any(start <= wanted and wanted + _EACH <= end for start, end in extents):
        return range(wanted, wanted + _EACH)
    pieces = []
    for start, end in extents:
        low = start + 1000  # a container's own users have the first ids
        pieces += [(low, min(end, _NOBODY)), (max(low, _ABOVE), end)]
    low, end = max(pieces, key=lambda piece: piece[1] - piece[0])
    room = min(_SMALL, end - low) // _EACH
    if room < 1:
        raise LookupError("this user namespace maps too few user ids for one of its own for each submission")
    first = end - (1 + os.getpid() % room) * _EACH
    return range(first, first + _EACH)


def _mapped() -> list[tuple[int, int]]:
    """Ranges of user ids (start, end) that exist in this user namespace (user_namespaces(7))."""
    with open("/proc/self/uid_map") as file:
        lines = [line.split() for line in file]
    return [(int(first), int(first) + int(count)) for first, _, count in lines]
