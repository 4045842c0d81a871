"""Bytes that Python and its readers take differently: NUL in the middle of the text, form feeds, a line end of old
Macintoshes that ends a comment, and letters that look like others.

Verdict: refused
Class G.
"""

from pathlib import Path

PLAIN = b"def full_visibility(nonpadding):\n    return nonpadding\n"


def handed_in(folder: Path) -> None:
    own = folder / "source_with_nuls"
    own.mkdir()
    (own / "attention.py").write_bytes(PLAIN + b"# harmless \0 import os\n\x0c# comment\rraise SystemExit(0)\n")
    other = folder / "source_with_nuls_in_utf16"
    other.mkdir()
    (other / "attention.py").write_bytes(b"\xff\xfe" + PLAIN.decode().encode("utf-16-le") + b"\0\0\0")
