"""nbgrader: `submitted/{student}/{assignment}/…`, with a `timestamp.txt` for each.

SOURCE is the course's folder, or the folder `submitted` in it. The file with the time is nbgrader's, and is read; the
rest is the students'. Where several assignments were collected, the one that is called as ours is graded.
"""

from __future__ import annotations

import re

from grader.errors import UsageProblem
from grader.intake.files import RefusedFiles, shown
from grader.intake.layouts.base import Asked, Class, Gathered, HandIn, Layout, Who
from grader.intake.layouts.times import iso_time
from grader.intake.tree import Tree

_ROOT = "submitted/"
_TIME = "timestamp.txt"


def _read(tree: Tree, asked: Asked) -> Class | None:
    names = tree.names()
    root = _ROOT if any(name.startswith(_ROOT) for name in names) else ""
    parts = [name.removeprefix(root).split("/", 2) for name in names if name.startswith(root)]
    placed = [part for part in parts if len(part) == 3]
    if not _is_course({part[0] for part in parts}, placed, bool(root)):
        return None
    wanted = _wanted({homework for _, homework, _ in placed}, asked.assignment)
    gathered = Gathered()
    own_files = 0
    for name in names:
        student, _, rest = name.removeprefix(root).partition("/")
        homework, slash, inside = rest.partition("/")
        if name.startswith(root) and slash and homework == wanted:
            gathered.add(student, "" if inside == _TIME else inside, name)
            own_files += inside == _TIME
        elif name.startswith(root) and not slash:
            gathered.passed_over.append(name)
        else:
            own_files += 1  # another assignment's, or of another step of nbgrader's
    hand_ins = [
        HandIn(student, (Who(student),), files, submitted_at=_time(tree, f"{root}{student}/{wanted}/{_TIME}"))
        for student, files in gathered.files.items()
    ]
    return Class(tuple(hand_ins), tuple(gathered.passed_over), own_files)


def _is_course(students: set[str], placed: list[list[str]], named: bool) -> bool:
    """Whether most students, not most files, lie as nbgrader lays them; without its folder's name, with their times."""
    laid = {student for student, _, rest in placed if named or rest == _TIME}
    return bool(placed) and 2 * len(laid) > len(students)


def _wanted(homeworks: set[str], assignment: str) -> str:
    if len(homeworks) == 1:
        return next(iter(homeworks))
    same = [homework for homework in homeworks if _plain(homework) == _plain(assignment)]
    if len(same) != 1:
        found = ", ".join(map(shown, sorted(homeworks)[:6]))
        raise UsageProblem(
            f"SOURCE holds several assignments of nbgrader's ({found}) and none, or more than one, is called "
            f"{assignment}; copy the one to grade, with the students' folders, and grade that."
        )
    return same[0]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _time(tree: Tree, name: str) -> str | None:
    try:
        return iso_time(tree.read(name).decode("utf-8-sig", "replace"))
    except (KeyError, OSError, RefusedFiles):
        return None


LAYOUT = Layout("nbgrader course", "folders submitted/STUDENT/ASSIGNMENT with a timestamp.txt", _read)
