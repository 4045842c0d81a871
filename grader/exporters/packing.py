"""Archives inside a package.

Pure functions, in the command: the same members make the same bytes.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping

from grader.exporters.base import Member


def private_tar(members: Mapping[str, Member]) -> bytes:
    """A tar of what only its owner may read once it is unpacked: hidden tests."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, member in sorted(members.items()):
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(member.content), 0o700 if member.executable else 0o600
            archive.addfile(about, io.BytesIO(member.content))
    return out.getvalue()
