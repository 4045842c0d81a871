"""Which layout a tree has: the platforms' are tried one after the other, at the top and inside wrapping folders.

Runs in the command; reads names, and what layouts read. A platform's layout is taken only if it explains most of the
files, and of several the one that explains most: whatever one student calls their files, it is the others' that decide.
Somebody who knows better names one.
"""

from __future__ import annotations

import contextlib
from pathlib import PurePosixPath

from grader import registry
from grader.errors import UsageProblem
from grader.intake.archive import archive_inside, is_archive
from grader.intake.choose import is_renamed
from grader.intake.layouts.base import Asked, Class, Layout
from grader.intake.tree import Tree

AUTO = "auto"
_ONE, _FOLDERS = "single", "folders"
_WRAPPED = 4
"""How many folders may lie around a class."""
_PACKED = 2
"""How many archives may, one in the other, in SOURCE or in the archive that SOURCE is."""
Seen = tuple[Layout, Class, Tree]


def recognise(tree: Tree, asked: Asked, wanted: str = AUTO) -> Seen | None:
    """The layout, what it found, and where in the tree; None if there is nothing to grade.

    An archive that is all there is in a tree is one person's work, unless a whole class was packed there.

    Raises:
        UsageProblem: the layout that is `wanted` is not there.
    """
    if packed := _archives_inside(tree) if wanted == AUTO or _layout(wanted).of_platform else []:
        for candidate in (tree, *packed):
            with contextlib.suppress(UsageProblem):  # what is wrong inside is its owner's, if it is no class
                if _is_class(seen := _in_tree(candidate, asked, wanted), asked):
                    return seen
    return _in_tree(tree, asked, wanted)


def _archives_inside(tree: Tree) -> list[Tree]:
    """The archive that is all there is in a tree, and the one that is all there is in that."""
    found: list[Tree] = []
    while len(found) < _PACKED and (inside := archive_inside(found[-1] if found else tree)) is not None:
        found.append(inside)
    return found


def _in_tree(tree: Tree, asked: Asked, wanted: str) -> Seen | None:
    if wanted == AUTO:
        return _by_content(tree, asked)
    layout = _layout(wanted)
    for inner in _views(tree):
        if found := layout.read(inner, asked):
            return layout, found, inner
    raise UsageProblem(f"SOURCE is no {layout.title}: it holds no {layout.clue}. Say --layout folders, or none at all.")


def _by_content(tree: Tree, asked: Asked) -> Seen | None:
    if asked.main_file in tree.places:
        return _plain(_ONE, tree, asked)
    if best := _platforms(tree, asked):
        return best
    inner = _wrapped_class(tree, asked) or (_class_of(tree, asked) if tree.packed else tree)
    return _plain(_ONE if asked.main_file in inner.places else _FOLDERS, inner, asked)


def _is_class(seen: Seen | None, asked: Asked) -> bool:
    """Whether what was recognised is surely a class, not what one person packed."""
    return seen is not None and (seen[0].of_platform or _holds_class(seen[2], asked))


def _wrapped_class(tree: Tree, asked: Asked) -> Tree | None:
    """What lies inside the folders around a whole class; None if there are none, or one student's may be meant."""
    return next((inner for inner in _views(tree)[1:] if _holds_class(inner, asked)), None)


def _holds_class(tree: Tree, asked: Asked) -> bool:
    """Whether two or more folders hold the file that is asked for, or everything is archives, two or more."""
    names = tree.names()
    if asked.main_file in names:
        return False
    stem = PurePosixPath(asked.main_file).stem
    named = [name for name in names if "/" in name and is_renamed(PurePosixPath(name).name, stem)]
    wanted = {name.partition("/")[0] for name in named}
    return len(wanted) > 1 or _are_archives(names)


def _are_archives(names: list[str]) -> bool:
    """Whether there is nothing but archives, two or more."""
    return len(names) > 1 and all("/" not in name and is_archive(name) for name in names)


def _platforms(tree: Tree, asked: Asked) -> Seen | None:
    """The platform's layout that leaves the fewest files unexplained; the right one leaves next to none."""
    found: list[Seen] = []
    problems: list[UsageProblem] = []
    for inner in _views(tree):
        for layout in filter(lambda layout: layout.of_platform, map(_layout, registry.LAYOUTS)):
            try:
                seen = layout.read(inner, asked)
            except UsageProblem as problem:
                problems.append(problem)
                continue
            if seen is not None and _explains(seen):
                found.append((layout, seen, inner))
    if problems and not found:
        raise problems[0]
    return min(found, key=lambda one: len(one[1].passed_over), default=None)


def _plain(name: str, tree: Tree, asked: Asked) -> Seen | None:
    layout = _layout(name)
    found = layout.read(tree, asked)
    return None if found is None else (layout, found, tree)


def _layout(name: str) -> Layout:
    layout: Layout = registry.load(registry.LAYOUTS[name])
    return layout


def _views(tree: Tree) -> list[Tree]:
    """The tree, and what is inside the folders that hold everything."""
    views: list[Tree] = []
    inner: Tree | None = tree
    while inner is not None and len(views) <= _WRAPPED:
        views.append(inner)
        inner = inner.inner()
    return views


def _explains(found: Class) -> bool:
    """Whether a layout places more than half of what lies there."""
    placed = sum(max(1, len(hand_in.files)) for hand_in in found.hand_ins) + found.own_files
    return placed > len(found.passed_over)


def _class_of(tree: Tree, asked: Asked) -> Tree:
    """What an archive holds, without the folders around a class; the folder of a single student stays."""
    while asked.main_file not in tree.places and (inner := tree.inner()) is not None:
        names = inner.names()
        is_class = any("/" in name for name in names) or _are_archives(names)
        if asked.main_file not in names and not is_class:
            break
        tree = inner
    return tree
