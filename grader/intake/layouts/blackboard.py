"""Blackboard Learn: a flat zip with a `.txt` for each attempt, `{assignment}_{user}_attempt_{time}`, and its files.

The `.txt` is Blackboard's: its first line tells the name and the user name, since both parts of a file's name may hold
`_`, and its last lines tell what files were called. Between them stands what the student wrote; so a line counts only
if it names a file of this very attempt. All attempts may be there.
"""

from __future__ import annotations

import itertools
import re
from pathlib import PurePosixPath

from grader.intake.files import RefusedFiles
from grader.intake.layouts.base import Asked, Class, HandIn, Layout, Who, free_name
from grader.intake.layouts.times import iso_time
from grader.intake.tree import Tree

_NAME = re.compile(
    r"(?P<owner>[^/]+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:(?P<index>\.txt)|_(?P<file>.+))", re.DOTALL
)
_WHO = re.compile(r"[^:]*:\s*(?P<name>.*?)\s*\((?P<user>[^()]+)\)\s*")
_FIELD = re.compile(r"\s*[^:]+:\s*(?P<value>.+?)\s*")


def _read(tree: Tree, _: Asked) -> Class | None:
    indexes: dict[tuple[str, str], str] = {}
    files: dict[tuple[str, str], dict[str, str]] = {}
    passed_over: list[str] = []
    for name in tree.names():
        found = _NAME.fullmatch(name)
        if found is None:
            passed_over.append(name)
            continue
        attempt = (found["owner"], found["time"])
        files.setdefault(attempt, {})
        if found["index"]:
            indexes[attempt] = name
        else:
            files[attempt][found["file"]] = name
    if not files:
        return None
    prefix = _common_prefix({owner for owner, _ in files})
    hand_ins = [_hand_in(tree, attempt, files[attempt], indexes.get(attempt), prefix) for attempt in sorted(files)]
    return Class(tuple(hand_ins), tuple(passed_over), own_files=len(indexes))


def _hand_in(tree: Tree, attempt: tuple[str, str], files: dict[str, str], index: str | None, prefix: str) -> HandIn:
    owner, time = attempt
    lines = _lines(tree, index) if index else []
    first = _WHO.fullmatch(lines[0]) if lines else None
    user, name = owner.removeprefix(prefix), ""
    if first is not None and owner.endswith(f"_{first['user']}"):
        user, name = first["user"], first["name"]
    original = _original_names(lines, set(files.values()))
    named: dict[str, str] = {}
    for inside, place in files.items():
        named[free_name(original.get(place, inside), named)] = place
    return HandIn(user, (Who(user, name),), named, submitted_at=_when(lines, time), attempt=time)


def _lines(tree: Tree, index: str) -> list[str]:
    try:
        content = tree.read(index)
    except (OSError, RefusedFiles):
        return []
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace").splitlines()


def _original_names(lines: list[str], places: set[str]) -> dict[str, str]:
    """What files of this attempt were called: the line before the one that tells what they are called now."""
    found = {}
    for before, line in itertools.pairwise(lines):
        now, then = _FIELD.fullmatch(line), _FIELD.fullmatch(before)
        if now and then and now["value"] in places:
            name = PurePosixPath(then["value"].replace("\\", "/")).name
            if name not in ("", ".", ".."):
                found[now["value"]] = name
    return found


def _when(lines: list[str], time: str) -> str | None:
    """The time of an attempt, with its zone if the index names one for the very time that the file's name has."""
    plain = iso_time(time)
    for line in lines[:6]:
        told = iso_time(line.partition(":")[2])
        if told is not None and plain is not None and told.startswith(plain):
            return told
    return plain


def _common_prefix(owners: set[str]) -> str:
    """What stands before the user in all names, should an index be missing; one `_` at its end."""
    first, last = min(owners), max(owners)
    if first == last:
        return first[: first.rfind("_") + 1]
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[: first.rfind("_", 0, same) + 1]


LAYOUT = Layout("Blackboard download", "files called Homework_user_attempt_2026-11-29-10-14-00.txt", _read)
