"""INGInious: `__feedback.json` of a task's grading container, and the task and environment that make one.

Pure functions, in the command. Formats as in INGInious's documentation (task description files; run file; the
inginious_container_api) and in what its agent accepts: `grade` is a float, in per cent, `problems` and `tests` have
plain ids, texts are reStructuredText. What could not be graded is a `crash`: INGInious then says that the job failed,
and does not count it as done. The run script's exit status means nothing to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import yaml

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, Write, script
from grader.exporters.fitting import fitted
from grader.exporters.words import check_words, overall_lines, printed_words
from grader.exporters.words_rst import rst_block, rst_line
from grader.model.submission import Person
from grader.model.text import plain_line

_INPUT = "/.__input/__inputdata.json"
_FEEDBACK = "/.__output/__feedback.json"
_PROBLEM = "work"
"""The id of the task's one problem, a file to hand in."""
_TYPED = "submission.py"
"""The name of work that was typed into a box; the grader finds what is asked for under any name."""
_LIMIT_BYTES = 1_000_000
_OVERALL = 4
"""How many times as long as one check's text what concerns the whole submission may be."""
_TAG = re.compile(r"[A-Za-z0-9_-]+")
_MOST_BYTES = 20_000_000
_IN_IMAGE = ("grader/", "install.sh", "requirements.txt")


class INGInious:
    """The platform `inginious`."""

    title = "INGInious"
    seconds = 300
    memory_mb = 3072

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`: what is in the folder has names of INGInious's own; `told` knows the true ones."""
        return Places("/.__input", _INPUT)

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: a group's names are joined with commas; times come without their zone."""
        if metadata is None:
            raise UsageProblem(f"{_INPUT} is missing; it says where the submission is.")
        try:
            found = json.loads(metadata.strip(b"\0 \r\n"))["input"]
            work = found.get(_PROBLEM)
            return Told(
                people=tuple(_people(found)),
                submitted_at=datetime.fromisoformat(found["@time"]).isoformat() if found.get("@time") else None,
                files={_TYPED: work.encode("utf-8", "backslashreplace")} if isinstance(work, str) else None,
                stored=None if isinstance(work, str) else {str(work["filename"]): str(work["value"])},
            )
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise UsageProblem(
                f"{_INPUT} is not what INGInious documents for a task with the problem “{_PROBLEM}”: "
                f"{type(error).__name__}: {error}."
            ) from None

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`."""
        return _delivered(fitted(lambda characters: _feedback(graded, characters), _LIMIT_BYTES, _feedback(graded, 0)))

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`."""
        return _delivered(_json({"result": "crash", "text": f"{_NOT_GRADED}\n\n{rst_block(sentence, 4000)}"}))

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: a task's folder, and the recipe of its environment."""
        values = {"OPTIONS": " ".join(kit.options)}
        recipe = {f"environment/{name}": file for name, file in kit.common.items() if name.startswith(_IN_IMAGE)}
        task = {f"{kit.assignment}/{name}": file for name, file in kit.common.items() if not name.startswith(_IN_IMAGE)}
        return Package(
            {
                **recipe,
                **task,
                "environment/Dockerfile": Member(script("inginious", "Dockerfile")),
                f"{kit.assignment}/run": Member(script("inginious", "run", values), executable=True),
                f"{kit.assignment}/task.yaml": Member(_task(kit)),
            },
            advice=(
                "Build the environment on each machine with an agent, docker build -t grader-torch environment, and "
                "restart the agent.",
                f"Copy {kit.assignment}/ into the course's folder, and add it to the course's list of tasks.",
                f"Scores are per cent of {kit.max_score:g} points.",
            ),
        )


_NOT_GRADED = "Not graded\\, and not your doing\\."


def _people(found: Mapping[str, Any]) -> Iterator[Person]:
    for name in str(found.get("@username") or "").split(","):
        if student := plain_line(name):
            yield Person(student, "")


def _delivered(content: str) -> Delivery:
    return Delivery({_FEEDBACK: Write(content.encode("utf-8"))})


def _json(found: Mapping[str, Any]) -> str:
    return json.dumps(found, indent=1)


def _feedback(graded: Graded, characters: int) -> str:
    """The result, each check's text with at most so many characters; with 0, without the checks."""
    checks = list(graded.checks)
    right = graded.view.status == "graded" and all(check.status == "passed" for check in checks)
    result = "success" if right else "failed"
    overall = max(characters, 100) * _OVERALL
    text = [rst_block("\n\n".join(overall_lines(graded.view)), overall), rst_block(printed_words(graded.view), overall)]
    return _json(
        {
            "result": result,
            "grade": round(float(graded.fraction * 100), 2),
            "text": "\n\n".join(part for part in text if part),
            "problems": {_PROBLEM: [result, _checks_rst(graded, characters)]},
            "tests": {check.id: check.status == "passed" for check in checks if _TAG.fullmatch(check.id)},
        }
    )


def _checks_rst(graded: Graded, characters: int) -> str:
    """A paragraph for each check, and what a student reads of it below."""
    parts = []
    for check in graded.checks if characters else ():
        points = rst_line(f"{check.points:g} of {check.max_points:g} points")
        parts.append(f"**{rst_line(check.title) or check.id}** {points}")
        parts.append(rst_block(check_words(check), characters))
    return "\n\n".join(part for part in parts if part)


def _task(kit: Kit) -> bytes:
    """`task.yaml`. `time` is processor time, of which two cores use two seconds in one; `hard_time` is what passes."""
    about = {
        "name": kit.title,
        "context": f"Hand in {rst_line(', '.join(kit.names))}\\.",
        "environment": "grader-torch",
        "limits": {"time": 2 * kit.seconds, "hard_time": kit.seconds, "memory": kit.memory_mb},
        "network_grading": False,
        "problems": {
            _PROBLEM: {
                "type": "file",
                "name": kit.title,
                "header": "",
                "allowed_exts": [".py", ".ipynb", ".zip"],
                "max_size": _MOST_BYTES,
            }
        },
    }
    return yaml.safe_dump(about, sort_keys=False, allow_unicode=True).encode("utf-8")
