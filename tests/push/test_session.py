"""What is tried again, what is not, and where nothing is followed."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest
import requests
from lms_web import Answer, Asked, Fault, Web, served

from grader.push.base import Unreachable, Unsettled
from grader.push.retry import Patience
from grader.push.session import patient_session


class Hello(Web):
    """Says hello."""

    def answer(self, asked: Asked) -> Answer:
        return Answer({"hello": asked.method})

    def changes(self) -> list[Asked]:
        return []


@pytest.fixture
def web() -> Iterator[Web]:
    """A server that says hello unless told to fail."""
    with served(Hello()) as made:
        yield made


@pytest.fixture
def slept() -> list[float]:
    """The seconds that were waited for."""
    return []


@pytest.fixture
def session(slept: list[float]) -> requests.Session:
    """A session that may repeat what only asks, three tries, and does not sleep."""
    patience = Patience(tries=3, first=1.0, most=60.0, sleep=slept.append, shake=lambda: 1.0)
    return patient_session(patience, lambda request: request.method == "GET")


def anything(_: Asked) -> bool:
    """Every request."""
    return True


@pytest.mark.parametrize("fault", [Fault(anything), Fault(anything, Answer("", 500)), Fault(anything, Answer("", 502))])
def test_questions_are_asked_again_and_changes_are_not(
    web: Web, session: requests.Session, slept: list[float], fault: Fault
) -> None:
    web.faults = [fault, fault]
    assert session.get(web.url).json() == {"hello": "GET"}
    assert slept == [1.0, 2.0]
    web.faults = [fault]
    with pytest.raises(Unsettled):
        session.put(web.url)
    assert len(web.asked) == 4


@pytest.mark.parametrize(
    "answer",
    [Answer("", 429, {"Retry-After": "7"}), Answer("403 Forbidden (Rate Limit Exceeded)", 403, {"Retry-After": "7"})],
)
def test_what_was_turned_away_is_sent_again(
    web: Web, session: requests.Session, slept: list[float], answer: Answer
) -> None:
    web.faults = [Fault(anything, answer)]
    assert session.put(web.url).json() == {"hello": "PUT"}
    assert slept == [7.0]
    web.faults = [Fault(anything, answer)] * 3
    with pytest.raises(Unreachable, match="asks to wait, in 3 tries"):
        session.put(web.url)
    assert len(web.asked) == 5


def test_other_refusals_are_answers(web: Web, session: requests.Session, slept: list[float]) -> None:
    web.faults = [Fault(anything, Answer("forbidden", 403))]
    assert session.put(web.url).status_code == 403
    assert not slept


def test_a_server_that_is_not_there_got_nothing(session: requests.Session, slept: list[float]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        with pytest.raises(Unreachable, match="cannot be reached, in 3 tries"):
            session.put(f"http://127.0.0.1:{taken.getsockname()[1]}/")
    assert slept == [1.0, 2.0]


def test_trouble_of_encryption_is_no_proof_that_nothing_arrived(web: Web, session: requests.Session) -> None:
    with pytest.raises(Unsettled):
        session.put(web.url.replace("http:", "https:"))
    assert not web.asked


def test_it_slows_down_before_the_allowance_is_spent(web: Web, session: requests.Session, slept: list[float]) -> None:
    for left, waits in (("600.5", 0), ("49.9", 1), ("none", 1)):
        web.faults = [Fault(anything, Answer({}, headers={"X-Rate-Limit-Remaining": left}))]
        session.get(web.url)
        assert len(slept) == waits


@pytest.mark.parametrize("send", [requests.Session.get, requests.Session.post])
def test_redirects_are_not_followed(
    web: Web, session: requests.Session, send: Callable[..., requests.Response]
) -> None:
    web.faults = [Fault(anything, Answer("", 302, {"Location": "/elsewhere"}))]
    with pytest.raises(Unreachable, match="sends on to /elsewhere"):
        send(session, web.url)
    assert len(web.asked) == 1
