"""Where student code was: places that exist in the submission, and what an interpreter wrote about itself as it died.

Pure functions, in the judge. An interpreter that crashes, or that is out of time in code that cannot be interrupted,
writes its stack to standard error (Python's faulthandler; the forms of 3.11 to 3.14 are known here). That text differs
from run to run, by addresses and thread numbers, so it is taken out of what a student printed. It is the student's
word: student code can write the like, or anything else. Of all of it only a line that exists in the submission is ever
used, with the text that the judge knows it to have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.sandbox.base import Place

_FATAL = re.compile(rb"(?:Fatal Python error|Windows fatal exception): ([^\r\n]{0,400})\r?$", re.MULTILINE)
_STACK = re.compile(
    rb"(?:(?:Current thread|Thread) 0x[0-9a-fA-F]{1,16}(?: \[[^\n]{0,64}\])?|Current thread's C stack trace|Stack)"
    rb" \(most recent call first\):$"
)
_FRAME = re.compile(rb'  File "([^\n]{1,600})", line ([0-9]{1,9}) in ([^\n]{0,600})$')
_INSIDE = (b"  File ", b"  <", b"  ...", b"  Garbage-collecting", b"  Binary file ", b"Python runtime state: ")
_MODULES = b"Extension modules: "


@dataclass(frozen=True)
class LastWords:
    """What is left of standard error without the interpreter's own account, and what this says.

    `stack` holds the places in the submission, innermost first; `aborted`: it begins with a call of abort, whatever the
    process then died of.
    """

    rest: bytes
    stack: tuple[Place, ...]
    aborted: bool


def place_in(sources: Mapping[str, str], file: str | None, line: int | None, function: str | None) -> Place | None:
    """A place that a student's process names, if the submission has such a line, with the line's own text."""
    if file is None or line is None or file not in sources:
        return None
    lines = sources[file].split("\n")
    if not 1 <= line <= len(lines):
        return None
    return Place(file, line, function, lines[line - 1].strip()[:200])


def last_words(stderr: bytes, sources: Mapping[str, str]) -> LastWords:
    """Take every account of its stack that an interpreter wrote out of `stderr`; the last one's places count."""
    names = {_as_dumped(name): name for name in sources}
    rest: list[bytes] = []
    stack: list[Place] = []
    before: list[Place] = []
    for kept, starts, frame in _sorted_lines(stderr):
        rest.append(kept)
        if starts:
            before, stack = stack or before, []
        if frame is not None:
            place = place_in(sources, names.get(frame[0]), int(frame[1]), frame[2].decode("ascii", "replace"))
            stack += [] if place is None else [place]
    first = _FATAL.search(stderr)
    aborted = first is not None and first[1] == b"Aborted"
    return LastWords(b"".join(rest), tuple(stack or before), aborted)


def _sorted_lines(stderr: bytes) -> Iterator[tuple[bytes, bool, tuple[bytes, bytes, bytes] | None]]:
    """For each line: what of it is no account of a stack, whether a stack begins, and the frame that it is."""
    lines = [line + b"\n" for line in stderr.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    inside = False
    for index, line in enumerate(lines):
        text = line.rstrip(b"\r\n")
        begins = _FATAL.search(text) or _STACK.search(text)
        if begins:
            inside = True
            yield text[: begins.start()], True, None
        elif inside and text.startswith(_INSIDE):
            found = _FRAME.match(text)
            yield b"", False, (found[1], found[2], found[3]) if found else None
        elif inside and text.startswith(_MODULES):
            inside = False
            yield b"", False, None
        elif inside and not text and _goes_on(lines, index):
            yield b"", False, None
        else:
            inside = False
            yield line, False, None


def _goes_on(lines: list[bytes], index: int) -> bool:
    """Whether an empty line stands between two parts of one account."""
    following = next(filter(None, (line.rstrip(b"\r\n") for line in lines[index + 1 : index + 3])), b"")
    return following.startswith(_MODULES) or _STACK.match(following) is not None or _FATAL.match(following) is not None


def _as_dumped(name: str) -> bytes:
    """A file's name as it is written there: at most 500 characters, other than printable ASCII as escapes."""
    written = "".join(
        character
        if " " <= character <= "~"
        else f"\\x{ord(character):02x}"
        if ord(character) <= 0xFF
        else f"\\u{ord(character):04x}"
        if ord(character) <= 0xFFFF
        else f"\\U{ord(character):08x}"
        for character in name[:500]
    )
    return (written + ("..." if len(name) > 500 else "")).encode("ascii")
