"""Folders inside folders, hundreds deep, with the work at the very bottom, so that whoever walks them runs out of stack or
out of room for the path.

Verdict: refused
Class G.
"""

import os
from pathlib import Path


def handed_in(folder: Path) -> None:
    for student, name, depth in (("nested_folders", "d", 300), ("nested_folders_of_long_names", "d" * 250, 20)):
        (folder / student).mkdir()
        inner = os.open(folder / student, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir(name, dir_fd=inner)
            outer, inner = inner, os.open(name, os.O_RDONLY, dir_fd=inner)
            os.close(outer)
        file = os.open("attention.py", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=inner)
        os.write(file, b"def full_visibility(nonpadding):\n    return nonpadding\n")
        os.close(file)
        os.close(inner)
