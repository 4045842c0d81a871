"""Canvas: scores, comments and files by its REST API, with the client canvasapi.

Runs in the command; needs the extra `push`. Sources: "Submissions", "Submission Comments", "Uploading Files",
"Pagination" and "Throttling" of the Canvas LMS API documentation. Score, comment and file go in one request, so that
they arrive together or not at all; Canvas adds a comment each time it is asked to, which is why such a request is never
repeated before it is known that it did not arrive. canvasapi's own session neither has time limits nor keeps the token
from other hosts; ours takes its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import requests
from canvasapi.course import Course
from canvasapi.exceptions import CanvasException, InvalidAccessToken
from canvasapi.requester import Requester

from grader.errors import UsageProblem
from grader.model.text import plain_line
from grader.push.base import (
    AssignmentFacts,
    Attachment,
    Held,
    HeldComment,
    LmsPerson,
    Parcel,
    Refused,
    Target,
    TokenRefused,
    Unreachable,
    Unsettled,
    Wishes,
)
from grader.push.retry import Patience
from grader.push.session import patient_session
from grader.push.tokens import Token

_UNGRADABLE = {"pass_fail": "complete or incomplete", "not_graded": "not graded"}


def _repeatable(request: requests.PreparedRequest) -> bool:
    """Reading, and announcing a file: an announced file that never comes is nothing."""
    return request.method == "GET" or (request.url or "").endswith("/comments/files")


class CanvasPusher:
    """An assignment of a course in Canvas."""

    appends = True

    def __init__(self, target: Target, token: Token, patience: Patience) -> None:
        self._target = target
        self._token = token
        self._requester: Any = Requester(target.url, token.reveal())
        self._requester._session = patient_session(patience, _repeatable)
        # Where files go is another host as a rule: a session that never had the token.
        self._files = patient_session(patience, lambda _: True, may_redirect=True)
        self._course: Any = Course(self._requester, {"id": int(target.course)})
        self._assignment: Any = None
        self._read: dict[str, Held] | None = None

    def assignment(self) -> AssignmentFacts:
        """See `Pusher`."""
        with self._told():
            found = self._assignment = self._course.get_assignment(int(self._target.assignment))
        kind, points = getattr(found, "grading_type", "points"), getattr(found, "points_possible", None)
        name = plain_line(str(getattr(found, "name", "")))
        if kind in _UNGRADABLE:
            raise UsageProblem(f"The Canvas assignment “{name}” is {_UNGRADABLE[kind]}; it takes no points.")
        if not points or points < 0:
            raise UsageProblem(f"The Canvas assignment “{name}” has no points possible; set them in Canvas first.")
        notes = []
        if getattr(found, "group_category_id", None) and not getattr(found, "grade_group_students_individually", False):
            notes.append("Canvas grades this assignment by group: one member's score becomes that of all.")
        return AssignmentFacts(name, Decimal(str(points)), notes=tuple(notes))

    def people(self) -> list[LmsPerson]:
        """See `Pusher`."""
        people, self._read = self._everybody()
        return people

    def held_by_all(self) -> Mapping[str, Held]:
        """See `Pusher`."""
        held, self._read = self._read, None  # what came with the people, the first time
        return held if held is not None else self._everybody()[1]

    def held(self, person: str) -> Held:
        """See `Pusher`."""
        with self._told():
            return _held(self._assignment.get_submission(int(person), include=["submission_comments"]))

    def closer(self, person: str, held: Held) -> Held:
        """See `Pusher`: for somebody who was not in the list."""
        return self.held(person)

    def send(self, person: str, parcel: Parcel, held: Held) -> Decimal | None:
        """See `Pusher`. `held` is not needed: Canvas keeps the comments that are there."""
        file_id = self._upload(person, parcel.report) if parcel.report is not None else None
        asked: dict[str, Any] = {}
        if parcel.score is not None:
            asked["submission"] = {"posted_grade": parcel.score}
        comment: dict[str, Any] = {"text_comment": parcel.comment} if parcel.comment is not None else {}
        if file_id is not None:
            comment["file_ids"] = [file_id]
        if comment:
            asked["comment"] = {**comment, "group_comment": parcel.for_group}
        with self._told(changing=True):
            about = {"course_id": self._course.id, "assignment_id": self._assignment.id, "user_id": int(person)}
            return _score(_submission(self._requester, about).edit(**asked))

    def name_of(self, user: str) -> str:
        """See `Pusher`."""
        if user.startswith("-"):
            return "a quiz or tool"  # "Submissions": a grader_id below 0 is a quiz or an LTI tool
        try:
            with self._told():
                return f"{plain_line(str(self._course.get_user(int(user)).name), 60)} (Canvas user {user})"
        except (Refused, Unreachable, ValueError, AttributeError):
            return f"Canvas user {user}"

    def _everybody(self) -> tuple[list[LmsPerson], dict[str, Held]]:
        """All who can be graded and what they have, page by page."""
        people, held = [], {}
        with self._told():
            for found in self._pages():
                person = str(found.user_id)
                user = getattr(found, "user", None) or {}
                names = ("sis_user_id", "login_id", "integration_id")
                keys = frozenset(str(user[name]).casefold() for name in names if user.get(name))
                people.append(LmsPerson(person, plain_line(str(user.get("name", ""))), frozenset({person}), keys))
                held[person] = _held(found)
        return people, held

    def _pages(self) -> Iterator[Any]:
        listed = iter(self._assignment.get_submissions(include=["user", "submission_comments"]))
        while True:
            try:
                found = next(listed)
            except StopIteration:
                return
            except AttributeError:  # canvasapi, where the next page is not below the address that it was given
                raise Unreachable("Canvas goes on at another address than --url; name the one that it uses") from None
            yield found

    def _upload(self, person: str, report: Attachment) -> int:
        """The three steps of "Uploading Files"; canvasapi's uploader would follow the third without the token.

        Nothing of this can be seen by anybody until the file is named in a comment, so a failure changes nothing.
        """
        place = f"courses/{self._course.id}/assignments/{self._assignment.id}/submissions/{person}/comments/files"
        with self._told():
            asked = self._requester.request(
                "POST", place, name=report.name, size=len(report.content), content_type="text/html"
            ).json()
        try:
            answer = self._files.post(
                asked["upload_url"],
                data=asked.get("upload_params") or {},
                files={"file": (report.name, report.content, "text/html")},
                allow_redirects=False,
            )
            return self._confirmed(answer)
        except (Unreachable, requests.RequestException, KeyError, TypeError, ValueError):
            raise Refused("the report could not be uploaded; nothing was sent") from None

    def _confirmed(self, answer: requests.Response) -> int:
        """The file's id, after the third step where it is asked for: with the token, to Canvas alone."""
        where = answer.headers.get("Location", "")
        if answer.status_code >= requests.codes.bad_request:
            raise Refused(f"the report was not taken (status {answer.status_code}); nothing was sent")
        if where and _origin(where) == _origin(self._target.url):
            with self._told():
                return int(self._requester.request("GET", _url=where).json()["id"])
        if answer.is_redirect:
            raise Refused("the upload is to be confirmed at another host, which does not get the token")
        return int(answer.json()["id"])

    @contextmanager
    def _told(self, changing: bool = False) -> Iterator[None]:
        """What goes wrong inside, in our words; `changing`: an answer that cannot be read leaves it unknown."""
        try:
            yield
        except InvalidAccessToken:
            raise TokenRefused("Canvas does not accept the token; make a new one in your Canvas settings") from None
        except CanvasException as error:
            raise Refused(f"Canvas says: {self._said(error)}") from None
        except (requests.RequestException, ValueError) as error:
            what = f"{self._target.url} did not answer as Canvas does ({type(error).__name__})"
            raise (Unsettled if changing else Unreachable)(what) from None

    def _said(self, error: CanvasException) -> str:
        messages = "; ".join(_messages(error.message)) or str(error.message)
        return plain_line(self._token.hidden_in(f"{messages} ({type(error).__name__})"), 300)


def connect(target: Target, token: Token, patience: Patience, wishes: Wishes) -> CanvasPusher:
    """A connection; nothing is asked yet, and Canvas needs no preparation for any wish.

    Raises:
        UsageProblem: the course or assignment is no number.
    """
    if urlsplit(target.url).path:
        raise UsageProblem(
            "--url of Canvas is https://HOST alone; the numbers of its addresses are --course-id and so on."
        )
    for option, number in (("--course-id", target.course), ("--assignment-id", target.assignment)):
        if not (number.isascii() and number.isdigit()):
            raise UsageProblem(
                f"{option} is the number in the assignment's address: …/courses/NUMBER/assignments/NUMBER."
            )
    return CanvasPusher(target, token, patience)


def _submission(requester: Any, about: Mapping[str, int]) -> Any:
    from canvasapi.submission import Submission

    return Submission(requester, dict(about))


def _held(found: Any) -> Held:
    comments = tuple(
        HeldComment(
            str(one.get("id", "")),
            str(one.get("comment") or ""),
            tuple(str(file.get("display_name") or file.get("filename")) for file in one.get("attachments") or ()),
        )
        for one in getattr(found, "submission_comments", None) or ()
    )
    grader, at = getattr(found, "grader_id", None), getattr(found, "graded_at", None)
    held_back = "is excused in Canvas" if getattr(found, "excused", False) else ""
    return Held(_score(found), str(grader or ""), plain_line(str(at or ""), 40), comments, held_back=held_back)


def _score(found: Any) -> Decimal | None:
    """The score before Canvas's own late policy takes something off (`entered_score`)."""
    number = getattr(found, "entered_score", None)
    number = getattr(found, "score", None) if number is None else number
    return None if number is None else Decimal(str(number))


def _messages(said: object) -> list[str]:
    """Every `message` in an error of Canvas's, which come in several shapes and sometimes as text."""
    if isinstance(said, str):
        with suppress(ValueError):
            return _messages(json.loads(said)) if said[:1] in "[{" else []
    if isinstance(said, dict):
        own = [said["message"]] if isinstance(said.get("message"), str) else []
        return own + [text for value in said.values() if not isinstance(value, str) for text in _messages(value)]
    return [text for value in said for text in _messages(value)] if isinstance(said, (list, tuple)) else []


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
