"""Google Classroom: loose files `{name} - {title}`, all with one title.

Pure function of names. The name is all that Drive tells, so namesakes stay two, and a list of the course may have to
say who is who.
"""

from __future__ import annotations

import re
from collections import Counter

from grader.intake.layouts.base import HANDED_IN, Asked, Class, HandIn, Layout, Who
from grader.intake.tree import Tree

_NAME = re.compile(r"(?:Copy of )?(?P<name>.+?) - (?P<title>.+?)(?: \(\d+\))?(?P<suffix>\.[A-Za-z0-9]+)", re.DOTALL)
_ENOUGH = 2


def _read(tree: Tree, _: Asked) -> Class | None:
    matches = {
        name: found
        for name in tree.names()
        if "/" not in name and name.lower().endswith(HANDED_IN) and (found := _NAME.fullmatch(name))
    }
    titles = Counter(found["title"].casefold() for found in matches.values())
    title, count = titles.most_common(1)[0] if titles else ("", 0)
    if count < _ENOUGH:
        return None
    mine = {name: found for name, found in matches.items() if found["title"].casefold() == title}
    people = Counter(found["name"] for found in mine.values())
    hand_ins = []
    for name, found in mine.items():
        stem = name.removesuffix(found["suffix"])
        who = Who(found["name"] if people[found["name"]] == 1 else stem, found["name"])
        hand_ins.append(HandIn(stem, (who,), {name: name}, flat=True))
    return Class(tuple(hand_ins), tuple(name for name in tree.names() if name not in mine))


LAYOUT = Layout("Google Classroom files", "files called Name - title.ipynb, all with one title", _read)
