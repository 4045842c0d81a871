"""Calls of Moodle's web-service functions, by its REST protocol.

Runs in the command; needs the extra `push`. Source: "Web services" of the Moodle developer documentation. All goes by
POST, so the token is in no address and no log. Errors come with status 200, as an object with `exception`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import requests

from grader.model.text import plain_line
from grader.push.base import Refused, TokenRefused, Unreachable, Unsettled
from grader.push.retry import Patience
from grader.push.session import patient_session
from grader.push.tokens import Token

_TOKEN_ERRORS = frozenset({"invalidtoken", "invalidtimedtoken"})


class Service:
    """The functions that a token opens. `changing` names those that must not be repeated blindly."""

    def __init__(self, url: str, token: Token, patience: Patience, changing: frozenset[str]) -> None:
        self._url = url
        self._token = token
        self._changing = changing
        self._session = patient_session(patience, self._repeatable)

    def ask(self, function: str, fields: Mapping[str, object]) -> Any:
        """Call a function with form fields; returns its answer.

        Raises:
            Refused: Moodle answers with an error.
            TokenRefused: the error is the token.
            Unreachable: there is no such service at this address.
            Unsettled: of a changing function, it may have been done.
        """
        unclear = Unsettled if function in self._changing else Unreachable
        asked = {"wstoken": self._token.reveal(), "wsfunction": function, "moodlewsrestformat": "json", **fields}
        try:
            found = self._session.post(f"{self._url}/webservice/rest/server.php", data=asked).json()
        except (requests.RequestException, ValueError) as error:
            what = f"{self._url} did not answer as Moodle's web services do ({type(error).__name__})"
            raise unclear(what) from None
        if isinstance(found, dict) and "exception" in found:
            code, said = str(found.get("errorcode", "")), str(found.get("message", ""))
            if code in _TOKEN_ERRORS:
                raise TokenRefused(f"Moodle does not accept the token ({plain_line(code, 40)}); have a new one made")
            raise Refused(f"Moodle says of {function}: {plain_line(self._token.hidden_in(f'{said} ({code})'), 300)}")
        if function not in self._changing and not isinstance(found, (dict, list)):
            raise Unreachable(f"{self._url} did not answer {function} as Moodle does")
        return found

    def _repeatable(self, request: requests.PreparedRequest) -> bool:
        return not any(f"wsfunction={name}&" in str(request.body or "") for name in self._changing)
