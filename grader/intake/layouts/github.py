"""GitHub Classroom and the like: a cloned repository `{assignment}-{user}` for each student or team.

Pure function of names. The folder around them is called `{assignment}-submissions` when GitHub's own command made it,
which tells where the user's name begins; else it begins where the names of at least three repositories part. User names
hold hyphens, so nothing less will do. What a repository says of itself is the students', and is not asked.
"""

from __future__ import annotations

from grader.intake.layouts.base import Asked, Class, HandIn, Layout, Who, by_top
from grader.intake.tree import Tree

_AROUND = "-submissions"
_ENOUGH = 3


def _read(tree: Tree, _: Asked) -> Class | None:
    found = by_top(tree.names())
    loose = found.pop("", [])
    cloned = [top for top in found if top in tree.repositories]
    prefix = _prefix(tree.name, list(found), cloned)
    if not prefix:
        return None
    hand_ins, passed_over = [], list(loose)
    for top, names in found.items():
        user = top.removeprefix(prefix)
        if user == top or not user:
            passed_over += names
            continue
        files = {inside: name for name in names if (inside := name.partition("/")[2]) and not inside.endswith("/")}
        hand_ins.append(HandIn(top, (Who(user),), files))
    return Class(tuple(hand_ins), tuple(passed_over))


def _prefix(around: str, tops: list[str], cloned: list[str]) -> str:
    """What stands before the user's name; empty if these are no clones, or there is no telling."""
    if around.endswith(_AROUND):
        known = around.removesuffix(_AROUND) + "-"
        return known if sum(top.startswith(known) for top in tops) > len(tops) / 2 else ""
    if len(cloned) < _ENOUGH or len(cloned) < len(tops):
        return ""
    first, last = min(cloned), max(cloned)
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[: first.rfind("-", 0, same) + 1]


LAYOUT = Layout("GitHub Classroom clones", "cloned folders called homework-user", _read)
