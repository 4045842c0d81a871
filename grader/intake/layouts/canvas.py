"""Canvas: a flat zip of `{owner}[_LATE]_{user id}_{file id}_{file name}`.

Pure function of names. The owner is the sortable name, or a group's, in lower case without spaces and signs; Canvas
leaves no `_digits_` in it, so the first such pair is the ids, whatever a file is called. Online text and links have no
file id. Canvas has the last attempt only, and numbers a file that is handed in again (`hw1-2.py`).
"""

from __future__ import annotations

import re

from grader.intake.files import shown
from grader.intake.layouts.base import Asked, Class, Gathered, HandIn, Layout, Who
from grader.intake.tree import Tree

_NAME = re.compile(
    r"(?:(?P<late_first>LATE_)?anon_(?P<anonymous>[A-Za-z0-9]{5,})|(?P<owner>[^/]*?)(?P<late>_LATE)?_(?P<user>\d+))"
    r"_(?:(?P<file>\d+)_(?P<name>.+)|(?P<entry>text|link)\.html)",
    re.DOTALL,
)
_NUMBERED = re.compile(r"(?P<stem>.+)-\d{1,3}(?P<suffix>\.(?:py|ipynb))", re.DOTALL | re.IGNORECASE)
_LEAST_FILE_ID = 100
"""Below this a number is somebody's counting, not Canvas's."""


def _read(tree: Tree, _: Asked) -> Class | None:
    gathered = Gathered()
    whose: dict[str, Who] = {}
    keys: dict[str, str] = {}
    late: set[str] = set()
    file_ids: list[str] = []
    for name in tree.names():
        found = _NAME.fullmatch(name)
        if found is None:
            gathered.passed_over.append(name)
            continue
        student = found["user"] or found["anonymous"]
        keys.setdefault(student, f"{found['owner']}_{student}" if found["user"] else f"anon_{student}")
        whose.setdefault(student, Who(student, found["owner"] or ""))
        gathered.add(student, found["name"] or f"{found['entry']}.html", name)
        file_ids += [found["file"]] if found["file"] else []
        if found["late"] or found["late_first"]:
            late.add(student)
    if not whose or len(set(file_ids)) < len(file_ids) or any(int(number) < _LEAST_FILE_ID for number in file_ids):
        return None
    hand_ins = []
    for student, files in gathered.files.items():
        restored, notices = _without_numbers(files)
        hand_ins.append(
            HandIn(keys[student], (whose[student],), restored, late=student in late, notices=tuple(notices))
        )
    return Class(tuple(hand_ins), tuple(gathered.passed_over))


def _without_numbers(files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """The files under the names that they had before Canvas numbered them, where that leaves no doubt."""
    original = {name: f"{found['stem']}{found['suffix']}" for name in files if (found := _NUMBERED.fullmatch(name))}
    wanted = [original.get(name, name).casefold() for name in files]
    restored, notices = {}, []
    for name, place in files.items():
        here = original.get(name, name)
        if here != name and wanted.count(here.casefold()) == 1:
            notices.append(f"{shown(name)} was taken as {shown(here)}: Canvas numbers files that are handed in again.")
            restored[here] = place
        else:
            restored[name] = place
    return restored, notices


LAYOUT = Layout("Canvas download", "files called name_12345_987654_file.py", _read)
