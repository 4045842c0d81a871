"""A zip of some hundred thousand bytes that unpacks to gigabytes: many members, each of zeros as long as one file may be.

Verdict: refused unpacks to more than the limit
Class G.
"""

import zipfile
from pathlib import Path


def handed_in(folder: Path) -> None:
    with zipfile.ZipFile(folder / "zip_bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("attention.py", "def full_visibility(nonpadding):\n    return nonpadding\n")
        for number in range(7):
            archive.writestr(f"data{number}.py", bytes(18 << 20))
