"""HTTP with an LMS, as it has to be with somebody's grades and a secret.

Runs in the command; needs the extra `push` (requests). Every request has a time limit. Redirects are not followed:
they could carry the token to another host, and turn what was sent into a question. Passwords in ~/.netrc are not used.
What may be repeated is tried again when the LMS is overloaded, fails or hangs up; what may not, since it could be done
twice, ends in `Unsettled` as soon as it may have arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import NewConnectionError

from grader.model.text import plain_line
from grader.push.base import Unreachable, Unsettled
from grader.push.retry import Patience, seconds_asked

CONNECT_SECONDS, ANSWER_SECONDS = 10, 60
_NEARLY_SPENT = 50.0
"""Of Canvas's allowance (`X-Rate-Limit-Remaining`, "Throttling" in its API documentation): below, requests are refused
soon, so the next one waits."""
_FAILED = 500


class PatientAdapter(HTTPAdapter):
    """Sends requests, again where that is right. `repeatable` tells of a request whether doing it twice is harmless.

    `may_redirect`: whoever asked looks at redirects; otherwise they are refused.
    """

    def __init__(
        self, patience: Patience, repeatable: Callable[[requests.PreparedRequest], bool], may_redirect: bool
    ) -> None:
        super().__init__()
        self._patience = patience
        self._repeatable = repeatable
        self._may_redirect = may_redirect

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: float | tuple[float, float] | tuple[float, None] | None = None,
        verify: bool | str = True,
        cert: bytes | str | tuple[bytes | str, bytes | str] | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """As that of requests, with tries and limits.

        Raises:
            Unreachable: it gave up, or there is something else at this address.
            Unsettled: the request may have arrived, and must not be repeated blindly.
        """
        host = urlsplit(request.url or "").hostname or "the LMS"
        limits = timeout or (CONNECT_SECONDS, ANSWER_SECONDS)
        why = "no answer"
        for tried in range(1, self._patience.tries + 1):
            asked = None
            try:
                answer = super().send(request, stream, limits, verify, cert, proxies)
            except (requests.ConnectionError, requests.Timeout) as error:
                if _is_a_stranger(error):
                    raise Unreachable(f"The certificate of {host} is not valid, so nothing was sent to it") from None
                why = f"{host} cannot be reached" if _never_sent(error) else f"{host} did not answer"
                if not (self._repeatable(request) or _never_sent(error)):
                    raise Unsettled(why) from None
            else:
                limited = _limited(answer)
                if not limited and answer.status_code < _FAILED:
                    return self._taken(answer, host)
                why = f"{host} asks to wait" if limited else f"{host} failed (status {answer.status_code})"
                if not (limited or self._repeatable(request)):
                    raise Unsettled(why)
                asked = seconds_asked(answer.headers.get("Retry-After"))
            if tried < self._patience.tries:
                self._patience.wait(tried, why, asked)
        raise Unreachable(f"{why}, in {self._patience.tries} tries")

    def _taken(self, answer: requests.Response, host: str) -> requests.Response:
        if answer.is_redirect and not self._may_redirect:
            to = urlsplit(answer.headers.get("Location", ""))
            where = f"{to.scheme}://{to.netloc}" if to.netloc else to.path
            raise Unreachable(f"{host} sends on to {plain_line(where)}; if that is right, name it with --url")
        try:
            left = float(answer.headers.get("X-Rate-Limit-Remaining", "inf"))
        except ValueError:
            return answer
        if left < _NEARLY_SPENT:
            self._patience.wait(1, f"{host} is nearly out of patience")
        return answer


def _never_sent(error: requests.RequestException) -> bool:
    """Whether there was not even a connection."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    return isinstance(reason, NewConnectionError)


def _is_a_stranger(error: requests.RequestException) -> bool:
    """Whether the certificate is not the host's: known before anything is sent, unlike other trouble of encryption."""
    return isinstance(error, requests.exceptions.SSLError) and "certificate" in str(error).lower()


def _limited(answer: requests.Response) -> bool:
    """Whether a request was turned away, undone, since there were too many: 429, or Canvas's 403."""
    return answer.status_code == 429 or (answer.status_code == 403 and "rate limit exceeded" in answer.text.lower())


def _no_login(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Instead of what ~/.netrc says of this host, which would take the place of the token."""
    return request


def patient_session(
    patience: Patience, repeatable: Callable[[requests.PreparedRequest], bool], may_redirect: bool = False
) -> requests.Session:
    """A session that behaves as this module promises."""
    session = requests.Session()
    session.auth = _no_login
    for scheme in ("https://", "http://"):
        session.mount(scheme, PatientAdapter(patience, repeatable, may_redirect))
    return session
