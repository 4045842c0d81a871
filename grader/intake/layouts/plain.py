"""No platform: one submission, a folder for each student, or a file for each.

Pure functions of names. The name of the folder or file is all that is known of its student.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from grader.intake.layouts.base import HANDED_IN, Asked, Class, Gathered, HandIn, Layout, Who
from grader.intake.tree import Tree


def _one(tree: Tree, _: Asked) -> Class | None:
    names = [name for name in tree.names() if not name.endswith("/")]
    return Class((HandIn(tree.name, (Who(tree.name),), {name: name for name in names}),)) if names else None


def _folders(tree: Tree, _: Asked) -> Class | None:
    """A folder for each student; a loose file that may be somebody's work is a student's as well."""
    gathered = Gathered()
    flat: dict[str, str] = {}
    for name in tree.names():
        top, slash, rest = name.partition("/")
        if slash:
            gathered.add(top, rest, name)
        elif name.lower().endswith(HANDED_IN):
            flat[name] = _stem(name)
        else:
            gathered.passed_over.append(name)
    hand_ins = [HandIn(top, (Who(top),), files) for top, files in gathered.files.items()]
    hand_ins += _files_of(flat)
    return Class(tuple(hand_ins), tuple(gathered.passed_over)) if hand_ins else None


def _files(tree: Tree, _: Asked) -> Class | None:
    names = tree.names()
    flat = {name: _stem(name) for name in names if "/" not in name and name.lower().endswith(HANDED_IN)}
    return Class(tuple(_files_of(flat)), tuple(name for name in names if name not in flat)) if flat else None


def _files_of(flat: dict[str, str]) -> list[HandIn]:
    return [HandIn(stem, (Who(stem),), {name: name}, flat=True) for name, stem in flat.items()]


def _stem(name: str) -> str:
    """`ann` of `ann.py` and of `ann.tar.gz`."""
    return PurePosixPath(name).stem.removesuffix(".tar") or name


ONE = Layout("one submission", "files", _one, False)
FOLDERS = Layout("a folder or file for each student", "folders or files", _folders, False)
FILES = Layout("a file for each student", "loose files that may be somebody's work", _files, False)
