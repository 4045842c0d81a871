"""A file of a terabyte that takes no room on the disk, since it has nothing in it but a hole.

Verdict: refused
Class G.
"""

import os
from pathlib import Path


def handed_in(folder: Path) -> None:
    own = folder / "giant_file"
    own.mkdir()
    (own / "attention.py").touch()
    os.truncate(own / "attention.py", 1 << 40)
