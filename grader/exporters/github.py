"""GitHub Actions: the result that its autograding reporter reads, a job summary, annotations, and the workflows.

Formats as in GitHub's documentation ("Workflow commands for GitHub Actions") and in that of the autograding grading
reporter, which adds up the scores of `tests` and divides by `max_score`; Classroom 50's `result.json` as in its page
"Advanced Autograding". A submission that could not be graded sets no result and fails the job: the reporter then says
nothing, and there is no mark. What is printed are workflow commands for the annotations, with all that would act in
them escaped. What students may read comes from the `StudentView`: on GitHub they read the log of every job in their
own repository.
"""

from __future__ import annotations

import base64
import functools
import json
import math
import operator
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from grader.errors import UsageProblem
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, Write, script
from grader.exporters.classroom50 import classroom50_files
from grader.exporters.words import capped, check_words, headline
from grader.exporters.words_markdown import block, view_markdown
from grader.model.submission import Person
from grader.model.text import plain_line
from grader.model.view import StudentView

_OUTPUT = "GITHUB_OUTPUT"
_SUMMARY = "GITHUB_STEP_SUMMARY"
_EVENT = "GITHUB_EVENT_PATH"
_STUDENT = "GRADER_STUDENT"
_ACTOR = "GITHUB_ACTOR"
_SUBMITTED = "GRADER_SUBMITTED_AT"
_FALLBACK = {_OUTPUT: "grader-output.txt", _SUMMARY: "grader-summary.md"}
_RESULT_BYTES = 120_000
"""Of the result in base64: the reporter gets it in an environment variable, of which Linux takes 128 KiB."""
_SUMMARY_BYTES = 900_000
"""Of a job summary: GitHub drops one of more than 1 MiB as a whole."""
_COMMAND = re.compile(r"^(\s*)::", re.MULTILINE)
_ANNOTATIONS = 10
"""Of one kind in one step: GitHub shows no more."""
_ANNOTATION_CHARACTERS = 1_500
_NAME_CHARACTERS = 120
_FAILED = 1


class GitHub:
    """The platform `github`."""

    title = "GitHub Actions"
    seconds = 600
    memory_mb = 7000  # the smaller of the runners that GitHub gives; grading itself takes about 2000

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`: the working folder, and the event that started the workflow."""
        return Places("work", environment.get(_EVENT))

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`. The time is when GitHub received a push; a commit's own time is its author's to choose.

        The student is `$GRADER_STUDENT`, else who started the workflow; `$GRADER_SUBMITTED_AT` overrules the time.
        """
        about = {name: value for name, value in environment.items() if name in _FALLBACK or name in _CLASSROOM50}
        student = environment.get(_STUDENT) or environment.get(_ACTOR)
        people = (Person(plain_line(student), ""),) if student else ()
        try:
            event = json.loads(metadata) if metadata else {}
            repository = event.get("repository") or {}
            pushed = repository.get("pushed_at") if "commits" in event else None
            pushed = environment.get(_SUBMITTED) or pushed
            return Told(people=people, submitted_at=None if pushed is None else _time(pushed), about=about)
        except (ValueError, TypeError, AttributeError, OverflowError, OSError) as error:
            raise UsageProblem(
                f"The event of the workflow is not what GitHub documents: {type(error).__name__}: {error}."
            ) from None

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`: an output `result` of the step, a summary, and what to print for the annotations."""
        about = graded.told.about
        files = {
            about.get(_OUTPUT, _FALLBACK[_OUTPUT]): Write(f"result={encoded_result(graded)}\n".encode("ascii"), True),
            about.get(_SUMMARY, _FALLBACK[_SUMMARY]): Write(
                view_markdown(graded.view, _SUMMARY_BYTES).encode("utf-8"), True
            ),
        }
        return Delivery({**files, **classroom50_files(graded)}, stdout=_annotations(graded.view))

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: the step fails and has no output, so that the reporter does not run."""
        text = f"Not graded: {plain_line(sentence, 1000)}"
        path = told.about.get(_SUMMARY)
        files = {} if path is None else {path: Write(f"{block(text)}\n".encode(), True)}
        return Delivery(files, stdout=command("error", {"title": "Not graded"}, text), exit_status=_FAILED)

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: a zip with the staff's repository and the students' workflow."""
        values = {
            "OPTIONS": " ".join(kit.options),
            "SECONDS": str(kit.seconds),
            "MINUTES": str(kit.seconds // 60 + 15),
            "ASSIGNMENT": kit.assignment,
        }
        package = f"staff/{kit.assignment}"
        members = {f"{package}/{name}": member for name, member in kit.common.items()}
        for name in ("grade.sh", "tell.sh"):
            members[f"{package}/{name}"] = Member(script("github", name, values), executable=True)
        workflows = {
            f"staff/.github/workflows/grade-{kit.assignment}.yml": "grade.yml",
            "student/.github/workflows/autograding.yml": "autograding.yml",
        }
        members |= {path: Member(script("github", name, values)) for path, name in workflows.items()}
        return Package(
            members,
            advice=(
                "Unpack the file. Commit what is in staff/ to a private repository that only staff can read: "
                "hidden tests are in it.",
                "Safest: grade from there, with the workflow that lies in it. Hidden tests then never reach a "
                "student's repository.",
                "Or put student/.github/ into the template of the students' repositories, too, and protect .github/ "
                "there with a push ruleset: whoever may change a workflow can read its secrets, and so the tests.",
                "docs/platforms/github.md says which secrets each of them needs.",
            ),
        )


_CLASSROOM50 = frozenset(
    ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "REVIEW_URL", "ASSIGNMENT_TYPE")
)


def command(name: str, properties: Mapping[str, str], message: str) -> str:
    """A workflow command, one line, with all that acts in it escaped as GitHub's own toolkit does."""
    listed = ",".join(
        f"{key}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for key, value in properties.items()
    )
    return f"::{name}{' ' if listed else ''}{listed}::{_data(message)}\n"


def encoded_result(graded: Graded) -> str:
    """The runner result of the autograding reporter in base64, short enough for an environment variable."""
    words = [capped(check_words(check), 500) for check in graded.checks]
    for characters in (500, 200, 60, 0):
        content = json.dumps(_result(graded, words, characters), ensure_ascii=False).encode("utf-8")
        encoded = base64.b64encode(content).decode("ascii")
        if len(encoded) <= _RESULT_BYTES:
            return encoded
    whole = _result(graded, words, 0)
    whole["tests"] = [_test("All checks", headline(graded.view), _points(graded), whole["status"])]
    return base64.b64encode(json.dumps(whole).encode("utf-8")).decode("ascii")


def _result(graded: Graded, words: Sequence[str], characters: int) -> dict[str, Any]:
    view = graded.view
    tests = [
        _test(check.title, said[:characters], check.points, "pass" if check.status == "passed" else "fail")
        for check, said in zip(graded.checks, words, strict=True)
    ]
    if not tests:
        tests = [_test("Your submission", capped(headline(view), 500), 0.0, "fail")]
    passed = all(test["status"] == "pass" for test in tests)  # what is late is not wrong
    if view.lateness is not None and view.lateness.deduction:
        tests.append(_test("Being late", capped(view.lateness.reason, 500), -view.lateness.deduction, "fail"))
    tests[-1]["score"] = _last([test["score"] for test in tests], _points(graded))
    return {"version": 1, "status": "pass" if passed else "fail", "max_score": view.max_score, "tests": tests}


def _inert(text: str) -> str:
    """A text that a reporter may print as it is: none of its lines is a workflow command, in either of their forms."""
    return _COMMAND.sub(r"\1: :", text).replace("##[", "## [")


def _last(scores: list[float], total: float) -> float:
    """The last score, such that all of them, added up one by one as doubles, are the total: that sum is the mark."""
    others, exact = functools.reduce(operator.add, scores[:-1], 0.0), functools.reduce(operator.add, scores, 0.0)
    if exact == total:
        return scores[-1]
    rest = total - others
    near = (rest, math.nextafter(rest, math.inf), math.nextafter(rest, -math.inf))
    return next((value for value in near if others + value == total), rest)


def _points(graded: Graded) -> float:
    return float(graded.score)


def _test(name: str, message: str, score: float, status: str) -> dict[str, Any]:
    """A test of the result. Line 0 says that there is none; without `score` the reporter's sum would be no number."""
    return {
        "name": _inert(plain_line(name, _NAME_CHARACTERS)),
        "status": status,
        "score": score,
        "message": _inert(message),
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": 0,
    }


def _annotations(view: StudentView) -> str:
    """One for each check that did not pass, and where there are more than GitHub shows, one that says so."""
    failed = [check for group in view.groups for check in group.checks if check.status not in ("passed", "skipped")]
    if not failed:
        kind = "notice" if view.status == "graded" else "error"
        return command(kind, {"title": view.title}, headline(view))
    lines = []
    for check in failed[: _ANNOTATIONS - 1]:
        place = {"title": plain_line(check.title)}
        if check.told is not None and check.told.line:
            place |= {"file": plain_line(check.told.file), "line": str(check.told.line)}
        lines.append(command("error", place, capped(check_words(check), _ANNOTATION_CHARACTERS)))
    if len(failed) > len(lines):
        more = f"{len(failed) - len(lines)} more checks did not pass; the job's summary has them all."
        lines.append(command("error", {"title": "More"}, more))
    return "".join(lines) + command("notice", {"title": plain_line(view.title)}, headline(view))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _time(pushed: float | str) -> str:
    """A push event gives seconds since 1970, others a time in ISO 8601."""
    if isinstance(pushed, str):
        return datetime.fromisoformat(pushed).isoformat()
    return datetime.fromtimestamp(pushed, UTC).isoformat()
