"""An imitation of Canvas, written from its API documentation: "Submissions", "Submission Comments", "Uploading Files",
"Pagination", "Throttling" and "OAuth2" of the Canvas LMS API.

One course with one assignment. A comment is added each time that one is sent. Lists come in pages of two, whose
addresses only the Link header tells. Files come in three steps: announced, uploaded without the token, confirmed with
it. A group's score is everybody's in it.
"""

from __future__ import annotations

import re
from typing import Any

from lms_web import Answer, Asked, Web

TOKEN = "7~canvasTokenThatNobodyMaySee0123456789"
PAGE = 2
BASE = "/api/v1/courses/101/assignments/202"


class Canvas(Web):
    """Course 101, assignment 202, teacher 1, and students by `enrol`."""

    def __init__(self, points: float = 100, **assignment: Any) -> None:
        super().__init__()
        self.about = {
            "id": 202,
            "course_id": 101,
            "name": "Tiny",
            "points_possible": points,
            "grading_type": "points",
            **assignment,
        }
        self.submissions: dict[int, dict[str, Any]] = {}
        self.files: dict[int, dict[str, Any]] = {}
        self.groups: list[set[int]] = []
        self.confirm = 303
        self.decimals = 5
        self._announced: dict[str, dict[str, Any]] = {}
        self._number = 5000

    def enrol(self, number: int, name: str, **user: Any) -> dict[str, Any]:
        """A student, with more fields of the user; returns the submission."""
        self.submissions[number] = {
            "id": self._next(),
            "user_id": number,
            "assignment_id": 202,
            "score": None,
            "entered_score": None,
            "grader_id": None,
            "graded_at": None,
            "excused": False,
            "submission_comments": [],
            "user": {"id": number, "name": name, **user},
        }
        return self.submissions[number]

    def texts(self, number: int) -> list[str]:
        """The comments that a student has."""
        return [comment["comment"] for comment in self.submissions[number]["submission_comments"]]

    def grade(self, number: int, score: float | None, grader: int) -> None:
        """Somebody gives a score."""
        about = self.submissions[number]
        about |= {"score": score, "entered_score": score, "grader_id": grader, "graded_at": "2026-12-01T10:00:00Z"}

    def changes(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.method != "GET"]

    def puts(self) -> list[Asked]:
        """Gradings and comments that were sent."""
        return [asked for asked in self.asked if asked.method == "PUT"]

    def answer(self, asked: Asked) -> Answer:  # noqa: PLR0911  one for each address
        if asked.path == "/files_of_canvas":
            return self._upload(asked)
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            said = {"errors": [{"message": "Invalid access token."}]}
            return Answer(said, 401, {"WWW-Authenticate": 'Bearer realm="canvas-lms"'})
        if asked.path == BASE and asked.method == "GET":
            return Answer(self.about)
        if asked.path == f"{BASE}/submissions" and asked.method == "GET":
            return self._page(asked)
        if found := re.fullmatch(rf"{BASE}/submissions/(\d+)(/comments/files)?", asked.path):
            number = int(found[1])
            if number not in self.submissions:
                return Answer({"errors": [{"message": "The specified resource does not exist."}]}, 404)
            if found[2]:
                return self._announce(asked, number)
            if asked.method == "PUT":
                self._grade(number, asked)
            return Answer({**self.submissions[number], "user": None})
        if found := re.fullmatch(r"/api/v1/files/(\d+)/create_success", asked.path):
            self.files[int(found[1])]["confirmed"] = True
            return Answer({"id": int(found[1]), "url": "…"})
        if re.fullmatch(r"/api/v1/courses/101/users/\d+", asked.path):
            return Answer({"id": 9, "name": "Terry Teacher"})
        return Answer({"errors": [{"message": "The specified resource does not exist."}]}, 404)

    def _page(self, asked: Asked) -> Answer:
        page = int(asked.value("page", "1"))
        everybody = list(self.submissions.values())
        here = everybody[(page - 1) * PAGE : page * PAGE]
        includes = asked.values("include[]")
        if page == 1:
            assert sorted(includes) == ["submission_comments", "user"]
        link = f'<{self.url}{asked.path}?page={page + 1}&per_page={PAGE}>; rel="next"'
        more = page * PAGE < len(everybody)
        return Answer(here, headers={"Link": link, "X-Rate-Limit-Remaining": "600"} if more else {})

    def _grade(self, number: int, asked: Asked) -> None:
        score = asked.value("submission[posted_grade]")
        if score:
            for one in next((group for group in self.groups if number in group), {number}):
                self.grade(one, round(float(score), self.decimals), 1)
        text, files = asked.value("comment[text_comment]"), [int(one) for one in asked.values("comment[file_ids][]")]
        if text or files:
            for one in files:
                assert self.files[one]["confirmed"]
            attached = [{"id": one, "display_name": self.files[one]["name"]} for one in files]
            whose = {number}
            if asked.value("comment[group_comment]") == "true":
                whose = next((group for group in self.groups if number in group), whose)
            for one in whose:
                comment = {"id": self._next(), "author_id": 1, "comment": text, "attachments": attached}
                self.submissions[one]["submission_comments"].append(comment)

    def _announce(self, asked: Asked, number: int) -> Answer:
        key = f"key{self._next()}"
        self._announced[key] = {"name": asked.value("name"), "size": int(asked.value("size")), "user": number}
        return Answer({"upload_url": f"{self.url}/files_of_canvas", "upload_params": {"key": key}})

    def _upload(self, asked: Asked) -> Answer:
        assert "authorization" not in asked.headers
        about = self._announced.pop(asked.value("key"))
        ((name, content),) = asked.files.items()
        assert (name, len(content)) == (about["name"], about["size"])
        number = self._next()
        self.files[number] = {**about, "content": content, "confirmed": self.confirm == 200}
        if self.confirm == 200:
            return Answer({"id": number, "url": "…"})
        return Answer("", self.confirm, {"Location": f"{self.url}/api/v1/files/{number}/create_success?uuid=abc"})

    def _next(self) -> int:
        self._number += 1
        return self._number
