"""Moodle: scores, comments and files by its web services, over requests.

Runs in the command; needs the extra `push`. Sources: "Web services API functions" of the Moodle developer
documentation and the functions' own descriptions (mod_assign_*, core_files_upload, core_webservice_get_site_info). A
download names people by the number that they have in this one assignment (`mod_assign_get_user_mappings`), never by
their user id. One comment and one set of feedback files belong to a grade: what is sent takes their place, and a
comment that is not sent has to be sent as it was, or it is lost.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

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
    Wishes,
)
from grader.push.moodle_service import Service
from grader.push.retry import Patience
from grader.push.tokens import Token

_SAVE = "mod_assign_save_grade"
_NEEDED = (
    "core_webservice_get_site_info",
    "mod_assign_get_assignments",
    "mod_assign_get_grades",
    "mod_assign_get_submission_status",
    "mod_assign_list_participants",
    _SAVE,
)
_UPLOAD, _MAPPINGS, _FLAGS = "core_files_upload", "mod_assign_get_user_mappings", "mod_assign_get_user_flags"


class MoodlePusher:
    """An assignment in Moodle."""

    appends = False

    def __init__(self, target: Target, token: Token, patience: Patience, wishes: Wishes) -> None:
        self._target = target
        self._wishes = wishes
        self._service = Service(target.url, token, patience, frozenset({_SAVE}))
        self._offers: frozenset[str] = frozenset()
        self._me = 0
        self._about: dict[str, Any] = {}
        self._states: dict[str, str] | None = None

    def assignment(self) -> AssignmentFacts:
        """See `Pusher`."""
        site = self._service.ask("core_webservice_get_site_info", {})
        self._me = int(site.get("userid", 0))
        self._offers = frozenset(str(one.get("name")) for one in site.get("functions", ()))
        self._about = self._found()
        workflow = bool(self._about.get("markingworkflow"))
        needed = [*_NEEDED, *([_UPLOAD] if self._wishes.reports else []), *([_FLAGS] if workflow else [])]
        if lacking := sorted(set(needed) - self._offers):
            raise UsageProblem(f"The token's service in Moodle lacks {', '.join(lacking)}; have them added to it.")
        name, most = plain_line(str(self._about.get("name", ""))), Decimal(str(self._about.get("grade", 0)))
        if most <= 0:
            raise UsageProblem(f"The Moodle assignment “{name}” takes no points: it has a scale or no grade.")
        for plugin, wished, option in (
            ("comments", self._wishes.comments, "--comments none"),
            ("file", self._wishes.reports, "no --report"),
        ):
            if wished and self._is_off(plugin):
                raise UsageProblem(
                    f"The Moodle assignment “{name}” has the feedback type “{plugin}” switched off; switch it on in "
                    f"its settings, or push with {option}."
                )
        notes = ["Marking workflow: students see grades when you release them in Moodle."] if workflow else []
        if _MAPPINGS not in self._offers:
            notes.append(f"The token's service lacks {_MAPPINGS}: whose the numbers of a download are stays unknown.")
        return AssignmentFacts(name, most, bool(self._about.get("teamsubmission")), tuple(notes))

    def people(self) -> list[LmsPerson]:
        """See `Pusher`."""
        numbers: dict[str, set[str]] = {}
        if _MAPPINGS in self._offers:
            for person, number in self._mappings():
                numbers.setdefault(person, set()).add(number)
        found = self._service.ask("mod_assign_list_participants", {**self._id("assignid"), "groupid": 0, "filter": ""})
        people = []
        for one in found:
            person = str(one["id"])
            keys = frozenset(str(one[k]).strip().casefold() for k in ("username", "email", "idnumber") if one.get(k))
            group = str(one.get("groupid") or "")
            name = plain_line(str(one.get("fullname", "")))
            people.append(LmsPerson(person, name, frozenset(numbers.get(person, ())), keys, group))
        return people

    def held_by_all(self) -> Mapping[str, Held]:
        """See `Pusher`: scores alone, by one question."""
        found = self._service.ask("mod_assign_get_grades", {"assignmentids[0]": self._target.assignment})
        grades = [grade for one in found.get("assignments", ()) for grade in one.get("grades", ())]
        return {str(grade["userid"]): _held(grade) for grade in grades}

    def held(self, person: str) -> Held:
        """See `Pusher`."""
        return self.closer(person, self.held_by_all().get(person, Held()))

    def closer(self, person: str, held: Held) -> Held:
        """See `Pusher`."""
        status = self._service.ask("mod_assign_get_submission_status", {**self._id("assignid"), "userid": person})
        plugins = (status.get("feedback") or {}).get("plugins")
        if plugins is None:
            # Moodle shows no feedback before there is a grade, and to some not even then.
            return replace(held, told=not held.grader)
        return replace(held, comments=_comments(plugins), told=True)

    def send(self, person: str, parcel: Parcel, held: Held) -> Decimal | None:
        """See `Pusher`. Moodle does not answer what it has kept."""
        score = parcel.score
        if score is None:
            score = "-1" if held.score is None else f"{held.score:f}"
        fields = {
            **self._id("assignmentid"),
            "userid": person,
            "grade": score,
            "attemptnumber": "-1",
            "addattempt": "0",
            "workflowstate": self._state(person),
            "applytoall": "0",
        }
        if not self._is_off("comments"):
            fields["plugindata[assignfeedbackcomments_editor][text]"] = self._text(person, parcel, held)
            fields["plugindata[assignfeedbackcomments_editor][format]"] = "1"
        if parcel.report is not None:
            fields["plugindata[files_filemanager]"] = str(self._upload(parcel.report))
        self._service.ask(_SAVE, fields)
        return None

    def name_of(self, user: str) -> str:
        """See `Pusher`."""
        return "this token's user" if user == str(self._me) else f"Moodle user {user}"

    def _text(self, person: str, parcel: Parcel, held: Held) -> str:
        """The comment as HTML; where none is to be sent the one that is there, which would be emptied otherwise."""
        if parcel.comment is not None:
            return f"<p>{html.escape(parcel.comment, quote=False)}</p>".replace("\n", "<br>")
        if held.told:
            return next((comment.raw for comment in held.comments if comment.text.strip()), "")
        if self._wishes.overwrite:
            return ""
        raise Refused(
            "was graded, and Moodle does not tell with which comment; a score alone would empty it; --overwrite does so"
        )

    def _found(self) -> dict[str, Any]:
        """The assignment, of those in the token's courses."""
        course = {"courseids[0]": self._target.course} if self._target.course else {}
        answer = self._service.ask("mod_assign_get_assignments", course)
        known = [one for course in answer.get("courses", ()) for one in course.get("assignments", ())]
        for one in known:
            if str(one.get("id")) == self._target.assignment:
                return dict(one)
        for one in known:
            if str(one.get("cmid")) == self._target.assignment:
                raise UsageProblem(
                    f"{self._target.assignment} is the number in the address of “{plain_line(str(one.get('name')))}”; "
                    f"as an assignment it is --assignment-id {one.get('id')}."
                )
        names = ", ".join(f"{one.get('id')} {plain_line(str(one.get('name')), 40)}" for one in known[:10])
        raise UsageProblem(
            f"Moodle shows the token no assignment {self._target.assignment}; it shows: {names or 'none'}."
        )

    def _mappings(self) -> list[tuple[str, str]]:
        """User ids and the numbers in downloads; none where the token may not know them."""
        try:
            found = self._service.ask(_MAPPINGS, {"assignmentids[0]": self._target.assignment})
        except Refused:
            return []
        known = [pair for one in found.get("assignments", ()) for pair in one.get("mappings", ())]
        return [(str(pair["userid"]), str(pair["id"])) for pair in known]

    def _state(self, person: str) -> str:
        """The marking workflow's state, to be sent as it is."""
        if not self._about.get("markingworkflow"):
            return ""
        if self._states is None:
            found = self._service.ask(_FLAGS, {"assignmentids[0]": self._target.assignment})
            flags = [flag for one in found.get("assignments", ()) for flag in one.get("userflags", ())]
            self._states = {str(flag["userid"]): str(flag.get("workflowstate") or "") for flag in flags}
        return self._states.get(person, "")

    def _is_off(self, plugin: str) -> bool:
        """Whether a feedback type is known to be off; Moodle tells teachers by `configs`."""
        configs = [one for one in self._about.get("configs", ()) if one.get("subtype") == "assignfeedback"]
        on = [one for one in configs if one.get("plugin") == plugin and str(one.get("value")) == "1"]
        return bool(configs) and not any(one.get("name") == "enabled" for one in on)

    def _upload(self, report: Attachment) -> int:
        """Put the file into a draft area of the token's user, which nobody sees; its number."""
        answer = self._service.ask(
            _UPLOAD,
            {
                "contextlevel": "user",
                "instanceid": str(self._me),
                "component": "user",
                "filearea": "draft",
                "itemid": "0",  # Moodle finds one that is free
                "filepath": "/",
                "filename": report.name,
                "filecontent": base64.b64encode(report.content).decode("ascii"),
                "contextid": "0",
            },
        )
        draft = int(answer.get("itemid") or 0) if isinstance(answer, dict) else 0
        if draft <= 0:
            raise Refused("Moodle took the report, and did not say where; nothing was graded")
        return draft

    def _id(self, name: str) -> dict[str, str]:
        return {name: self._target.assignment}


def connect(target: Target, token: Token, patience: Patience, wishes: Wishes) -> MoodlePusher:
    """A connection; nothing is asked yet.

    Raises:
        UsageProblem: the assignment or course is no number.
    """
    for option, number in (("--assignment-id", target.assignment), ("--course-id", target.course or "0")):
        if not (number.isascii() and number.isdigit()):
            raise UsageProblem(f"{option} is a number.")
    if wishes.group_comment:
        raise UsageProblem("--group-comment is for Canvas; Moodle has a comment for each person.")
    return MoodlePusher(target, token, patience, wishes)


def _held(grade: Mapping[str, Any]) -> Held:
    """Of `mod_assign_get_grades`: a grade of -1 is none; comments wait for a closer look."""
    number = Decimal(str(grade.get("grade") or "-1"))
    seconds = int(grade.get("timemodified") or 0)
    at = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else ""
    grader = str(grade.get("grader") or "")
    return Held(None if number < 0 else number, "" if grader.startswith("-") else grader, at, told=False)


def _comments(plugins: list[dict[str, Any]]) -> tuple[HeldComment, ...]:
    """The one comment and the feedback files, as one."""
    text, files = "", []
    for plugin in plugins:
        if plugin.get("type") == "comments":
            text = next((str(field.get("text") or "") for field in plugin.get("editorfields", ())), "")
        if plugin.get("type") == "file":
            areas = plugin.get("fileareas", ())
            files += [str(file.get("filename")) for area in areas for file in area.get("files", ())]
    one = hashlib.sha256("\n".join((text, *files)).encode("utf-8", "replace")).hexdigest()[:16]
    return (HeldComment(one, _plain(text), tuple(files), text),) if text or files else ()


def _plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", text))
