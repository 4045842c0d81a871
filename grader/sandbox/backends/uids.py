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
_NOBODY = 65_533
"""From here on, small namespaces have ids that mean something."""
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
    start, end = max(extents, key=lambda extent: extent[1] - extent[0])
    end = min(end, _NOBODY) if start < _NOBODY else end
    room = min(_SMALL, end - start - 1000) // _EACH  # a container's own users have the first ids
    if room < 1:
        raise LookupError("this user namespace maps too few user ids for one of its own for each submission")
    first = end - (1 + os.getpid() % room) * _EACH
    return range(first, first + _EACH)


def _mapped() -> list[tuple[int, int]]:
    """Ranges of user ids (start, end) that exist in this user namespace (user_namespaces(7))."""
    with open("/proc/self/uid_map") as file:
        lines = [line.split() for line in file]
    return [(int(first), int(first) + int(count)) for first, _, count in lines]
