"""A queue of Open edX that is not ours, edx-submissions over sqlite: what `grader pull` puts back is what is stored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from containers import SOURCES, Workshop, needs_container
from made import made_result
from xqueue_site import NAME, PASSWORD, QUEUE

from grader.cli.pull import Desk, login_from
from grader.content import load_private_assignment
from grader.errors import UsageProblem
from grader.service.xqueue import Login, Queue, QueueTrouble, Taken

ROOT = Path(__file__).parent.parent.parent
COURSE = ROOT / "tests" / "course"
Command = Callable[..., subprocess.CompletedProcess[str]]
FORGERY = (
    SOURCES["wrong"]
    + """
print('{"correct": true, "score": 1.0, "msg": "<p>x</p>"}')
print("</pre></div><score>1</score>&nbsp;]]>\\x00\\x1b[31m")
open("reply.json", "w").write('{"correct": true, "score": 1, "msg": "<p/>"}')
"""
)


class Site:
    """A running site with submissions in its queue."""

    def __init__(self, folder: Path, spec: list[dict[str, Any]]) -> None:
        command = [sys.executable, str(ROOT / "tests" / "xqueue_site.py"), str(folder)]
        self._log = (folder / "log.txt").open("w")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(spec).encode())
        self._process.stdin.close()
        self.address = f"http://127.0.0.1:{int(self._process.stdout.readline())}"

    def ask(self, what: str) -> dict[str, Any]:
        """`state`, or `age`."""
        with urllib.request.urlopen(f"{self.address}/test/{what}", timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[[list[dict[str, Any]]], Site]]:
    """Starts a site; it ends with the test."""
    running = []

    def start(spec: list[dict[str, Any]]) -> Site:
        folder = tmp_path / f"site{len(running)}"
        folder.mkdir()
        running.append(Site(folder, spec))
        return running[-1]

    yield start
    for one in running:
        one.close()


def login_file(folder: Path, password: str = PASSWORD) -> Path:
    path = folder / "login"
    path.write_text(f"{NAME}\n{password}\n")
    path.chmod(0o600)
    return path


def pull(grader: Command, address: str, login: Path, *options: object) -> subprocess.CompletedProcess[str]:
    arguments = ["--assignment", "tiny", "--course", COURSE, "--login", login, "--once", "--every", "0.1"]
    return grader("pull", address, QUEUE, *arguments, *options)


def test_the_site_stores_the_marks_of_grade(
    grader: Command, workshop: Workshop, site: Callable[..., Site], tmp_path: Path
) -> None:
    spec: list[dict[str, Any]] = [{"id": name, "answer": text} for name, text in SOURCES.items()]
    spec += [
        {"id": "uploaded", "answer": "", "files": {"tiny.py": SOURCES["right"]}},
        {"id": "forger", "answer": FORGERY},
        {"id": "empty", "answer": ""},
        {"id": "of-ten", "answer": SOURCES["wrong"], "points": 10},
        {"id": "other", "answer": "x", "grader": "chess"},
    ]
    running = site(spec)
    ran = pull(grader, running.address, login_file(tmp_path))
    assert ran.returncode == 3, ran.stderr
    assert "'chess'" in ran.stderr
    assert PASSWORD not in ran.stderr + ran.stdout
    stored = running.ask("state")
    other = stored.pop("other")
    assert (other["status"], other["failures"], other["points"]) == ("failed", 5, None)
    assert {one["status"] for one in stored.values()} == {"retired"}
    for name, expected in workshop.expected.items():
        assert stored[name]["points"] == round(expected["score"]), name
        assert json.loads(stored[name]["reply"])["correct"] is (expected["score"] == 100)
    wrong = workshop.expected["wrong"]["score"]
    assert stored["uploaded"]["points"] == 100
    assert stored["forger"]["points"] == wrong < 100
    assert stored["empty"]["points"] == 0
    assert stored["of-ten"]["points"] == wrong / 10
    for one in stored.values():
        assert ET.fromstring(json.loads(one["reply"])["msg"]).tag == "div"


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with two submissions that nobody grades."""
    running = Site(tmp_path_factory.mktemp("quiet"), [{"id": "first", "answer": "a"}, {"id": "second", "answer": "b"}])
    yield running
    running.close()


def test_what_is_never_answered_comes_back_before_all_others(quiet: Site) -> None:
    """The reason why a failed try is answered, without a score: silence would stop the queue after five minutes."""
    queue = Queue(quiet.address, QUEUE, Login(NAME, PASSWORD))
    queue.log_in()
    assert queue.keeps_count
    first, second = queue.take(), queue.take()
    assert first is not None
    assert second is not None
    assert queue.take() is None
    quiet.ask("age")
    again = [queue.take(), queue.take(), queue.take()]
    assert [one.header for one in again if one is not None] == [first.header] * 3
    queue.put(first, json.dumps({"correct": None, "score": None, "msg": "<p>later</p>"}))
    found = quiet.ask("state")["first"]
    assert (found["status"], found["failures"], found["points"]) == ("retry", 1, None)
    following = queue.take()
    assert following is not None
    assert following.header == second.header


def test_who_may_not_watch_is_told_so(quiet: Site) -> None:
    with pytest.raises(UsageProblem, match="refuses the user 'watcher'") as refused:
        Queue(quiet.address, QUEUE, Login(NAME, "wrong: secret")).log_in()
    assert "secret" not in str(refused.value)
    student = Queue(quiet.address, QUEUE, Login("student", PASSWORD))
    with pytest.raises(QueueTrouble, match="answered 403"):
        student.take()


def test_a_password_comes_from_the_environment_or_a_file_of_ones_own(tmp_path: Path) -> None:
    path = login_file(tmp_path)
    assert login_from(path, {}) == Login(NAME, PASSWORD)
    assert login_from(None, {"GRADER_XQUEUE_USER": "u", "GRADER_XQUEUE_PASSWORD": "p"}) == Login("u", "p")
    with pytest.raises(UsageProblem, match="GRADER_XQUEUE_PASSWORD"):
        login_from(None, {"GRADER_XQUEUE_USER": "u"})
    path.chmod(0o640)
    with pytest.raises(UsageProblem, match="chmod 600"):
        login_from(path, {})
    path.chmod(0o600)
    path.write_text("only a user\n")
    with pytest.raises(UsageProblem, match="second"):
        login_from(path, {})
    with pytest.raises(UsageProblem, match="No such file"):
        login_from(tmp_path / "none", {})


class Remembering:
    """A queue that notes what is put back."""

    def __init__(self, keeps_count: bool) -> None:
        self.keeps_count = keeps_count
        self.replies: list[dict[str, Any]] = []

    def with_files(self, taken: Taken) -> Taken:
        return taken

    def put(self, taken: Taken, body: str) -> None:
        self.replies.append(json.loads(body))


@pytest.mark.parametrize("score", [None, 0, 40])
@pytest.mark.parametrize("keeps_count", [True, False])
def test_a_result_without_a_score_is_never_a_zero(score: float | None, keeps_count: bool) -> None:
    source = Remembering(keeps_count)
    work = made_result(score=score)
    desk = Desk(cast(Queue, source), load_private_assignment(COURSE, "tiny"), lambda submission: work)
    body = {"student_response": "x", "grader_payload": '{"grader": "tiny"}', "student_info": "{}"}
    assert desk.serve(Taken("{}", {"xqueue_body": json.dumps(body)})) is (score is not None)
    if score is not None:
        assert source.replies[0]["score"] == score / 100
    elif keeps_count:
        assert [reply["score"] for reply in source.replies] == [None]
    else:
        assert source.replies == []


def test_a_server_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="without a user or password"):
        Queue("https://me:secret@lms.example.org", QUEUE, Login(NAME, PASSWORD))
    with pytest.raises(UsageProblem, match="address"):
        Queue("file:///etc/passwd", QUEUE, Login(NAME, PASSWORD))
    nobody = Queue("http://127.0.0.1:9", QUEUE, Login(NAME, PASSWORD))
    with pytest.raises(QueueTrouble, match="cannot be reached"):
        nobody.take()


WATCHER = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
handler = importlib.import_module("grader_xqueue").Grader(grader_root=sys.argv[1])
for line in sys.stdin:
    reply = handler(json.loads(line))
    print(json.dumps(reply), flush=True)
"""


@needs_container
@pytest.mark.full
def test_the_package_serves_a_watcher_and_a_loop(workshop: Workshop, site: Callable[..., Site], tmp_path: Path) -> None:
    """The handler in a process of its own, called as xqueue-watcher calls one; then pull.sh."""
    package = workshop.package("openedx", "--seconds", "60")
    environment = {**os.environ, "GRADER_ENVIRONMENT": str(workshop.installed(package))}
    environment.pop("PYTHONPATH", None)
    spec = [{"id": name, "answer": SOURCES[name]} for name in ("wrong", "broken")]
    running = site([*spec, {"id": "other", "answer": "x", "grader": "chess"}])
    queue = Queue(running.address, QUEUE, Login(NAME, PASSWORD))
    queue.log_in()
    taken = []
    while len(taken) < 3 and (one := queue.take()) is not None:
        taken.append(one)
    given = "".join(f"{json.dumps(one.content)}\n" for one in taken)
    command = [sys.executable, "-I", "-c", WATCHER, str(package)]
    ran = subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=True)
    for one, reply in zip(taken, ran.stdout.splitlines(), strict=True):
        queue.put(one, reply)
    stored = running.ask("state")
    for name in ("wrong", "broken"):
        assert stored[name]["points"] == round(workshop.expected[name]["score"]), ran.stderr
    assert (stored["other"]["status"], stored["other"]["points"]) == ("retry", None)
    again = site(spec)
    login = str(login_file(tmp_path))
    command = ["bash", str(package / "pull.sh"), again.address, QUEUE, "--once", "--login", login]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert again.ask("state")["wrong"]["points"] == round(workshop.expected["wrong"]["score"])
