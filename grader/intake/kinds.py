"""What a file is, told by its content: names lie, and people hand in what they were able to download.

Pure functions, in the command, on hostile bytes: a few comparisons at the beginning of a file, nothing is opened or
parsed. What is told is a guess for a sentence; only `is_notebook` decides how a file is graded.
"""

from __future__ import annotations

import re

_HEAD = 1024
"""Bytes at the beginning that are looked at."""

_MAGIC = (
    (b"%PDF", "is a PDF"),
    (b"7z\xbc\xaf\x27\x1c", "is an archive (7z) under another name"),
    (b"Rar!\x1a\x07", "is an archive (rar) under another name"),
    (b"\x1f\x8b", "is a compressed file (gzip) under another name"),
    (b"BZh", "is a compressed file (bzip2) under another name"),
    (b"\xfd7zXZ\x00", "is a compressed file (xz) under another name"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a document of Word or another Office program"),
    (b"{\\rtf", "is a document of a word processor (RTF)"),
    (b"\x89PNG", "is a picture"),
    (b"\xff\xd8\xff", "is a picture"),
    (b"GIF8", "is a picture"),
    (b"bplist0", "is a file of macOS that only points to a file, or holds settings"),
    (b"[InternetShortcut]", "is a link to a web page, not the file itself"),
    (b"version https://git-lfs.github.com/", "is a pointer of Git LFS, not the file itself"),
    (b"\x7fELF", "is a compiled program"),
    (b"\xcf\xfa\xed\xfe", "is a compiled program"),
    (b"SQLite format 3", "is a database"),
)
_OFFICE = ((b"word/", "Word"), (b"ppt/", "PowerPoint"), (b"xl/", "Excel"))
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95|[\x8a\x8c}\]()cq]|X)")
_COMPILED = re.compile(rb"[\x00-\xff][\x0a-\x0f]\r\n")
_WEB_PAGE = re.compile(
    r"(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,300}?-->\s*)?<(?:!doctype html|html|head|body)\b", re.I | re.S
)
_NOTEBOOK = re.compile(r'"(?:cells|worksheets)"\s*:')
_FORMAT = re.compile(r'"nbformat"\s*:\s*\d')


def binary_kind(content: bytes) -> str | None:
    """What a file that is no text is, as the rest of a sentence that begins with its name; None if it may be text."""
    start = content[:_HEAD].lstrip()
    for magic, words in _MAGIC:
        if start.startswith(magic):
            return words
    if start.startswith(b"PK\x03\x04"):
        return _kind_of_zip(content)
    if _PICKLE.match(content):
        return "is a pickle: saved data or weights, not source code"
    if _COMPILED.match(content) and b"\0" in content[:16]:
        return "is compiled Python (.pyc), not source code"
    return None


def _kind_of_zip(content: bytes) -> str:
    if b"[Content_Types].xml" in content or b"_rels/" in content:
        program = next((name for mark, name in _OFFICE if mark in content), "an Office program")
        return f"is a document of {program}"
    if b"/data.pkl" in content and b"/version" in content:
        return "holds weights that torch saved, not source code"
    return "is an archive (zip) under another name"


def is_web_page(text: str) -> bool:
    """Whether a text is HTML, as a browser saves it in place of the file that a page shows."""
    return _WEB_PAGE.match(text[:_HEAD].lstrip()) is not None


def is_notebook(text: str) -> bool:
    """Whether a text is the JSON of a notebook, whatever its name."""
    return text.lstrip()[:1] == "{" and _FORMAT.search(text) is not None and _NOTEBOOK.search(text) is not None
