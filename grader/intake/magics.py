"""A notebook's cell as plain Python: what only IPython understands becomes calls that do nothing, line by line.

Pure functions, in the command, on hostile text: nothing is run. IPython's own transformer finds the special lines, so
that a `%` inside a string is left alone; it is imported when the first cell needs it. A cell keeps the number of its
lines. What the calls mean where the code runs is decided there (`grader.sandbox.standins`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

WORK = 600_000
"""Characters that a notebook's special lines may cost together: each makes IPython read its cell once more."""

_SPECIAL = re.compile(r"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
_INDENTED = re.compile(r"(?:[ \t]*\n)*[ \t]+\S")
_PROMPT = re.compile(r"^[ \t]*(?:>>> |In ?\[\d*\]: )", re.MULTILINE)
_SHELL_ALONE = re.compile(r"\s*(?:pip|conda|cd|ls|pwd|mkdir|cp|mv|rm|cat|clear|who|whos)(?: [^=(\n]*)?\s*")
_CALL = re.compile(r"get_ipython\(\)\.(\w+)\(")
_TIMED = re.compile(r"([ \t]*)get_ipython\(\)\.run_line_magic\('(?:time|prun|memit)', (.*)\)\n")
_QUIET = re.compile(
    r"\s*(?:\?|%{1,2}(?:matplotlib|config|load_ext|reload_ext|load|env|autoreload|timeit|time|prun|memit|precision|xmode|who|whos|pinfo2?|"
    r"colors|history|tensorboard)\b)"
)
_KEPT = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "debug", "snakeviz", "wandb"})
"""Cell magics that measure or watch: what stands below them is Python and is run."""
_FILES = frozenset({"writefile", "file"})
_OPTIONS = re.compile(r"-{1,2}\w[\w-]*\s+")


@dataclass(frozen=True)
class PlainCell:
    """What became of a cell. `text` has a line for each line of the cell, and is empty if nothing of it is run.

    `skipped` are lines as they were written that do nothing here; `magic` is the one for which the whole cell is
    skipped. If the cell only writes a file, `file` names it and `text` is its content; `appends` to what it had.
    """

    text: str
    skipped: tuple[tuple[int, str], ...] = ()
    magic: str | None = None
    file: str | None = None
    appends: bool = False


def cost(source: str) -> int:
    """Characters that IPython has to read for this cell; 0 if it is plain Python as it is."""
    special = len(_SPECIAL.findall(source))
    return (special + 1) * len(source) if special or _INDENTED.match(source) or _PROMPT.search(source) else 0


def plain_cell(source: str, special: bool = True) -> PlainCell:
    """The cell in plain Python; without `special` its lines are taken as they are."""
    lines = source.split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        name, _, rest = lines[first][2:].strip().partition(" ")
        if name in _FILES:
            return _file(lines[first + 1 :], rest, f"%%{name}")
        if name not in _KEPT:
            return PlainCell("", magic=f"%%{name}")
        lines[first] = ""
        source = "\n".join(lines)
    if len(lines) == 1 and _SHELL_ALONE.fullmatch(source):
        return PlainCell("", skipped=((1, source.strip()),))  # IPython takes a lone `pip install x` for a command
    if not special or not cost(source):
        return PlainCell(source)
    try:
        return _transformed(source)
    except Exception:  # of IPython's, on text that is neither Python nor its own: the cell will say so when it is run
        return PlainCell(source)


def _transformed(source: str) -> PlainCell:
    from IPython.core import inputtransformer2

    ipython: Any = inputtransformer2
    lines = [f"{line}\n" for line in source.split("\n")]
    begin = next((index for index, line in enumerate(lines) if line.strip()), 0)
    for transform in (ipython.leading_indent, ipython.classic_prompt, ipython.ipython_prompt):
        lines[begin:] = transform(lines[begin:])
    before = list(lines)
    step: Callable[[list[str]], tuple[bool, list[str]]] = ipython.TransformerManager().do_one_token_transform
    for _ in range(len(lines) + 1):
        changed, after = step(lines)
        if not changed:
            break
        lines = _as_many(lines, after)
    skipped = []
    for index, (old, new) in enumerate(zip(before, lines, strict=True)):
        if old == new or not _CALL.search(new):
            continue
        if timed := _TIMED.fullmatch(new):
            lines[index] = f"{timed[1]}{_OPTIONS.sub('', str(ast.literal_eval(timed[2]))).strip() or 'pass'}\n"
        elif not _QUIET.match(old) and not old.endswith("?\n"):
            skipped.append((index + 1, old.strip()))
    return PlainCell("".join(lines).removesuffix("\n"), tuple(skipped))


def _as_many(before: list[str], after: list[str]) -> list[str]:
    """`after` with empty lines where a command over several lines became one."""
    lost = len(before) - len(after)
    place = next((index for index, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
    return [*after[: place + 1], *["\n"] * lost, *after[place + 1 :]]


def _file(lines: list[str], arguments: str, magic: str) -> PlainCell:
    """A cell that writes a Python file; one that writes anything else is skipped."""
    words = arguments.split()
    appends = "-a" in words or "--append" in words
    names = [word.strip("'\"") for word in words if not word.startswith("-")]
    path = PurePosixPath(names[0] if len(names) == 1 else "")
    name = path.name if path.is_absolute() else path.as_posix()
    if path.suffix != ".py" or ".." in path.parts or len(name) > 200:
        return PlainCell("", magic=magic)
    return PlainCell("\n".join(lines), file=name, appends=appends)
