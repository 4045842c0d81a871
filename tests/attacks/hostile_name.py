"""Folders whose names act: terminal escapes, a line break, text that runs backwards, markup, quotes, bytes that are no
text, and as long as the disk takes.

Verdict: failed
Class G.
"""

import os
from pathlib import Path

NAMES = (
    b"hostile_name \x1b[2J\x1b]0;owned\x07 \xe2\x80\xaegnp.yp",
    b"hostile_name\n00_honest  graded  0\r<script>alert(1)<!--",
    b"hostile_name \"'`$(touch FORGED);&& {{ 7*7 }} %s %n .. ..%2f\\",
    b"hostile_name \xff\xfe\xc0\xaf",
    b"hostile_name" + b"_" * 230,
)


def handed_in(folder: Path) -> None:
    for name in NAMES:
        own = os.path.join(os.fsencode(folder), name)
        os.mkdir(own)
        with open(os.path.join(own, b"attention.py"), "w") as file:
            file.write("def full_visibility(nonpadding):\n    return nonpadding\n")
