"""Source files as text: whatever an editor saved, decoded or explained.

Pure functions, in the command. Line ends become `\\n`, so that line numbers are the same everywhere.
"""

from __future__ import annotations

import codecs


class NotText(Exception):
    """The bytes are no Python source; the text says what they seem to be, for the student."""


def decode_source(content: bytes, name: str) -> tuple[str, str | None]:
    """(text, notice) of a source file: UTF-8, with or without BOM, UTF-16 with BOM, else Windows-1252.

    Raises:
        NotText: it is empty or binary, or a well-known kind of file under a wrong name.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            text = content.decode("utf-16")
        except UnicodeDecodeError:
            raise NotText(f"{name} is damaged: it begins like UTF-16 but is none. Save it as UTF-8.") from None
        _refuse_other_kinds(text.encode("utf-8", "replace"), name)
        return _unix_lines(text), f"{name} was saved as UTF-16; it was read all the same."
    content = content.removeprefix(codecs.BOM_UTF8)
    _refuse_other_kinds(content, name)
    try:
        return _unix_lines(content.decode("utf-8")), None
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
        return _unix_lines(text), f"{name} is not UTF-8; it was read as Windows-1252. Save it as UTF-8."


def _refuse_other_kinds(content: bytes, name: str) -> None:
    start = content[:512].lstrip()
    if not content.strip():
        raise NotText(f"{name} is empty.")
    if start.startswith(b"%PDF"):
        raise NotText(f"{name} is a PDF; hand in the Python file itself.")
    if start.startswith(b"PK\x03\x04"):
        raise NotText(f"{name} is an archive under another name; hand in the Python file itself.")
    if start[:100].lower().startswith((b"<!doctype html", b"<html")):
        raise NotText(f"{name} is a web page; download the raw file and hand that in.")
    if start.startswith(b"{") and b'"cells"' in content and b'"nbformat"' in content:
        raise NotText(f"{name} is a notebook; export it as a Python file and hand that in.")
    if b"\0" in content:
        raise NotText(f"{name} holds NUL bytes: it was saved as UTF-16, or is no text. Save it as UTF-8.")


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
