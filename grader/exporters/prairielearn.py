"""PrairieLearn: `results.json` of an external grader, and the question and image that make one.

Pure functions, in the command. Formats as in PrairieLearn's documentation (External grading; question `info.json`).
The container must exit with 0, or PrairieLearn reads nothing; the file must stay below 1 MiB. Only `score` counts, a
number from 0 to 1; the points of tests are for reading. What could not be graded, and a file that cannot be loaded, is
`"gradable": false`: no attempt is used up. Whoever handed in stays unknown to a grader.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import uuid
from collections.abc import Mapping
from typing import Any

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, Write, script
from grader.exporters.fitting import fitted
from grader.exporters.words import capped, check_words, overall_lines, printed_words
from grader.model.text import plain_line
from grader.model.view import CheckView

_RESULTS = "/grade/results/results.json"
_METADATA = "/grade/data/data.json"
_LIMIT_BYTES = 1_000_000
_TITLE_CHARACTERS = 300
_OVERALL = 8
"""How many times as long as one check's text what concerns the whole submission may be."""
_REASON_CHARACTERS = 4_000
_MOST_SECONDS = 600
_ENTRY = "/grade/serverFilesCourse/grader/run.sh"
_IN_IMAGE = ("grader/", "install.sh", "requirements.txt")


class PrairieLearn:
    """The platform `prairielearn`."""

    title = "PrairieLearn"
    seconds = 300  # of the 600 that it gives at most
    memory_mb = 2048

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`."""
        return Places("/grade/student", _METADATA)

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: `data.json` holds the files once more, and nothing about people or times."""
        if metadata is None:
            return Told()
        try:
            answers = json.loads(metadata).get("submitted_answers") or {}
            files = {
                str(file["name"]): base64.b64decode(file["contents"], validate=True)
                for file in answers.get("_files") or ()
            }
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            # Nothing depends on it as long as the folder is there.
            return Told(notices=(f"{_METADATA} is not what PrairieLearn documents: {type(error).__name__}: {error}.",))
        return Told(spare_files=files or None)

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`. A file that cannot be loaded is what PrairieLearn calls a format error."""
        if graded.view.status == "invalid":
            return _delivered(_json(_format_error(graded)))
        return _delivered(fitted(lambda characters: _results(graded, characters), _LIMIT_BYTES, _results(graded, 0)))

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`."""
        message = f"Not graded, and not your doing: {capped(sentence, _REASON_CHARACTERS)}"
        return _delivered(_json({"gradable": False, "message": message}))

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: parts of a course's repository, and the recipe of the image.

        Raises:
            UsageProblem: PrairieLearn gives no grader so much time.
        """
        if kit.seconds > _MOST_SECONDS:
            raise UsageProblem(f"PrairieLearn gives a grader {_MOST_SECONDS} seconds at most; ask for no more.")
        recipe = {f"image/{name}": file for name, file in kit.common.items() if name.startswith(_IN_IMAGE)}
        recipe["image/Dockerfile"] = Member(script("prairielearn", "Dockerfile"))
        image = f"grader-torch:{_digest(recipe)}"
        question = f"questions/{kit.assignment}"
        private = {
            f"{question}/tests/{name}": file for name, file in kit.common.items() if not name.startswith(_IN_IMAGE)
        }
        return Package(
            {
                **recipe,
                **private,
                f"{question}/info.json": Member(_info(kit, image)),
                f"{question}/question.html": Member(_question(kit)),
                f"serverFilesCourse/{_ENTRY.removeprefix('/grade/serverFilesCourse/')}": Member(
                    script("prairielearn", "run.sh"), executable=True
                ),
            },
            advice=(
                f"Build the image, docker build -t {image} image, and push it to a registry that PrairieLearn reads; "
                f"write its full name into questions/{kit.assignment}/info.json.",
                "Copy questions/ and serverFilesCourse/ into the course's repository, and synchronise it. "
                "image/ is for you alone.",
                f"Let the question be worth any number of points: it receives a part of {kit.max_score:g} as a score "
                "from 0 to 1.",
            ),
        )


def _delivered(content: str) -> Delivery:
    return Delivery({_RESULTS: Write(content.encode("utf-8"))})


def _json(found: Mapping[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1)


def _format_error(graded: Graded) -> dict[str, Any]:
    """A file of which no check could start: 0, with the reason, and no attempt used up."""
    reason = capped(graded.view.reason or "Nothing could be graded.", _REASON_CHARACTERS)
    said = capped("\n\n".join(overall_lines(graded.view)[1:]), _REASON_CHARACTERS)
    return {"gradable": False, "score": 0.0, "format_errors": [reason], "message": said, "output": ""}


def _results(graded: Graded, characters: int) -> str:
    """The result, each check's text with at most so many characters; with 0, without the checks."""
    overall = max(characters, 100) * _OVERALL
    return _json(
        {
            "gradable": True,
            "score": float(graded.fraction),
            "message": capped("\n\n".join(overall_lines(graded.view)), overall),
            "output": capped(printed_words(graded.view), overall),
            "tests": [_test(check, characters) for check in graded.checks] if characters else [],
        }
    )


def _test(check: CheckView, characters: int) -> dict[str, Any]:
    return {
        "name": plain_line(check.title, _TITLE_CHARACTERS),
        "points": check.points,
        "max_points": check.max_points,
        "message": capped(check_words(check), characters),
    }


def _info(kit: Kit, image: str) -> bytes:
    """`info.json` of the question, with the same uuid whenever it is made."""
    about = {
        "uuid": str(uuid.UUID(bytes=hashlib.sha256(f"grader {kit.assignment}".encode()).digest()[:16], version=4)),
        "title": kit.title,
        "topic": "Homework",
        "type": "v3",
        "gradingMethod": "External",
        "singleVariant": True,
        "showCorrectAnswer": False,
        "externalGradingOptions": {
            "image": image,
            "entrypoint": [_ENTRY, *kit.options],
            "serverFilesCourse": ["grader/"],
            "timeout": kit.seconds,
            "enableNetworking": False,
        },
    }
    return f"{_json(about)}\n".encode()


def _question(kit: Kit) -> bytes:
    """`question.html`: Mustache reads it first, so braces are written as HTML writes them."""
    names = ", ".join(name.replace(",", "\\,") for name in kit.names)
    values = {"TITLE": kit.title, "NAMES": names}
    escaped = {key: html.escape(text).replace("{", "&#123;") for key, text in values.items()}
    return script("prairielearn", "question.html", escaped)


def _digest(members: Mapping[str, Member]) -> str:
    found = hashlib.sha256()
    for name in sorted(members):
        found.update(f"{name}\0{len(members[name].content)}\0".encode() + members[name].content)
    return found.hexdigest()[:12]
