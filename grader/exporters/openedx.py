"""Open edX: what an external grader is told through an XQueue, and what it answers.

Formats as in the documentation of Open edX's XQueue and of edx-submissions, which took its place, and as their code
reads them. A submission is JSON in JSON in JSON; the answer is JSON with `correct`, `score` and `msg`. `score` is a
fraction from 0 to 1, of which the LMS makes whole points. `msg` is parsed as XML: one root, no HTML entities. Here both
are files in the working folder: whoever took the submission from the queue puts `submission.json` there and sends back
`reply.json` (`grader pull`, or the handler for xqueue-watcher in a package). What could not be graded has no reply.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, Write, script
from grader.exporters.fitting import fitted
from grader.exporters.words_xml import element, short
from grader.model.submission import Person

SUBMISSION = "submission.json"
REPLY = "reply.json"
FILES = "grader_files"
"""The key under which uploaded files are added to a submission, in base64, by their names."""
_FAILED = 1
_MOST_BYTES = 60_000
"""Of a reply: below the 64 KB that fit into a column of the LMS's database."""
_ANYBODY = "student"
_OFFERED_AGAIN_SECONDS = 300


class OpenEdX:
    """The platform `openedx`."""

    title = "Open edX"
    seconds = 240  # what is not answered within 300 is offered again
    memory_mb = 3072

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`."""
        return Places("submission", SUBMISSION)

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: what `get_submission` gives as its content, with uploaded files under `FILES`."""
        if metadata is None:
            raise UsageProblem(f"{SUBMISSION} is missing: put there what get_submission of the queue answers.")
        try:
            content = _unpacked(metadata)
            body = _unpacked(content["xqueue_body"])
            about = _unpacked(body.get("student_info") or "{}")
            moment, notices = _moment(about.get("submission_time"))
            return Told(
                people=(Person(str(about.get("anonymous_student_id") or _ANYBODY), ""),),
                submitted_at=moment,
                files=_files(content, body),
                notices=notices,
            )
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise UsageProblem(
                f"{SUBMISSION} is not what an XQueue documents: {type(error).__name__}: {error}."
            ) from None

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`."""
        score = float(graded.fraction)

        def reply(characters: int) -> str:
            return _reply(score, element(graded.view, characters))

        content = fitted(reply, _MOST_BYTES, _reply(score, short(graded.view)))
        return Delivery({REPLY: Write(content.encode("ascii"))})

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: no reply, since every score in one becomes points."""
        return Delivery(stdout=f"Not graded, and not the student's doing: {sentence}\n", exit_status=_FAILED)

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: for the machine that watches the queue.

        Raises:
            UsageProblem: the queue would offer a submission to others while it is graded.
        """
        if kit.seconds >= _OFFERED_AGAIN_SECONDS:
            raise UsageProblem(
                f"After {_OFFERED_AGAIN_SECONDS} seconds the queue offers a submission again; ask for less."
            )
        values = {"OPTIONS": " ".join(kit.options), "ASSIGNMENT": kit.assignment, "SECONDS": str(kit.seconds)}
        members = dict(kit.common)
        members["setup.sh"] = Member(script("openedx", "setup.sh"), executable=True)
        members["grade.sh"] = Member(script("openedx", "grade.sh", values), executable=True)
        members["pull.sh"] = Member(script("openedx", "pull.sh", values), executable=True)
        members["grader_xqueue.py"] = Member(script("openedx", "grader_xqueue.py", values))
        members["conf.d/grader.json"] = Member(script("openedx", "conf.d/grader.json", values))
        return Package(
            members,
            advice=(
                "On the machine that watches the queue unpack it in a folder of its own and run setup.sh there, both "
                "as the account that shall grade: only that can read the tests afterwards.",
                "Start pull.sh SERVER QUEUE, or give conf.d/grader.json to xqueue-watcher.",
                f"Let the problem's grader_payload say {json.dumps({'grader': kit.assignment})}, "
                f"and give the problem {max(100, kit.max_score):g} points or more: the LMS rounds to whole ones.",
            ),
        )


def assignment_asked(content: Mapping[str, Any]) -> str:
    """Which assignment a submission is for: `grader` of the payload that the problem's author wrote.

    Raises:
        UsageProblem: the payload says nothing that can be understood.
    """
    try:
        asked = _unpacked(_unpacked(content["xqueue_body"])["grader_payload"])["grader"]
    except (ValueError, TypeError, KeyError) as error:
        raise UsageProblem(
            f'The problem\'s grader_payload is not {{"grader": "ASSIGNMENT"}}: {type(error).__name__}: {error}.'
        ) from None
    return str(asked).strip("/")


def _unpacked(content: str | bytes | dict[str, Any]) -> dict[str, Any]:
    """JSON that is JSON in a string for one server, and an object for another."""
    found = content if isinstance(content, dict) else json.loads(content)
    if not isinstance(found, dict):
        raise ValueError("a JSON object was expected")
    return found


def _files(content: dict[str, Any], body: dict[str, Any]) -> dict[str, bytes]:
    """What was uploaded; if nothing was, what was typed in, as the file that the assignment asks for."""
    uploaded = content.get(FILES) or {}
    if uploaded:
        try:
            return {str(name): base64.b64decode(text, validate=True) for name, text in uploaded.items()}
        except binascii.Error:
            raise ValueError("a file is not base64") from None
    typed = body["student_response"]
    if not isinstance(typed, str):
        raise ValueError("student_response is not text")
    return {"": typed.encode("utf-8", "replace")}


def _moment(told: object) -> tuple[str | None, tuple[str, ...]]:
    """When it was handed in: digits of a date and time in UTC, or seconds since 1970."""
    text = str(told or "")
    try:
        if len(text) == 14:
            return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC).isoformat(), ()
        return datetime.fromtimestamp(int(text), UTC).isoformat(), ()
    except (ValueError, OverflowError, OSError):
        return None, ("When it was handed in is not known: submission_time is no time.",)


def _reply(score: float, message: str) -> str:
    """In ASCII, which every database takes."""
    return json.dumps({"correct": score >= 1, "score": score, "msg": message}, ensure_ascii=True)
