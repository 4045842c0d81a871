"""What `grader grade` tells about a class as a whole: what SOURCE was taken for, and who is missing.

Pure functions, in the command; sentences for standard error. Names of students and files are data, which `say` cleans.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.intake.layouts.plain import FOLDERS
from grader.intake.recognise import AUTO
from grader.intake.source import Found
from grader.model.roster import Standing

_SHOWN = 10


def found_sentences(found: Found, layout: str, anonymous: bool = False) -> list[str]:
    """What SOURCE was taken for, what was passed over in it, and what its times mean; `anonymous`: no file is named."""
    count = len(found.submissions)
    where = f" in {found.inside}" if found.inside and not anonymous else ""
    parts = [f"{found.layout}{where}", _counted(count - found.groups, "student")]
    if found.groups:
        parts[1:] = [_counted(found.groups, "group"), *([parts[1]] if count > found.groups else [])]
    if found.late:
        parts.append(f"{found.late} late")
    if found.attempts:
        parts.append(f"{_counted(found.attempts, 'attempt')} that do not count")
    sentences = [f"{'Recognised' if layout == AUTO else 'Read as'}: {', '.join(parts)}.{_way_out(found, layout)}"]
    if found.zoneless:
        sentences.append(f"Its times name no zone and were taken as {found.zone}'s.")
    if found.passed_over:
        what = _counted(len(found.passed_over), "file") if anonymous else several(found.passed_over)
        sentences.append(f"Passed over, since they are no submissions: {what}.")
    return sentences


def _way_out(found: Found, layout: str) -> str:
    if layout == AUTO and (found.of_platform or found.inside):
        return " If that is wrong, say --layout folders."
    alone = len(found.submissions) == 1 and found.layout == FOLDERS.title
    return " If that is a whole class, name the folder inside." if alone else ""


def people_sentences(people: Standing | None) -> list[str]:
    """Who of the roster is missing, and whose work nobody of it has."""
    if people is None:
        return []
    sentences = []
    if people.missing:
        names = [f"{person.name} ({person.student})" if person.name else person.student for person in people.missing]
        sentences.append(f"Without a submission: {several(names)}.")
    if people.doubts:
        told = [f"{name} ({doubt})" for name, doubt in people.doubts.items()]
        sentences.append(f"Held for staff, since the roster does not tell whose they are: {several(told)}.")
    return sentences


def not_taken_sentence(names: Sequence[str]) -> str:
    """Whose results of before stay, since their marks would fall."""
    return f"Not taken, since marks would fall: {several(names)}. --accept-lower takes them."


def several(names: Sequence[str]) -> str:
    """The first of many names, and how many there are more."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
