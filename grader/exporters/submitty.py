"""Submitty: `validation_results.json` of a custom validator, and the configuration that has one.

Formats as in Submitty's documentation (Autograding, Validation: Python Custom Validation) and as its validator reads
them. The score is a fraction from 0 to 1, of which Submitty awards whole points, rounded down, after it has made a
number of single precision of it: hence the millionth that is added, without which 29 of 100 would be 28. What could not
be graded is what Submitty calls a failed validation: it awards nothing then, and says so beside the mark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from grader.errors import UsageProblem
from grader.exporters.apart import COURSE, for_server, secret_archive
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, Write, script
from grader.exporters.fitting import fitted
from grader.exporters.words import capped, check_line, check_words, headline, overall_lines, printed_words
from grader.model.submission import Person
from grader.model.text import plain_line
from grader.model.view import StudentView

_INPUT = "custom_validator_input.json"
_RESULTS = "validation_results.json"
_FAILED = 1
_MOST_BYTES = 100_000
_MILLIONTH = Decimal("0.000001")


class Submitty:
    """The platform `submitty`."""

    title = "Submitty"
    seconds = 120
    memory_mb = 3072

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`. The validator names the submission itself: its folder has the test case's number."""
        return Places("test01", _INPUT)

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: the validation object of the configuration, with `username`."""
        if metadata is None:
            return Told(notices=(f"{_INPUT} is missing: the student is not known.",))
        try:
            user = json.loads(metadata).get("username")
        except (ValueError, AttributeError) as error:
            raise UsageProblem(f"{_INPUT} is not what Submitty documents: {error}.") from None
        return Told(people=(Person(str(user)),) if user else ())

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`."""
        score = graded.fraction
        if 0 < score < 1:
            score = min(Decimal(1), score + _MILLIONTH)
        last = _result(score, [_message(headline(graded.view), "information")])
        content = fitted(lambda most: _result(score, _messages(graded.view, most)), _MOST_BYTES, last)
        return Delivery({_RESULTS: Write(content.encode("ascii"))})

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: the message is for the validator's log."""
        said = json.dumps({"status": "failure", "message": plain_line(sentence, 1000)})
        return Delivery({_RESULTS: Write(said.encode("ascii"))}, exit_status=_FAILED)

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: what goes to the grading machine, and apart the gradeable's configuration."""
        members = for_server(kit.common)
        values = {
            "OPTIONS": " ".join(kit.options),
            "SECONDS": str(kit.seconds),
            "BYTES": str(kit.memory_mb << 20),
            "POINTS": str(round(kit.max_score)),
            "TITLE": json.dumps(kit.title)[1:-1],
        }
        members["config/config.json"] = Member(script("submitty", "config.json", values))
        members["config/custom_validation_code/grader.py"] = Member(script("submitty", "grader.py", values))
        members[f"config/custom_validation_code/{COURSE}"] = secret_archive(kit.common)
        return Package(
            members,
            advice=(
                "On each machine that grades run server/install.sh once, as root; nothing in server/ is secret.",
                "Give the gradeable the folder config/ as its autograding configuration.",
                f"It has {round(kit.max_score)} points in one test case; Submitty rounds down to whole ones.",
            ),
        )


def _messages(view: StudentView, characters: int) -> list[dict[str, str]]:
    first, *others = overall_lines(view)
    score = view.score or 0
    found = [_message(capped(first, characters), "success" if score >= view.max_score else "information")]
    found += [_message(capped(text, characters), "information") for text in others]
    for group in view.groups:
        for check in group.checks:
            text, words = check_line(check), capped(check_words(check), characters)
            status = {"passed": "success", "skipped": "warning"}.get(check.status, "failure")
            found.append(_message(f"{text}\n{words}" if words else text, status))
    if printed := printed_words(view):
        found.append(_message(capped(printed, characters), "information"))
    return found


def _message(text: str, status: str) -> dict[str, str]:
    return {"message": text, "status": status}


def _result(score: Decimal, messages: list[dict[str, str]]) -> str:
    """In ASCII."""
    found: dict[str, Any] = {"status": "success", "data": {"score": float(score), "message": messages}}
    return json.dumps(found, ensure_ascii=True)
