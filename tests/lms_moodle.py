"""An imitation of Moodle's web services, written from their documentation: "Web services" and the descriptions of
mod_assign_*, core_files_upload and core_webservice_get_site_info.

One course with one assignment. Errors come with status 200. Saving a grade puts the comment and the files that it names
in the place of those that were there, and without a comment empties it.
"""

from __future__ import annotations

import base64
from typing import Any

from lms_web import Answer, Asked, Web

TOKEN = "0123456789abcdefMoodleTokenThatNobodyMaySee"
FUNCTIONS = (
    "core_webservice_get_site_info",
    "core_files_upload",
    "mod_assign_get_assignments",
    "mod_assign_get_grades",
    "mod_assign_get_submission_status",
    "mod_assign_get_user_flags",
    "mod_assign_get_user_mappings",
    "mod_assign_list_participants",
    "mod_assign_save_grade",
)


class Moodle(Web):
    """Course 3, assignment 77 (course module 501), teacher 2, and students by `enrol`."""

    def __init__(self, points: float = 100, **assignment: Any) -> None:
        super().__init__()
        on = {"subtype": "assignfeedback", "name": "enabled", "value": "1"}
        self.about = {
            "id": 77,
            "cmid": 501,
            "name": "Tiny",
            "grade": points,
            "teamsubmission": 0,
            "markingworkflow": 0,
            "configs": [{"plugin": "comments", **on}, {"plugin": "file", **on}],
            **assignment,
        }
        self.functions = list(FUNCTIONS)
        self.users: dict[int, dict[str, Any]] = {}
        self.numbers: dict[int, int] = {}
        self.grades: dict[int, dict[str, Any]] = {}
        self.comments: dict[int, str] = {}
        self.feedback_files: dict[int, dict[str, bytes]] = {}
        self.states: dict[int, str] = {}
        self.rubric = False
        self._drafts: dict[int, dict[str, bytes]] = {}

    def enrol(self, number: int, name: str, participant: int, **user: Any) -> None:
        """A student, with the number that downloads of this assignment give them, and more fields of the user."""
        self.users[number] = {"id": number, "fullname": name, "submitted": True, "requiregrading": True, **user}
        self.numbers[number] = participant

    def grade(self, number: int, score: float, grader: int) -> None:
        """Somebody gives a score."""
        self.grades[number] = {"userid": number, "grade": f"{score:.5f}", "grader": grader, "timemodified": 1764583200}

    def functions_asked(self) -> list[str]:
        """The functions that were called, in their order."""
        return [asked.value("wsfunction") for asked in self.asked]

    def changes(self) -> list[Asked]:
        changing = ("mod_assign_save_grade", "core_files_upload")
        return [asked for asked in self.asked if asked.value("wsfunction") in changing]

    def answer(self, asked: Asked) -> Answer:
        if asked.path != "/webservice/rest/server.php" or asked.method != "POST":
            return Answer("<html>Not found</html>", 404)
        assert not asked.query  # the token, above all, belongs into no address
        if asked.value("wstoken") != TOKEN:
            return _error("moodle_exception", "invalidtoken", "Invalid token - token not found")
        function = asked.value("wsfunction")
        if function not in self.functions:
            return _error("webservice_access_exception", "accessexception", "Access control exception")
        method = getattr(self, f"_{function}")
        return Answer(method(asked)) if function != "mod_assign_save_grade" else method(asked)

    def _core_webservice_get_site_info(self, _: Asked) -> Any:
        return {"userid": 2, "functions": [{"name": name, "version": "1"} for name in self.functions]}

    def _mod_assign_get_assignments(self, _: Asked) -> Any:
        return {"courses": [{"id": 3, "assignments": [self.about]}], "warnings": []}

    def _mod_assign_get_user_mappings(self, _: Asked) -> Any:
        pairs = [{"id": participant, "userid": number} for number, participant in self.numbers.items()]
        return {"assignments": [{"assignmentid": 77, "mappings": pairs}], "warnings": []}

    def _mod_assign_list_participants(self, asked: Asked) -> Any:
        assert (asked.value("groupid"), asked.value("assignid")) == ("0", "77")
        return list(self.users.values())

    def _mod_assign_get_grades(self, _: Asked) -> Any:
        return {"assignments": [{"assignmentid": 77, "grades": list(self.grades.values())}], "warnings": []}

    def _mod_assign_get_user_flags(self, _: Asked) -> Any:
        flags = [{"userid": number, "workflowstate": state} for number, state in self.states.items()]
        return {"assignments": [{"assignmentid": 77, "userflags": flags}], "warnings": []}

    def _mod_assign_get_submission_status(self, asked: Asked) -> Any:
        number = int(asked.value("userid"))
        if number not in self.grades:
            return {"warnings": []}
        field = {"name": "comments", "text": self.comments.get(number, ""), "format": 1}
        files = [{"filename": name} for name in self.feedback_files.get(number, {})]
        plugins = [
            {"type": "comments", "name": "Feedback comments", "editorfields": [field]},
            {"type": "file", "name": "Feedback files", "fileareas": [{"area": "feedback_files", "files": files}]},
        ]
        return {"feedback": {"grade": self.grades[number], "plugins": plugins}, "warnings": []}

    def _core_files_upload(self, asked: Asked) -> Any:
        asks = ("contextlevel", "instanceid", "component", "filearea", "itemid", "filepath")
        assert [asked.value(name) for name in asks] == ["user", "2", "user", "draft", "0", "/"]
        draft = 900 + len(self._drafts)
        name = asked.value("filename")
        self._drafts[draft] = {name: base64.b64decode(asked.value("filecontent"), validate=True)}
        return {"component": "user", "filearea": "draft", "itemid": draft, "filepath": "/", "filename": name}

    def _mod_assign_save_grade(self, asked: Asked) -> Answer:
        number = int(asked.value("userid"))
        if number not in self.users:
            return _error("dml_missing_record_exception", "invaliduser", "Invalid user")
        needed = {"assignmentid": "77", "attemptnumber": "-1", "addattempt": "0", "applytoall": "0"}
        assert {name: asked.value(name) for name in needed} == needed
        score = float(asked.value("grade"))
        if not self.rubric and score > float(self.about["grade"]):
            return _error("invalid_parameter_exception", "invalidparameter", "Invalid parameter value detected")
        self.grade(number, -1 if self.rubric else score, 2)
        self.comments[number] = asked.value("plugindata[assignfeedbackcomments_editor][text]")
        if draft := asked.value("plugindata[files_filemanager]"):
            self.feedback_files[number] = self._drafts.pop(int(draft))
        if self.about["markingworkflow"]:
            self.states[number] = asked.value("workflowstate")
        return Answer(None)


def _error(exception: str, code: str, message: str) -> Answer:
    return Answer({"exception": exception, "errorcode": code, "message": message})
