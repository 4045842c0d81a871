"""A zip whose members climb out of the folder that it is unpacked to: up with `..`, absolute, with a drive letter, with
backslashes.

Verdict: refused outside the archive
Class G.
"""

import zipfile
from pathlib import Path


def handed_in(folder: Path) -> None:
    with zipfile.ZipFile(folder / "zip_slip.zip", "w") as archive:
        archive.writestr("attention.py", "def full_visibility(nonpadding):\n    return nonpadding\n")
        for name in ("../00_honest.py", "../../zip_slip_was_here", "/tmp/zip_slip_was_here", "C:\\zip_slip_was_here"):
            archive.writestr(name, "BREACH: written outside")
        archive.writestr("a\\..\\..\\..\\zip_slip_was_here", "BREACH: written outside")
