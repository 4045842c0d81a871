"""Brightspace: a folder `{user id}-{folder id} - {name} - {date}` for each submission, and an `index.html`.

Pure function of names. Names may hold ` - ` too, so the date is what stands behind the last one. It is written as the
course's language writes it, without a colon in the time and without a zone. Everybody has a folder for each time that
they handed in. An older form is flat, with the file's name behind the date.
"""

from __future__ import annotations

import re

from grader.intake.layouts.base import Asked, Class, Gathered, HandIn, Layout, Who
from grader.intake.layouts.times import iso_time
from grader.intake.tree import Tree

_FOLDER = re.compile(r"(?P<user>\d+)-\d+ - (?P<name>.+) - (?P<date>[^/]+)", re.DOTALL)
_FLAT = re.compile(r"(?P<user>\d+)-\d+ - (?P<name>.+?) ?- (?P<date>[^-/]*\b\d{4}\b[^-/]*) - (?P<file>.+)", re.DOTALL)


def _read(tree: Tree, _: Asked) -> Class | None:
    gathered = Gathered()
    attempts: dict[str, re.Match[str]] = {}
    own_files = 0
    for name in tree.names():
        top, slash, rest = name.partition("/")
        flat = _FLAT.fullmatch(name)
        if slash and (found := _FOLDER.fullmatch(top)):
            whose, inside = top, rest
        elif flat is not None and not slash:
            found, whose, inside = flat, name[: flat.start("file")], flat["file"]
        else:
            own_files += name == "index.html"
            gathered.passed_over += [name] if name != "index.html" else []
            continue
        attempts[whose] = found
        gathered.add(whose, inside, name)
    if not attempts:
        return None
    hand_ins = [_hand_in(found, gathered.files[whose]) for whose, found in attempts.items()]
    return Class(tuple(hand_ins), tuple(gathered.passed_over), own_files)


def _hand_in(found: re.Match[str], files: dict[str, str]) -> HandIn:
    user, name = found["user"], found["name"].strip(" -")
    when = iso_time(found["date"])
    return HandIn(f"{user} - {name}", (Who(user, name),), files, submitted_at=when, attempt=when or "")


LAYOUT = Layout("Brightspace download", "folders called 12345-67890 - Name - Nov 29, 2026 1014 AM", _read)
