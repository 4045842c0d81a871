"""A zip of a hundred thousand empty members: nothing to unpack, but a name, a record and a file for each.

Verdict: refused members
Class G.
"""

import zipfile
from pathlib import Path


def handed_in(folder: Path) -> None:
    with zipfile.ZipFile(folder / "zip_many_members.zip", "w") as archive:
        archive.writestr("attention.py", "def full_visibility(nonpadding):\n    return nonpadding\n")
        for number in range(20_000):
            archive.writestr(f"folder/{number}.py", b"")
