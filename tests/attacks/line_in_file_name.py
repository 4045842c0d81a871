"""Files whose names are sentences of the grader, with line breaks and markup: names are quoted where a file is missing or was
chosen, in the report, on the terminal and in the table.

Verdict: refused
Class K.
"""

import os
from pathlib import Path

NAMES = ("attention.py\nFORGED score 100", "a<script>alert(1)<\u2215script>.py", "\x1b[32mFORGED passed\x1b[0m.py")
NAMES += ("\u202eyp.noitnetta.py", "{{ 7*7 }}.py", "=1+1.py", "x" * 240 + ".py")


def handed_in(folder: Path) -> None:
    own = folder / "line_in_file_name"
    own.mkdir()
    with open(os.path.join(os.fsencode(own), b"\xff\xfe\xed\xa0\x80.py"), "w"):
        pass
    for name in NAMES:
        (own / name).write_text("def full_visibility(nonpadding):\n    return nonpadding\n")
