"""The zip of a class's reports, under the names by which a platform takes them back.

Runs in the command. Reports are made anew, each by the view that its student may see and by nothing else; one at a
time, so that a class never lies in memory whole. The zip appears whole or not at all.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from grader.errors import UsageProblem
from grader.exporters.gradebooks.gradebook import Entry, Gradebook
from grader.exporters.gradebooks.marks import Mark
from grader.store import write_atomically

_WHEN = (1980, 1, 1, 0, 0, 0)
"""The oldest time that a zip can tell: two zips of the same reports are the same."""
_CHUNK = 1 << 20


def places_for(
    gradebook: Gradebook, marks: Iterable[Mark], entries: Mapping[Mark, Entry] | None
) -> tuple[dict[str, str], list[Mark]]:
    """Names in the zip and the results that belong there, and marks for which there is no name.

    `entries` are the rows of those who were found in a gradebook; whoever was not is left out. None without one.
    """
    assert gradebook.feedback is not None
    places: dict[str, str] = {}
    nowhere = []
    for mark in marks:
        if mark.score is None:
            continue
        entry = entries.get(mark) if entries is not None else None
        place = None
        if entries is None or entry is not None:
            own = gradebook.own_feedback
            place = None if mark.in_group and own is not None else gradebook.feedback(mark.handed_in_as)
            if place is None and own is not None and entry is not None:
                place = own(entry.person)
        if place is None or places.setdefault(place, mark.result) != mark.result:
            nowhere.append(mark)
    return places, nowhere


def write_feedback(path: Path, places: Mapping[str, str], html_of: Callable[[str], str | None]) -> int:
    """Write the zip; `html_of` makes the report of a result, None where there is none. Returns how many are in it.

    Raises:
        UsageProblem: it cannot be written.
    """
    count = 0
    try:
        with tempfile.TemporaryFile() as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for place, result in sorted(places.items()):
                    if (html := html_of(result)) is None:
                        continue
                    member = zipfile.ZipInfo(place, _WHEN)
                    member.compress_type = zipfile.ZIP_DEFLATED
                    member.external_attr = 0o644 << 16
                    archive.writestr(member, html.encode("utf-8", "replace"))
                    count += 1
            file.seek(0)
            write_atomically(path, _chunks(file.read))
    except OSError as error:
        raise UsageProblem(f"{path} cannot be written: {error.strerror}.") from None
    return count


def _chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while chunk := read(_CHUNK):
        yield chunk
