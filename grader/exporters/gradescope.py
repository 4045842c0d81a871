"""Gradescope: `results.json` for its autograder harness, and the zip that makes an autograder.

Formats as in Gradescope's autograder documentation (specifications; metadata of a submission). The harness runs
`/autograder/run_autograder` as root for every submission; a test's visibility is one of four words. If any test is
hidden from a student, Gradescope hides the total score as well: hence the choice `report`, which lists hidden checks as
a student's report does. A submission that could not be graded writes no result, so that Gradescope says that the
autograder failed: a result without a score is refused, and a score of 0 would be a mark.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Earlier, Graded, Kit, Member, Package, Places, Told, Write, script
from grader.exporters.words import capped, check_words, overall_words, visible_part
from grader.model.submission import Person
from grader.model.text import plain_line
from grader.model.view import CheckView

_RESULTS = "/autograder/results/results.json"
_METADATA = "/autograder/submission_metadata.json"
_OVERALL_CHARACTERS = 40_000
_MOST_POINTS = 10**9
"""What is more is no number of points."""
_FAILED = 1
_MOST_SECONDS = 2400


class Gradescope:
    """The platform `gradescope`."""

    title = "Gradescope"
    seconds = 600
    memory_mb = 3072  # its default of 768 leaves little for student code

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`."""
        return Places("/autograder/submission", _METADATA)

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: `submission_metadata.json`, whose keys beyond the documented ones are ignored."""
        if metadata is None:
            return Told(notices=(f"{_METADATA} is missing: neither the student nor the time is known.",))
        try:
            found = json.loads(metadata)
            about = found.get("assignment") or {}
            submitted = found.get("created_at")
            return Told(
                people=tuple(_person(user) for user in found.get("users") or ()),
                submitted_at=submitted,
                late=_is_late(submitted, about.get("due_date")),
                points=_amount(about.get("total_points")),
                earlier=tuple(_earlier(one) for one in found.get("previous_submissions") or ()),
            )
        except (ValueError, TypeError, AttributeError, KeyError, InvalidOperation) as error:
            raise UsageProblem(
                f"{_METADATA} is not what Gradescope documents: {type(error).__name__}: {error}."
            ) from None

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`. The score is that of the result; tests carry the points before any deduction."""
        hides = graded.hidden == "platform" and any(check.visibility != "visible" for check in graded.checks)
        said = overall_words(visible_part(graded.view) if hides else graded.view)
        if hides:
            said = f"Of the checks that you can see:\n{said}\n\nFurther checks are hidden, and with them the total."
        found = {
            "score": float(graded.points(float(graded.score))),
            "output": capped(said, _OVERALL_CHARACTERS),
            "output_format": "text",
            "test_output_format": "text",
            "test_name_format": "text",
            "stdout_visibility": "hidden",
            "extra_data": {
                "status": graded.view.status,
                "score": float(graded.score),
                "environment": graded.view.environment,
            },
            "tests": [_test(graded, check, number) for number, check in enumerate(graded.checks, 1)],
        }
        return Delivery({_RESULTS: Write(json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8"))})

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: without results.json Gradescope shows that the autograder failed, and no score."""
        return Delivery(stdout=f"Not graded, and not the student's doing: {sentence}\n", exit_status=_FAILED)

    def repeat(self, sentence: str, score: Decimal, *, hides: bool) -> Delivery:
        """See `Repeating.repeat`: a test that is hidden keeps the total hidden."""
        found: dict[str, Any] = {"score": float(score), "output": sentence, "output_format": "text"}
        found["stdout_visibility"] = "hidden"
        if hides:
            found["tests"] = [{"name": "Not graded", "status": "failed", "output": sentence, "visibility": "hidden"}]
        return Delivery({_RESULTS: Write(json.dumps(found, ensure_ascii=False).encode("utf-8"))})

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: the files, not a folder around them.

        Raises:
            UsageProblem: Gradescope gives no autograder so much time.
        """
        if kit.seconds > _MOST_SECONDS:
            raise UsageProblem(f"Gradescope gives an autograder {_MOST_SECONDS} seconds at most; ask for no more.")
        values = {"OPTIONS": " ".join(kit.options)}
        members = dict(kit.common)
        members["setup.sh"] = Member(script("gradescope", "setup.sh"), executable=True)
        members["run_autograder"] = Member(script("gradescope", "run_autograder", values), executable=True)
        return Package(
            members,
            advice=(
                "Upload the file under Configure Autograder, with the base image Ubuntu 22.04.",
                f"Choose a container of {kit.memory_mb} MB or more, "
                f"and a timeout of {math.ceil(kit.seconds / 60)} minutes, under Settings.",
                f"Set Autograder Points to {kit.max_score:g}, or to any other number: scores are scaled to it.",
            ),
        )


def _person(user: Mapping[str, Any]) -> Person:
    """By the student's number at the school where Gradescope tells it, else by e-mail, as its gradebook has them."""
    return Person(str(user.get("sid") or user.get("email") or user["id"]), str(user.get("name") or ""))


def _is_late(submitted: str | None, due: str | None) -> bool | None:
    if submitted is None or due is None:
        return None
    handed_in, end = datetime.fromisoformat(submitted), datetime.fromisoformat(due)
    if bool(handed_in.tzinfo) != bool(end.tzinfo):
        return None
    return handed_in > end


def _amount(text: str | float | None) -> Decimal | None:
    """The points of the assignment, which are a string; None for none."""
    amount = None if text is None else Decimal(str(text))
    return amount if amount is not None and amount.is_finite() and 0 < amount < _MOST_POINTS else None


def _earlier(one: Mapping[str, Any]) -> Earlier:
    score = None if one.get("score") is None else Decimal(str(one["score"]))
    known = score if score is not None and score.is_finite() and abs(score) < _MOST_POINTS else None
    return Earlier(str(one["submission_time"]), known, bool(one.get("autograder_error")))


def _test(graded: Graded, check: CheckView, number: int) -> dict[str, Any]:
    """One check as a test."""
    shown = "visible" if graded.hidden == "report" else check.visibility
    return {
        "name": plain_line(check.title, 400),
        "number": str(number),
        "score": float(graded.points(check.points)),
        "max_score": float(graded.points(check.max_points)),
        "status": "passed" if check.status == "passed" else "failed",
        "output": check_words(check) or "Passed.",
        "visibility": shown,
        "tags": [check.id, check.status],
    }
