"""Asks for size and age of files that it may not open: whether hidden checks and the reference exist, how long they are,
and when they were changed last.

Verdict: error LookupError
Class A.
"""

import contextlib
import json
import os
import sys
from pathlib import Path

NAMES = ("test_weights.py", "test_module.py", "test_visibility.py")


def full_visibility(nonpadding):
    import grader

    homes = {Path(grader.__file__).parent.parent, Path.cwd().parent, Path("/root"), Path("/srv"), Path("/")}
    for folder in map(Path, sys.path):
        for file in folder.glob("*.dist-info/direct_url.json"):
            with contextlib.suppress(OSError, ValueError):
                homes.add(Path(json.loads(file.read_text())["url"].removeprefix("file://")))
    for home in homes:
        for inner in (".", "course", "main", "grader"):
            guesses = [home / inner / "assignments/attention/hidden" / name for name in NAMES]
            for guess in [*guesses, home / inner / "reference/attention.py"]:
                with contextlib.suppress(OSError):
                    found = os.stat(guess)
                    print(f"BREACH: {guess.name} has {found.st_size} bytes")
    raise LookupError("nothing there")
