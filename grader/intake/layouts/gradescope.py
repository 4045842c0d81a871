"""Gradescope: `submission_metadata.yml` beside a folder `submission_{number}` for each submission.

Reads that index, which Gradescope wrote, and no more. It is YAML with Ruby's keys (`:name:`) and tags: everything is
read as text, whatever its tag, so that ids keep their zeros and nothing is made of what a tag names. A group is a
submission with several submitters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from grader.errors import UsageProblem
from grader.intake.files import RefusedFiles
from grader.intake.layouts.base import Asked, Class, Gathered, HandIn, Layout, Who
from grader.intake.layouts.times import iso_time
from grader.intake.tree import Tree

_INDEX = "submission_metadata.yml"
_MAX_INDEX = 64 << 20
"""Bytes of the index, which holds all results of everybody's submissions."""
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def _read(tree: Tree, _: Asked) -> Class | None:
    if _INDEX not in tree.places:
        return None
    index = _index(tree)
    gathered = Gathered()
    for name in tree.names():
        top, slash, rest = name.partition("/")
        if slash and (top in index or top.startswith("submission_")):
            gathered.add(top, rest, name)
        elif name != _INDEX:
            gathered.passed_over.append(name)
    keys = sorted(index.keys() | gathered.files.keys())
    hand_ins = [_hand_in(key, index.get(key, {}), gathered.files.get(key, {})) for key in keys]
    return Class(tuple(hand_ins), tuple(gathered.passed_over), own_files=1)


def _index(tree: Tree) -> dict[str, Mapping[str, Any]]:
    """What the index says of each submission, keys without their colons."""
    try:
        text = tree.read(_INDEX, _MAX_INDEX).decode("utf-8-sig", "replace")
        loaded = yaml.load(text, Loader=_Loader)  # which makes nothing but text, lists and dictionaries
    except (OSError, RefusedFiles, yaml.YAMLError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageProblem(f"{_INDEX} cannot be read: {reason}. Export the submissions again.") from None
    entries = loaded.items() if isinstance(loaded, dict) else ()
    return {str(key): _plain_keys(entry) for key, entry in entries if isinstance(entry, dict)}


def _plain_keys(entry: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key).strip(":"): value for key, value in entry.items()}


def _hand_in(key: str, entry: Mapping[str, Any], files: Mapping[str, str]) -> HandIn:
    submitters = entry.get("submitters")
    found = [_plain_keys(one) for one in submitters if isinstance(one, dict)] if isinstance(submitters, list) else []
    people = tuple(who for one in found if (who := _who(one)) is not None)
    created = entry.get("created_at")
    when = iso_time(created) if isinstance(created, str) else None
    return HandIn(key, people or (Who(key),), files, submitted_at=when)


def _who(entry: Mapping[str, Any]) -> Who | None:
    name, number, email = (_text(entry.get(field)) for field in ("name", "sid", "email"))
    student = number or email or name
    return Who(student, name, (email,) if email else (), is_id=student != name) if student else None


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) and value.strip() not in ("~", "null") else ""


LAYOUT = Layout("Gradescope export", f"a file {_INDEX}", _read)
