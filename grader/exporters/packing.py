"""Archives: a package itself, and those inside of one.

Pure functions, in the command: the same members make the same bytes.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping

from grader.exporters.base import Member

_NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip can say."""
_REGULAR = 0o100000


def zipped(members: Mapping[str, Member], private: bool = False) -> bytes:
    """A zip of files for everybody to read, or for their owner alone, once it is unpacked."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in sorted(members.items()):
            mode = 0o755 if member.executable else 0o644
            about = zipfile.ZipInfo(name, _NO_TIME)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.create_system = 3  # Unix, so that the mode is read
            about.external_attr = (_REGULAR | (mode & 0o700 if private else mode)) << 16
            archive.writestr(about, member.content)
    return out.getvalue()


def private_tar(members: Mapping[str, Member]) -> bytes:
    """A tar of what only its owner may read once it is unpacked: hidden tests."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, member in sorted(members.items()):
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(member.content), 0o700 if member.executable else 0o600
            archive.addfile(about, io.BytesIO(member.content))
    return out.getvalue()
