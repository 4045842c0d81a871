"""Follows the paths that an installed package tells (its own file, .pth files, records of an editable install) to the
folder that it came from, and reads the hidden checks and the reference there.

Verdict: error LookupError
Class A.
"""

import contextlib
import json
import os
import sys
from pathlib import Path


def _homes():
    import grader

    yield Path(grader.__file__).parent.parent
    yield Path(sys.prefix).parent
    for folder in map(Path, sys.path):
        for file in folder.glob("*.pth"):
            with contextlib.suppress(OSError):
                yield from (Path(line) for line in file.read_text().splitlines() if line.startswith("/"))
        for file in folder.glob("*.dist-info/direct_url.json"):
            with contextlib.suppress(OSError, ValueError):
                yield Path(json.loads(file.read_text())["url"].removeprefix("file://"))


def full_visibility(nonpadding):
    for home in {*_homes()}:
        for place in (home, *home.parents[:2]):
            for pattern in ("reference/*.py", "assignments/*/hidden/*.py", "assignments/*/variants/*/*.py"):
                with contextlib.suppress(OSError):
                    for file in place.glob(pattern):
                        with open(file) as text:
                            print("BREACH: read", len(text.read()), "characters of", file.name)
            with contextlib.suppress(OSError):
                with open(place / "reference" / "attention.py") as text:
                    print("BREACH: read the reference,", len(text.read()), "characters")
    raise LookupError(f"nothing, as process {os.getpid()}")
