"""A package in two parts, where one machine grades for many courses: what it installs, and what is secret.

Pure functions. What is installed may be read by everybody whose code runs there; hidden tests come with each submission
from the platform, as one archive.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from grader.exporters.base import Member

COURSE = "grader_course.zip"
"""What the archive is called."""
_PRIVATE = ("course/", "known.msgpack")
_NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip can say."""


def for_server(common: Mapping[str, Member]) -> dict[str, Member]:
    """What is installed, under `server/`."""
    return {f"server/{name}": member for name, member in common.items() if not name.startswith(_PRIVATE)}


def secret_archive(common: Mapping[str, Member]) -> Member:
    """What only the platform may hold: the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(name for name in common if name.startswith(_PRIVATE)):
            about = zipfile.ZipInfo(name, _NO_TIME)
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, common[name].content)
    return Member(out.getvalue())
