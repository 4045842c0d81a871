"""The token that opens an LMS: where it comes from, and that it is never shown.

Runs in the command. A token comes from the environment or from a file that nobody else can read; never from the
command line, which every user of the machine can list. It leaves this process only in requests to the LMS that the
user named.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from grader.errors import UsageProblem

_LONGEST = 4096
_TOKEN = re.compile(r"[\x21-\x7e]{8,}")
"""Printable ASCII without spaces: whatever else is no token, and would not fit into a header."""


class Token:
    """A secret. `repr` and `str` hide it; `reveal` is for requests alone."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Token(hidden)"

    def reveal(self) -> str:
        """The token itself."""
        return self._text

    def hidden_in(self, text: str) -> str:
        """`text` without the token: an LMS may repeat what it was sent."""
        return text.replace(self._text, "[token]")


def read_token(variable: str, environment: Mapping[str, str], file: Path | None) -> Token:
    """The token in `file` if one is given, else in the environment variable.

    Raises:
        UsageProblem: there is none, others can read the file, or it is no token. The token is not in the message.
    """
    if file is not None:
        return _checked(_from_file(file), f"The token file {file}")
    found = environment.get(variable, "")
    if not found.strip():
        raise UsageProblem(
            f"There is no token: set the environment variable {variable}, or name a file that only you can read with "
            "--token-file FILE."
        )
    return _checked(found, f"${variable}")


def _checked(text: str, where: str) -> Token:
    token = text.strip()
    if not _TOKEN.fullmatch(token):
        raise UsageProblem(f"{where} holds no token: one line of at least 8 letters, digits and signs is expected.")
    return Token(token)


def _from_file(path: Path) -> str:
    if not hasattr(os, "geteuid"):
        raise UsageProblem(f"Who can read {path} cannot be checked on this system; put the token into the environment.")
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UsageProblem(f"The token file {path} cannot be read: {error.strerror}.") from None
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise UsageProblem(f"The token file {path} is no ordinary file.")
        if about.st_uid != os.geteuid():
            raise UsageProblem(f"The token file {path} belongs to somebody else; use one of your own.")
        if about.st_mode & 0o077:
            raise UsageProblem(f"Others can read or change the token file {path}; run: chmod 600 {path}")
        return os.read(handle, _LONGEST).decode("ascii", "replace")
    finally:
        os.close(handle)
