"""Autolab: the lines that a job prints for Tango, and the files that make its autograder.

Formats as in Autolab's documentation ("Guide For Lab Authors", "Feedback") and as its server reads them: the last line
is one JSON object of scores, the line before it may be one of semantic feedback. Before it decodes the last line, the
server puts quotes around every run of letters and digits that a colon follows, inside strings too: no name in that line
may hold such a colon. Where it finds no scores that it knows, it writes a 0 for every problem of the assessment; a
score of null leaves the problem without one. So whatever could not be graded ends in a line of null, never in no line.
What is printed is shown to the student: it is made of a `StudentView` alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, script
from grader.exporters.packing import private_tar
from grader.exporters.words import capped, check_words, headline, overall_words
from grader.model.text import plain_line
from grader.model.view import CheckView, StudentView

_HANDIN = "handin"
_PROBLEM = "GRADER_PROBLEM"
_SCOREBOARD = "GRADER_SCOREBOARD"
_DEFAULT_PROBLEM = "Autograder"
_QUOTED_BY_SERVER = re.compile(r"(?<=[A-Za-z0-9]):")
_NAME_CHARACTERS = 100
_OVERALL_CHARACTERS = 40_000
_MOST_BYTES = 1000 * 1024 - 50_000
"""Of the output: Tango cuts the middle out of what is longer than 1000 KiB, and adds lines of its own."""
_COURSE = ("course/", "known.msgpack")
_MOST_SECONDS = 900


class Autolab:
    """The platform `autolab`."""

    title = "Autolab"
    seconds = 300
    memory_mb = 3072

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`: the job's folder, in which a hand-in has the name that its assessment gives it."""
        return Places(_HANDIN)

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: nothing, as Autolab itself keeps who and when, and takes off what being late costs."""
        about = {name: environment[name] for name in (_PROBLEM, _SCOREBOARD) if name in environment}
        return Told(about=about)

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`. One problem takes the whole score, in the assignment's own points."""
        score = float(graded.score)
        found: dict[str, Any] = {"scores": {problem(graded.told): score}}
        if graded.told.about.get(_SCOREBOARD):
            found["scoreboard"] = [score]
        words = capped(overall_words(graded.view), _OVERALL_CHARACTERS)
        return Delivery(stdout=f"{words}\n\n{semantic_line(graded.view)}\n{_one_line(found)}\n")

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: a score of null, since no score at all would become a 0 for every problem."""
        words = plain_line(sentence, 1000)
        return Delivery(stdout=f"Not graded: {words}\n\n{_one_line({'scores': {problem(told): None}})}\n")

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: a zip with the two files to upload, and with what makes the image for Tango.

        Raises:
            UsageProblem: Autolab gives no job so much time.
        """
        if kit.seconds > _MOST_SECONDS:
            raise UsageProblem(f"Autolab gives a job {_MOST_SECONDS} seconds at most; ask for no more.")
        hidden = {name: member for name, member in kit.common.items() if name.startswith(_COURSE)}
        values = {"OPTIONS": " ".join(kit.options), "SECONDS": str(kit.seconds - 2)}
        hidden["run.sh"] = Member(script("autolab", "run.sh", values), executable=True)
        makefile = {"HANDIN": kit.names[0] if kit.names else f"{kit.assignment}.py", "PROBLEM": _DEFAULT_PROBLEM}
        members = {f"image/{name}": member for name, member in kit.common.items() if name not in hidden}
        members["image/Dockerfile"] = Member(script("autolab", "Dockerfile"))
        members["autograde-Makefile"] = Member(script("autolab", "autograde-Makefile", makefile))
        members["autograde.tar"] = Member(private_tar(hidden))
        return Package(
            members,
            advice=(
                "Unpack the file. On Tango's machine, once a term: docker build -t grader_image image/",
                "In the assessment's Autograder settings upload autograde-Makefile and autograde.tar, choose the image "
                f"grader_image, and a timeout of {kit.seconds} seconds.",
                f"Give the assessment one problem, named {_DEFAULT_PROBLEM}, of {kit.max_score:g} points, and the "
                f"handin filename {makefile['HANDIN']}; other names go into the first lines of autograde-Makefile.",
                f"The image wants {kit.memory_mb} MB for each job.",
            ),
        )


def problem(told: Told) -> str:
    """The problem's name: never with a colon where the server would take it for its own."""
    asked = plain_line(told.about.get(_PROBLEM, ""), _NAME_CHARACTERS).replace('"', "").replace("\\", "")
    return _QUOTED_BY_SERVER.sub(" -", asked) or _DEFAULT_PROBLEM


def semantic_line(view: StudentView) -> str:
    """The feedback that Autolab shows as tables: a stage for each group of checks."""
    room = _MOST_BYTES - _OVERALL_CHARACTERS * 4
    for characters in (4_000, 1_000, 200, 0):  # of a hint: shorter ones where there are a great many checks
        line = _one_line(_stages(view, characters))
        if len(line.encode("utf-8")) <= room:
            return line
    return _one_line({"_presentation": "semantic", "stages": ["Result"], "Result": {"Points": headline(view)}})


def _stages(view: StudentView, characters: int) -> dict[str, Any]:
    found: dict[str, Any] = {"_presentation": "semantic", "stages": []}
    for group in view.groups:
        stage = _new_name(group.name or "Checks", found)
        tests: dict[str, Any] = {}
        for check in group.checks:
            tests[_new_name(check.title, tests)] = _test(check, characters)
        found["stages"].append(stage)
        found[stage] = {"_order": list(tests), **tests}
    if not view.groups:
        found["stages"].append("Result")
        found["Result"] = {"Points": headline(view)}
    return found


def _test(check: CheckView, characters: int) -> dict[str, Any]:
    if check.status == "passed":
        return {"passed": True}
    points = f"{check.points:g} of {check.max_points:g} points."
    return {"passed": False, "hint": capped(f"{points} {check_words(check)}".strip(), max(characters, len(points)))}


def _new_name(name: str, taken: Mapping[str, Any]) -> str:
    """A key that is shown: none that begins with `_`, and none that is there already."""
    plain = plain_line(name, _NAME_CHARACTERS).lstrip("_") or "Check"
    found, number = plain, 2
    while found in taken or found == "stages":
        found, number = f"{plain} ({number})", number + 1
    return found


def _one_line(value: dict[str, Any]) -> str:
    """JSON that is one line for whoever splits lines, whatever they take for the end of one."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
