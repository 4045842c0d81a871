"""Which line to name when time is up: one that two gradings agree on, and that says most.

Pure functions, in the judge. Where a process is at the moment at which it is interrupted is chance; the loop that it
is in is not. So of the lines on the stack the one that is named begins a loop: the outermost `while`, since that is
what never ends, else the outermost `for`; without a loop the call that recursion began with, else the innermost line.
Loops and statements are found by indentation and brackets, in the text that was handed in: student code is not parsed
here, and what is not laid out as Python usually is may get another line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.judge.last_words import place_in
from grader.sandbox.base import Place

_LOOP = re.compile(r"(while|for|async +for)\b")
_BOUNDARY = re.compile(r"(def|class|async +def)\b|@")
_COMPREHENSION = re.compile(r"[\[({].{0,400}\bfor\b.{1,400}\bin\b")
_CONTINUES = ("(", "[", "{", ",", "\\")
_MOST_LINES = 40
"""Of one statement."""
_WHILE, _FOR = "while", "for"


def time_place(stack: Sequence[Place], sources: Mapping[str, str]) -> Place | None:
    """The line to name, from the places on a stack, innermost first."""
    texts = {frame.file: sources[frame.file].split("\n") for frame in stack}
    frames = [
        frame
        for index, frame in enumerate(stack)
        # A comprehension is part of a statement of the function around it.
        if not ((frame.function or "").startswith("<") and index + 1 < len(stack) and frame.function != "<module>")
    ]
    frames.reverse()
    begins = [_statement(texts[frame.file], frame.line) for frame in frames]
    loops = [_loop_around(texts[frame.file], begin) for frame, begin in zip(frames, begins, strict=True)]
    for wanted in (_WHILE, _FOR):
        for frame, loop in zip(frames, loops, strict=True):
            if loop is not None and loop[1] == wanted:
                return place_in(sources, frame.file, loop[0], frame.function)
    called = [(frame.file, frame.function) for frame in frames]
    recursive = (index for index in range(len(called)) if called[index] in called[index + 1 :])
    index = next(recursive, len(frames) - 1)
    return place_in(sources, frames[index].file, begins[index], frames[index].function) if frames else None


def _statement(lines: Sequence[str], number: int) -> int:
    """The line on which the statement begins that a line belongs to: the one that opens a bracket around it."""
    begin, depth = number, _indentation(lines[number - 1])
    for above in range(number - 1, max(0, number - _MOST_LINES), -1):
        line = lines[above - 1]
        if not line.strip() or _indentation(line) >= depth:
            continue
        if not line.rstrip().endswith(_CONTINUES):
            break
        begin, depth = above, _indentation(line)
    return begin


def _loop_around(lines: Sequence[str], number: int) -> tuple[int, str] | None:
    """Line and kind of the outermost `while` around a line, within its function; else of the outermost `for`."""
    found: dict[str, int] = {}
    depth = _indentation(lines[number - 1])
    if _COMPREHENSION.search(_whole(lines, number)):
        found[_FOR] = number
    depth += 1
    for above in range(number, 0, -1):
        text, indentation = lines[above - 1].strip(), _indentation(lines[above - 1])
        if not text or text.startswith("#") or indentation >= depth:
            continue
        depth = indentation
        if _BOUNDARY.match(text):
            break
        if loop := _LOOP.match(text):
            found[_WHILE if loop[1] == _WHILE else _FOR] = above
    return next(((found[kind], kind) for kind in (_WHILE, _FOR) if kind in found), None)


def _whole(lines: Sequence[str], number: int) -> str:
    """A statement, from the line on which it begins, on one line."""
    depth = _indentation(lines[number - 1])
    parts = [lines[number - 1][:400]]
    if lines[number - 1].rstrip().endswith(_CONTINUES):
        for line in lines[number : number + _MOST_LINES]:
            if line.strip() and _indentation(line) <= depth:
                break
            parts.append(line[:400])
    return " ".join(parts)


def _indentation(line: str) -> int:
    expanded = line[:1000].expandtabs()
    return len(expanded) - len(expanded.lstrip())
