"""A file whose first line says that it is written in rot13, in which a harmless comment for the reader is a program for
the interpreter, and one that claims UTF-7.

Verdict: invalid
Class G.
"""

import codecs
from pathlib import Path

HIDDEN = "print('BREACH: decoded as the student wished')\ndef full_visibility(nonpadding):\n    return nonpadding\n"


def handed_in(folder: Path) -> None:
    for coding, text in (("rot13", codecs.encode(HIDDEN, "rot13")), ("utf-7", "print('+AEIAUgBFAEEAQwBI-: as UTF-7')\n")):
        own = folder / f"source_in_rot13_{coding}"
        own.mkdir()
        (own / "attention.py").write_text(f"# -*- coding: {coding} -*-\n{text}", "ascii")
