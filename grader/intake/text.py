"""Source files as text: whatever an editor saved, decoded or explained.

Pure functions, in the command. Line ends become `\\n`, so that line numbers are the same everywhere. Nothing else is
changed: a character that Python does not take stays where it is, and the judge names it.
"""

from __future__ import annotations

import codecs

from grader.intake.kinds import binary_kind, is_notebook, is_web_page

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # which begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_INSTEAD = "hand in the Python file or the notebook itself."


class NotText(Exception):
    """The bytes are no Python source; the text says what they seem to be, for the student."""


def decode_source(content: bytes, name: str) -> tuple[str, str | None]:
    """(text, notice) of a source file: see `decode_text`.

    Raises:
        NotText: it is empty or binary, a notebook, or a well-known kind of file under a wrong name.
    """
    text, notice = decode_text(content, name)
    if is_notebook(text):
        raise NotText(f"{name} is a notebook; export it as a Python file and hand that in.")
    return text, notice


def decode_text(content: bytes, name: str) -> tuple[str, str | None]:
    """(text, notice) of a source file or a notebook: UTF-8 or UTF-16, with or without BOM, else Windows-1252.

    Raises:
        NotText: it is empty or binary, or a well-known kind of file under a wrong name.
    """
    if kind := binary_kind(content.removeprefix(codecs.BOM_UTF8)):
        raise NotText(f"{name} {kind}; {_INSTEAD}")
    text, notice = _decoded(content, name)
    if not text.strip():
        raise NotText(f"{name} is empty.")
    if kind := binary_kind(text[:1024].encode("utf-8", "replace")):
        raise NotText(f"{name} {kind}; {_INSTEAD}")
    if is_web_page(text):
        raise NotText(f"{name} is a web page; download the raw file and hand that in.")
    if "\0" in text:
        raise NotText(_told_nul(text, name))
    return text.replace("\r\n", "\n").replace("\r", "\n"), notice


def _decoded(content: bytes, name: str) -> tuple[str, str | None]:
    encoding = next((encoding for bom, encoding in _BOMS if content.startswith(bom)), None) or _by_its_nuls(content)
    if encoding is not None:
        kind = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        try:
            return content.decode(encoding), f"{name} was saved as {kind}; it was read all the same."
        except UnicodeDecodeError:
            raise NotText(f"{name} is damaged: it begins like {kind} but is none. Save it as UTF-8.") from None
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
        return text, f"{name} is not UTF-8; it was read as Windows-1252. Save it as UTF-8."


def _by_its_nuls(content: bytes) -> str | None:
    """The kind of UTF-16 without a BOM that a text is by the place of its NULs: most of source code is ASCII."""
    sample = content[:4096]
    sample = sample[: len(sample) // 2 * 2]
    if len(content) % 2 or len(sample) < 4:
        return None
    high, low = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if low > 0.7 * half and high == 0:
        return "utf-16-le"
    return "utf-16-be" if high > 0.7 * half and low == 0 else None


def _told_nul(text: str, name: str) -> str:
    """A sentence about the NULs in a text: alone they are the traces of a crash, many mean that it is no text."""
    count = text.count("\0")
    if count > max(8, len(text) // 10):
        return f"{name} holds {count} NUL characters: it was saved as UTF-16, or is no text. Save it as UTF-8."
    before = text[: text.index("\0")].replace("\r\n", "\n").replace("\r", "\n")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return (
        f"{name} holds a NUL character (U+0000) at line {line}, column {column}, which Python does not read. It often "
        "comes from an editor or a disk that failed while saving; delete it and save the file again."
    )
