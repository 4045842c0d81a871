"""Moodle: `{full name}_{participant id}_assignsubmission_{plugin}`, as folders or as the beginning of flat names.

Pure function of names. What stands before the first `_assignsubmission_` is Moodle's, everything behind it may be a
student's. The number is the participant's in this assignment, which only the grading worksheet knows, as `Participant
29123`; of a team it is the group's, and the team of those without a group has none. Moodle has the last attempt only,
and tells no times.
"""

from __future__ import annotations

import re

from grader.intake.layouts.base import Asked, Class, Gathered, HandIn, Layout, Who
from grader.intake.tree import Tree

_MARK = "_assignsubmission_"
_REST = re.compile(r"(?P<plugin>[a-z]+)(?:_?/(?P<path>.*)|_(?P<flat>.+))", re.DOTALL)
_OWNER = re.compile(r"(?P<name>.*)_(?P<id>\d+)", re.DOTALL)


def _read(tree: Tree, _: Asked) -> Class | None:
    gathered = Gathered()
    for name in tree.names():
        owner, mark, rest = name.partition(_MARK)
        found = _REST.fullmatch(rest)
        if not mark or not owner or "/" in owner or found is None:
            gathered.passed_over.append(name)
            continue
        gathered.add(owner, found["flat"] if found["path"] is None else found["path"], name)
    if not gathered.files:
        return None
    hand_ins = [HandIn(owner, (_who(owner),), files) for owner, files in gathered.files.items()]
    return Class(tuple(hand_ins), tuple(gathered.passed_over))


def _who(owner: str) -> Who:
    found = _OWNER.fullmatch(owner)
    if found is None:
        return Who(owner, owner, is_id=False)
    name = "" if found["name"] == "Participant" else found["name"]  # so called where marking is anonymous
    return Who(found["id"], name, (f"Participant {found['id']}",), is_id=False)


LAYOUT = Layout("Moodle download", "folders called Name_12345_assignsubmission_file", _read)
