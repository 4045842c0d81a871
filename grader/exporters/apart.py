"""A package in two parts, where one machine grades for many courses: what it installs, and what is secret.

Pure functions. What is installed may be read by everybody whose code runs there; hidden tests come with each submission
from the platform, as one archive.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.exporters.base import Member
from grader.exporters.packing import zipped

COURSE = "grader_course.zip"
"""What the archive is called."""
_PRIVATE = ("course/", "known.msgpack")


def for_server(common: Mapping[str, Member]) -> dict[str, Member]:
    """What is installed, under `server/`."""
    return {f"server/{name}": member for name, member in common.items() if not name.startswith(_PRIVATE)}


def secret_archive(common: Mapping[str, Member]) -> Member:
    """What only the platform may hold: the same bytes for the same files."""
    private = {name: member for name, member in common.items() if name.startswith(_PRIVATE)}
    return Member(zipped(private, private=True))
