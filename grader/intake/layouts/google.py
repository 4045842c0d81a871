"""Google Classroom: loose files `{name} - {title}`, all with one title.

Pure function of names. The name is all that Drive tells, so namesakes stay two, and a list of the course may have to
say who is who.
"""

from __future__ import annotations

import re
from collections import Counter

from grader.intake.layouts.base import HANDED_IN, Asked, Class, HandIn, Layout, Who
from grader.intake.tree import Tree

_BETWEEN = " - "
_SUFFIX = re.compile(r"(?: \(\d+\))?\.[A-Za-z0-9]+")
_ENOUGH = 2


def _read(tree: Tree, _: Asked) -> Class | None:
    names = tree.names()
    loose = [name for name in names if "/" not in name and name.lower().endswith(HANDED_IN)]
    titles = Counter(title for name in loose for title in _titles(name))
    title, count = max(titles.items(), key=lambda item: (item[1], len(item[0])), default=("", 0))
    if count < _ENOUGH:
        return None
    mine = {name: _student(name, title) for name in loose if title in _titles(name)}
    people = Counter(mine.values())
    hand_ins = []
    for name, student in mine.items():
        stem = name.rpartition(".")[0]
        who = Who(student if people[student] == 1 else stem, student, is_id=False)
        hand_ins.append(HandIn(stem, (who,), {name: name}, flat=True))
    return Class(tuple(hand_ins), tuple(name for name in names if name not in mine))


def _titles(name: str) -> list[str]:
    """Whatever may be the title: names of people and titles may hold a dash too."""
    parts = _bare(name).casefold().split(_BETWEEN)
    return [_BETWEEN.join(parts[place:]) for place in range(1, len(parts))]


def _student(name: str, title: str) -> str:
    parts = _bare(name).split(_BETWEEN)
    return _BETWEEN.join(parts[: -1 - title.count(_BETWEEN)]).removeprefix("Copy of ")


def _bare(name: str) -> str:
    """Without the suffix, and the number that Drive gives to a second file of one name."""
    found = list(_SUFFIX.finditer(name))
    return name[: found[-1].start()] if found and found[-1].end() == len(name) else name


LAYOUT = Layout("Google Classroom files", "files called Name - title.ipynb, all with one title", _read)
