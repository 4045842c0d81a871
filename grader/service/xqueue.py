"""A queue of Open edX, seen from the side that grades: log in, take a submission, put a result back.

Runs in the command. Protocol as in the documentation of Open edX's XQueue, and as edx-submissions, which took its place
inside the LMS, speaks it: session cookies, a CSRF token where the server gives one, JSON in JSON. The server is
trusted; what is in a submission goes on as bytes. The password is sent to the server and nowhere else.
"""

from __future__ import annotations

import base64
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any

from grader.errors import UsageProblem
from grader.exporters.openedx import FILES

_PATIENCE_SECONDS = 30
_MOST_BYTES = 16 << 20
"""Of one answer, and of one uploaded file."""
_MOST_FILES = 50
_CSRF = "csrftoken"
_NETWORK = (urllib.error.URLError, http.client.HTTPException, OSError)


class QueueTrouble(Exception):
    """The queue did not do what it was asked; it may the next time. The text is one sentence."""


@dataclass(frozen=True)
class Login:
    """Who watches the queue."""

    user: str
    password: str


@dataclass(frozen=True)
class Taken:
    """A submission taken from the queue: the header that its result must carry, and what came with it."""

    header: str
    content: dict[str, Any]


class Queue:
    """One queue of one server, whose address is `https://HOST` or, for a test, `http://HOST`."""

    def __init__(self, server: str, name: str, login: Login) -> None:
        parts = urllib.parse.urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise UsageProblem(
                "SERVER is an address such as https://lms.example.org, without a user or password in it."
            )
        self._server = server.rstrip("/")
        self._name = name
        self._login = login
        self._cookies = CookieJar()
        self._keeps_count = False
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    @property
    def keeps_count(self) -> bool:
        """Whether it takes a result without a score as a failed try: edx-submissions does, and tells its CSRF token."""
        return self._keeps_count

    def log_in(self) -> None:
        """Open a session.

        Raises:
            UsageProblem: the server does not know this user, or not as one who may grade.
            QueueTrouble: it does not answer as a queue does.
        """
        greeted = self._call("login", None, may_fail=True)  # for the CSRF token; older servers answer 405
        self._keeps_count = greeted.get("return_code") == 0
        answer = self._call("login", {"username": self._login.user, "password": self._login.password})
        if answer.get("return_code") != 0:
            raise UsageProblem(
                f"{self._server} refuses the user {self._login.user!r}: check user and password, and that the account "
                "is in the group xqueue."
            )

    def take(self) -> Taken | None:
        """The next submission, None if there is none.

        Raises:
            QueueTrouble: the server does not answer as a queue does.
        """
        asked = urllib.parse.urlencode({"queue_name": self._name})
        answer = self._in_session(f"get_submission/?{asked}", None)
        if answer.get("return_code") != 0:
            said = str(answer.get("content"))
            if "empty" in said:
                return None
            raise QueueTrouble(f"{self._server} gives no submission: {said[:200]}")
        try:
            content = json.loads(answer["content"])
            return Taken(str(content["xqueue_header"]), content)
        except (ValueError, TypeError, KeyError):
            raise QueueTrouble(f"{self._server} gave a submission that cannot be read.") from None

    def put(self, taken: Taken, body: str) -> None:
        """Put a result back.

        Raises:
            QueueTrouble: the server did not take it.
        """
        answer = self._in_session("put_result/", {"xqueue_header": taken.header, "xqueue_body": body})
        if answer.get("return_code") != 0:
            raise QueueTrouble(f"{self._server} did not take the result: {str(answer.get('content'))[:200]}")

    def with_files(self, taken: Taken) -> Taken:
        """The submission together with what was uploaded, which the queue knows by its address.

        Raises:
            QueueTrouble: a file cannot be had.
        """
        files = _addresses(taken.content.get("xqueue_files"))
        if len(files) > _MOST_FILES:
            raise QueueTrouble(f"A submission has {len(files)} files; more than {_MOST_FILES} are not fetched.")
        found = {name: base64.b64encode(self._file(address)).decode("ascii") for name, address in files.items()}
        return Taken(taken.header, {**taken.content, FILES: found})

    def _file(self, address: str) -> bytes:
        full = urllib.parse.urljoin(f"{self._server}/", address)
        if urllib.parse.urlsplit(full).scheme not in ("http", "https"):
            raise QueueTrouble("A file of a submission has an address that is none of the web's.")
        try:
            return self._read(urllib.request.Request(full))
        except _NETWORK as error:
            raise QueueTrouble(f"A file of a submission cannot be fetched: {_why(error)}.") from None

    def _in_session(self, call: str, form: Mapping[str, str] | None) -> dict[str, Any]:
        """A call that is made again after a new login where the session has ended."""
        try:
            return self._call(call, form)
        except QueueTrouble:
            self.log_in()
            return self._call(call, form)

    def _call(self, call: str, form: Mapping[str, str] | None, may_fail: bool = False) -> dict[str, Any]:
        address = f"{self._server}/xqueue/{call if call.endswith('/') or '?' in call else call + '/'}"
        headers = {"Referer": address, "Accept": "application/json"}
        if token := self._token():
            headers["X-CSRFToken"] = token
        data = None if form is None else urllib.parse.urlencode(form).encode("ascii")
        try:
            answer = json.loads(self._read(urllib.request.Request(address, data, headers)))
        except urllib.error.HTTPError as error:
            if may_fail or (call == "login" and error.code in (400, 401, 403)):
                return {"return_code": 1, "content": ""}
            raise QueueTrouble(f"{self._server} answered {error.code} to {call.partition('/')[0]}.") from None
        except ValueError:
            if may_fail:
                return {}
            raise QueueTrouble(f"{self._server} did not answer {call.partition('/')[0]} as a queue does.") from None
        except _NETWORK as error:
            raise QueueTrouble(f"{self._server} cannot be reached: {_why(error)}.") from None
        return answer if isinstance(answer, dict) else {}

    def _read(self, request: urllib.request.Request) -> bytes:
        with self._opener.open(request, timeout=_PATIENCE_SECONDS) as answer:
            content: bytes = answer.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise QueueTrouble(f"{self._server} sent more than {_MOST_BYTES >> 20} MB at once.")
        return content

    def _token(self) -> str | None:
        return next((cookie.value for cookie in self._cookies if cookie.name == _CSRF), None)


def _addresses(told: object) -> dict[str, str]:
    """Addresses of files by their names, which are JSON in a string."""
    try:
        found = json.loads(told) if isinstance(told, str) else told
    except ValueError:
        raise QueueTrouble("The files of a submission are not JSON.") from None
    if not isinstance(found, dict):
        return {}
    return {str(name).replace("\\", "/").rpartition("/")[2] or "file": str(place) for name, place in found.items()}


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return str(reason or type(error).__name__)
