"""Ids of submissions: names of files in the run's folder, whatever a student or a platform calls somebody.

Pure functions. Ids are safe on every system, unique, and stay what they are when others come and go.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def safe_ids(
    names: Sequence[str], known: Mapping[str, str] | None = None, students: Sequence[Sequence[str]] | None = None
) -> list[str]:
    """For each name an id of ASCII letters, digits, `.`, `_` and `-`, beginning with a letter or digit.

    Unique ignoring case: a collision gets `-2`, `-3`, and so on. Who is in `known` keeps the id that is there, under
    any of the names in `students`, by default the name itself.
    """
    given = dict(known or {})
    taken = {name.lower() for name in given.values()}
    ids = []
    for name, owners in zip(names, students or [[name] for name in names], strict=True):
        if (owner := next((owner for owner in owners if owner in given), None)) is not None:
            ids.append(given.pop(owner))
            continue
        base = _base(name)
        candidate, number = base, 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{base}-{number}"
        taken.add(candidate.lower())
        ids.append(candidate)
    return ids


def _base(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).lstrip("-._")[:80]
    base = (base if name.endswith("-") else base.rstrip("-")) or "submission"
    return f"s-{base}" if _RESERVED.fullmatch(base) else base
