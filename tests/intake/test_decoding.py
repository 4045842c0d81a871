"""Source files as editors save them: decoded, or told what they are."""

from __future__ import annotations

import codecs
import importlib.util
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.kinds import is_notebook
from grader.intake.text import NotText, decode_source, decode_text

CODE = "# Zoë\ndef f():\n    return 'é'\n"
NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("encode", "notice"),
    [
        (lambda text: text.encode("utf-8"), None),
        (lambda text: codecs.BOM_UTF8 + text.encode("utf-8"), None),
        (lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"), "saved as UTF-16"),
        (lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"), "saved as UTF-16"),
        (lambda text: text.encode("cp1252"), "read as Windows-1252"),
    ],
    ids=["utf-8", "utf-8 with BOM", "utf-16-le", "utf-16-be", "cp1252"],
)
def test_encodings_and_line_ends(encode: object, notice: str | None, ends: str) -> None:
    text, told = decode_source(encode(CODE.replace("\n", ends)), "hw.py")  # type: ignore[operator]
    assert text == CODE
    if notice is None:
        assert told is None
    else:
        assert told is not None
        assert told.startswith("hw.py")
        assert notice in told


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_utf8_is_taken_as_it_is(text: str) -> None:
    content = f"x = 1\n{text}".encode()
    assert decode_source(content, "a.py") == (f"x = 1\n{text}".replace("\r\n", "\n").replace("\r", "\n"), None)


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused_in_words(content: bytes) -> None:
    try:
        text, _ = decode_source(content, "a.py")
    except NotText as refused:
        text = str(refused)
        named = text.startswith("a.py ")
    else:
        named = True
    assert named
    text.encode("utf-8")
    assert "\r" not in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \r\n\t\n", "is empty"),
        (codecs.BOM_UTF8, "is empty"),
        (codecs.BOM_UTF16_LE, "is empty"),
        (b"%PDF-1.7\n\x00\xff", "is a PDF"),
        (b"\n %PDF-1.4", "is a PDF"),
        (b"PK\x03\x04\x14\x00", "is an archive"),
        (b"<!DOCTYPE html>\n<html>", "is a web page"),
        (b"\n<HTML lang='en'>", "is a web page"),
        (codecs.BOM_UTF8 + b"<!doctype html>", "is a web page"),
        (NOTEBOOK, "is a notebook"),
        (codecs.BOM_UTF8 + NOTEBOOK, "is a notebook"),
        (b"x = 1\0\n", r"a NUL character \(U\+0000\) at line 1, column 6"),
        (b"\0" * 40, "saved as UTF-16, or is no text"),
        (codecs.BOM_UTF16_LE + b"x", "damaged"),
        (codecs.BOM_UTF16_LE + b"\x00\xdcx\x00", "damaged"),
        (codecs.BOM_UTF16_LE + "%PDF".encode("utf-16-le") + b"\0\0", "PDF"),
    ],
)
def test_what_is_no_source_is_named(content: bytes, words: str) -> None:
    with pytest.raises(NotText, match=words) as refused:
        decode_source(content, "attention.py")
    assert str(refused.value).startswith("attention.py ")


KINDS = {
    "Word": b"PK\x03\x04\x14\0\x06\0[Content_Types].xml..word/document.xml",
    "an archive (zip)": b"PK\x03\x04\x14\0\0\0attention.py",
    "weights that torch saved": b"PK\x03\x04\0\0model/data.pkl...model/version",
    "an archive (7z)": b"7z\xbc\xaf\x27\x1c\0\4",
    "an archive (rar)": b"Rar!\x1a\x07\x01\0",
    "a compressed file (gzip)": b"\x1f\x8b\x08\0",
    "a pickle": pickle.dumps({"a": [1, 2]}),
    "compiled Python": importlib.util.MAGIC_NUMBER + bytes(12),
    "a picture": b"\x89PNG\r\n\x1a\n",
    "RTF": b"{\\rtf1\\ansi",
    "only points to a file": b"bplist00\xd1",
    "a link to a web page": b"[InternetShortcut]\r\nURL=x",
    "a pointer of Git LFS": b"version https://git-lfs.github.com/spec/v1\noid",
    "a web page": b"<?xml version='1.0'?>\n<!-- saved -->\n<html>",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_told_by_its_content(kind: str) -> None:
    with pytest.raises(NotText) as refused:
        decode_text(KINDS[kind], "attention.py")
    assert str(refused.value).startswith("attention.py ")
    assert kind in str(refused.value)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_known_without_its_mark(encoding: str) -> None:
    assert decode_text(CODE.encode(encoding), "hw.py")[0] == CODE
    assert "UTF-16" in (decode_text(CODE.encode(encoding), "hw.py")[1] or "")


def test_a_notebook_is_text_that_is_no_source() -> None:
    text, notice = decode_text(codecs.BOM_UTF16_LE + NOTEBOOK.decode().encode("utf-16-le"), "hw.ipynb")
    assert is_notebook(text)
    assert "UTF-16" in (notice or "")


@pytest.mark.parametrize("code", ["cells = {'nbformat': 4}\n", "page = '<html>'\n", "# %PDF\n", "{'cells': 1}\n"])
def test_code_about_such_things_is_code(code: str) -> None:
    assert decode_source(code.encode(), "a.py") == (code, None)
