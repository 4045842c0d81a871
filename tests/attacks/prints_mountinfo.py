"""Prints where its folders come from on the grader's machine, as /proc/self/mountinfo and the records of installed
packages tell it, into the output that the report shows: names of users and folders of the course's staff.

Verdict: error LookupError
Class A.
"""

import contextlib
import sys
from pathlib import Path

NEUTRAL = ("/", "/usr", "/lib", "/opt/python", "/null", "/zero", "/random", "/urandom", "/etc/ld.so.cache", "/box")


def full_visibility(nonpadding):
    with contextlib.suppress(OSError), open("/proc/self/mountinfo") as file:
        for line in file:
            source = line.split()[3]
            if not any(source == path or source.startswith((f"{path}/", "/usr/", "/opt/")) for path in NEUTRAL[1:]):
                print(source)
    for folder in map(Path, sys.path):
        for pattern in ("*.pth", "*.dist-info/direct_url.json", "*.dist-info/RECORD"):
            for file in folder.glob(pattern):
                with contextlib.suppress(OSError):
                    print(*(line for line in file.read_text().splitlines() if "/home/" in line or "file:/" in line))
    print(__file__, sys.prefix, sys.executable, sys.path)
    raise LookupError("told")
