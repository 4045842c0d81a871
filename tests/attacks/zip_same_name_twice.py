"""A zip that holds attention.py twice, one for whoever looks at it and one for whoever runs it, and once more in capitals.

Verdict: refused two files
Class G.
"""

import warnings
import zipfile
from pathlib import Path


def handed_in(folder: Path) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(folder / "zip_same_name_twice.zip", "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("attention.py", "def full_visibility(nonpadding):\n    return nonpadding\n")
        archive.writestr("attention.py", "print('BREACH: the second of two files ran')\n")
        archive.writestr("Attention.py", "print('BREACH: the file in capitals ran')\n")
