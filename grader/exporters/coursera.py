"""Coursera: `feedback.json` of a custom grader, and the folder of its image.

Pure functions, in the command. Formats as in Coursera's documentation (custom graders, version 2; coursera_autograder):
the submission lies in `/shared/submission`, who handed in is in the environment, what comes back goes to `/shared`.
`fractionalScore` is a number from 0 to 1 and no truth value; `feedback` stays below 64 KB, and where there is an HTML
page as well, learners read that alone. A container that fails, or writes no `feedback.json`, gives no score.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, Write, script
from grader.exporters.fitting import fitted
from grader.exporters.words import capped, check_words, overall_words
from grader.model.submission import Person
from grader.model.text import plain_line

_FEEDBACK = "/shared/feedback.json"
_PAGE = "/shared/htmlFeedback.html"
_FEEDBACK_BYTES = 60_000
_OVERALL = 4
"""How many times as long as one check's text what concerns the whole submission may be."""
_FAILED = 1
_LEAST_MEMORY_MB, _MEMORY_STEP_MB = 4096, 1024
_LEAST_SECONDS, _MOST_SECONDS = 300, 3600


class Coursera:
    """The platform `coursera`."""

    title = "Coursera"
    seconds = 1200
    memory_mb = _LEAST_MEMORY_MB

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`."""
        return Places("/shared/submission")

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: the learner's number, in `userId`."""
        learner = plain_line(environment.get("userId", ""))
        return Told(people=(Person(learner, ""),) if learner else ())

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`: the report as a page, and the same in short as text."""
        feedback = fitted(lambda characters: _feedback(graded, characters), _FEEDBACK_BYTES, _feedback(graded, 0))
        page = graded.report.encode("utf-8", "replace")
        return Delivery({_PAGE: Write(page), _FEEDBACK: Write(feedback.encode("ascii"))})

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: a grader that fails, which Coursera takes for no attempt at all."""
        return Delivery(
            stdout=f"Not graded, and not the learner's doing: {capped(sentence, 4000)}\n", exit_status=_FAILED
        )

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: the folder of an image.

        Raises:
            UsageProblem: Coursera gives no grader so much time.
        """
        if kit.seconds > _MOST_SECONDS:
            raise UsageProblem(f"Coursera gives a grader {_MOST_SECONDS} seconds at most; ask for no more.")
        values = {"OPTIONS": " ".join(kit.options)}
        members = dict(kit.common)
        members["Dockerfile"] = Member(script("coursera", "Dockerfile"))
        members["run.sh"] = Member(script("coursera", "run.sh", values), executable=True)
        memory = max(_LEAST_MEMORY_MB, -(-kit.memory_mb // _MEMORY_STEP_MB) * _MEMORY_STEP_MB)
        seconds = max(_LEAST_SECONDS, kit.seconds)
        return Package(
            members,
            advice=(
                f"Try it on a submission: unpack it, docker build -t grader-{kit.assignment} . and "
                f"coursera_autograder grade local --mem-limit {memory} grader-{kit.assignment} SUBMISSION '{{}}'.",
                f"Upload it: coursera_autograder upload --grader-memory-limit {memory} --grader-timeout {seconds} "
                "FILE COURSE ITEM PART.",
                f"A score is a part of {kit.max_score:g}, from 0 to 1, whatever the part is worth.",
            ),
        )


def _feedback(graded: Graded, characters: int) -> str:
    """The score, and what a learner reads where the page cannot be shown."""
    parts = [capped(overall_words(graded.view), max(characters, 100) * _OVERALL)]
    for check in graded.checks if characters else ():
        if words := capped(check_words(check), characters):
            parts.append(f"{plain_line(check.title)} [{check.points:g} of {check.max_points:g} points]\n{words}")
    found = {"fractionalScore": float(graded.fraction), "feedback": "\n\n".join(parts), "feedbackType": "HTML"}
    return json.dumps(found, indent=1)
