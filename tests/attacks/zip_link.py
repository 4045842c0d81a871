"""A zip in which attention.py is a symbolic link to the file of a neighbour, and another to a file of the machine: whoever
unpacks it and then reads the file reads somebody else's.

Verdict: refused link or a device
Class G.
"""

import stat
import zipfile
from pathlib import Path


def handed_in(folder: Path) -> None:
    with zipfile.ZipFile(folder / "zip_link.zip", "w") as archive:
        for name, target in (("attention.py", "../00_honest.py"), ("passwords.py", "/etc/passwd")):
            member = zipfile.ZipInfo(name)
            member.create_system = 3
            member.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(member, target)
