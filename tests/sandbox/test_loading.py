"""Importing a submission, in a real student process: what is kept of it, what it may import, how it may end."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from grader.model.assignment import SandboxNeeds
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Sandbox, StudentProcess
from grader.sandbox.contract import LIMITS
from grader.wire import calls

PATIENCE = 20.0


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A plain sandbox: loading is the same in every mode."""
    opened = PlainBackend().open(LIMITS, SandboxNeeds(), slot=5)
    yield opened
    opened.close()


class Submission:
    """One process with one submission in it."""

    def __init__(self, process: StudentProcess) -> None:
        self._process = process

    def ask(self, operation: str, arguments: dict[str, Any]) -> calls.Reply:
        """The reply to one call."""
        nonce = secrets.token_hex(4)
        return calls.parse_reply(
            *self._process.ask(calls.pack_request(nonce, operation, arguments).frame, PATIENCE), nonce
        )

    def load(self, files: dict[str, str] | str, required: str = "f", seconds: float = 10.0, bare: bool = False) -> Any:
        """The report on importing `files` (or a single file's text)."""
        given = {"attention.py": files} if isinstance(files, str) else files
        sent = {name: text.encode("utf-8") for name, text in given.items()}
        arguments = {"files": sent, "main": "attention.py", "required": required.split(), "seconds": seconds}
        report = self.ask(calls.LOAD, arguments | {"definitions_only": bare})
        assert report.error is None
        return report.value

    def value(self, name: str) -> Any:
        """A name of the submission."""
        return self.ask(calls.FETCH, {"target": [None, name]}).value

    def call(self, name: str) -> calls.Reply:
        """The reply to a call of a function without arguments."""
        return self.ask(calls.CALL, {"target": [None, name], "args": (), "kwargs": {}, "views": {}, "inspect": False})


@pytest.fixture
def submission(sandbox: Sandbox) -> Iterator[Submission]:
    """A fresh process, nothing loaded yet."""
    process = sandbox.spawn(20)
    yield Submission(process)
    process.end()


def fine(report: Any) -> bool:
    """Whether an import went to its end."""
    return report["error"] is None and not report["left"] and not report["late"]


def test_what_it_defines(submission: Submission) -> None:
    report = submission.load("import os\ng = None\n_h = 1\ndef f(): return __name__, __file__", "f g missing")
    assert fine(report)
    assert report["defined"] == ["f"]
    assert report["public"] == ["f", "g", "os"]
    assert submission.call("f").value == ("attention", "attention.py")


def test_a_guard_keeps_a_program_from_running(submission: Submission) -> None:
    assert fine(submission.load("f = 1\nif __name__ == '__main__':\n    raise ValueError"))


def test_what_was_defined_before_it_raised(submission: Submission) -> None:
    report = submission.load("f = 1\ndef g():\n    raise KeyError('no')\ng()\nh = 2\nprint(h)", "f h")
    assert report["defined"] == ["f", "h"]
    assert report["skipped"] == [[6, 6]]
    assert (report["left"], report["late"]) == (False, False)
    error = calls.error_from_value(report["error"])
    assert error.kinds[0] == "KeyError"
    assert (error.file, error.line, error.function) == ("attention.py", 3, "g")
    assert error.source == "raise KeyError('no')"


def test_syntax_errors_have_a_line(submission: Submission) -> None:
    report = submission.load("f = 1\n\ndef (:\n")
    error = calls.error_from_value(report["error"])
    assert report["defined"] == []
    assert (error.kinds[0], error.file, error.line, error.source) == ("SyntaxError", "attention.py", 3, "def (:\n")


@pytest.mark.parametrize(
    "leave",
    ["os._exit(0)", "sys.exit()", "sys.exit('bye')", "exit()", "quit()", "raise SystemExit(3)", "os._exit(status=1)"],
)
def test_leaving_at_import_is_a_raise_in_place(submission: Submission, leave: str) -> None:
    report = submission.load(f"import os, sys\nf = 1\n{leave}\ng = 2", "f g")
    assert report["defined"] == ["f", "g"]
    assert (report["left"], report["late"]) == (True, False)
    assert (report["error"]["file"], report["error"]["line"]) == ("attention.py", 3)


def test_except_exception_does_not_catch_leaving(submission: Submission) -> None:
    report = submission.load("import os\nf = 1\ntry:\n    os._exit(0)\nexcept Exception:\n    pass\ng = 2", "f g")
    assert (report["defined"], report["left"]) == (["f", "g"], True)


def test_leaving_before_anything_is_defined_is_the_end(submission: Submission) -> None:
    report = submission.load("import sys\nsys.exit(0)\nf = 1")
    assert (report["defined"], report["left"]) == ([], True)


@pytest.mark.parametrize(
    "hang",
    ["while True: pass", "import time; time.sleep(1000)", "while True:\n    try: g()\n    except Exception: pass"],
)
def test_time_to_import(submission: Submission, hang: str) -> None:
    report = submission.load(f"f = 1\ndef g(): raise ValueError\n{hang}\nh = 1", "f h", seconds=0.2)
    assert report["defined"] == ["f", "h"]
    assert (report["left"], report["late"]) == (False, True)
    assert (report["error"]["file"], report["error"]["line"]) == ("attention.py", 3)
    assert submission.value("f") == 1


def test_the_clock_stops_after_the_import(submission: Submission) -> None:
    assert fine(submission.load("import time\ndef f():\n    time.sleep(0.4)\n    return 5", seconds=0.2))
    assert submission.call("f").value == 5


def test_definitions_only(submission: Submission) -> None:
    code = """
'''A docstring.'''
from __future__ import annotations
import math as m
SIZE: int = 3
pool = [1, 2]
def f(): return m.floor(2.5) + SIZE + len(pool)
async def g(): pass
class C(dict): pass
for _ in range(10**12): pass
while True: pass
if True:
    inside = 1
pool.append(3)
pool += [4]
with open('x', 'w'): pass
raise ValueError
"""
    report = submission.load(code, "f g C SIZE pool inside", bare=True)
    assert fine(report)
    assert report["defined"] == ["f", "g", "C", "SIZE", "pool", "inside"]
    assert submission.call("f").value == 7


@pytest.mark.parametrize(
    ("main", "files"),
    [
        ("from helper import f", {"helper.py": "f = 7"}),
        ("from .helper import f", {"helper.py": "f = 7"}),
        ("from . import helper\nf = helper.f", {"helper.py": "f = 7"}),
        ("import helper\nf = helper.f", {"helper.py": "from other import f", "other.py": "f = 7"}),
        ("from .helper import f", {"helper.py": "from .other import f", "other.py": "f = 7"}),
        ("from sub.deep.inner import f", {"sub/deep/inner.py": "f = 7"}),
        ("from .sub.inner import f", {"sub/inner.py": "from ..helper import f", "helper.py": "f = 7"}),
        ("from sub import f", {"sub/__init__.py": "f = 7"}),
        ("from sub import f", {"sub/__init__.py": "from .inner import f", "sub/inner.py": "f = 7"}),
        ("from .sub import f", {"sub/__init__.py": "from ..helper import f", "helper.py": "f = 7"}),
    ],
)
def test_siblings(submission: Submission, main: str, files: dict[str, str]) -> None:
    report = submission.load({"attention.py": main, **files})
    assert report["error"] is None
    assert submission.value("f") == 7


def test_a_circle_of_imports(submission: Submission) -> None:
    files = {"attention.py": "size = 3\nfrom helper import f", "helper.py": "from attention import size\nf = size + 1"}
    assert fine(submission.load(files))
    assert submission.value("f") == 4


def test_a_helper_that_is_missing(submission: Submission) -> None:
    error = submission.load("f = 1\nfrom helper import g")["error"]
    assert (error["kinds"][0], error["text"]) == ("ModuleNotFoundError", "No module named 'helper'")
    assert (error["file"], error["line"]) == ("attention.py", 2)


def test_a_helper_that_raises_has_its_own_line(submission: Submission) -> None:
    error = submission.load({"attention.py": "import helper", "helper.py": "\n\n1 / 0"})["error"]
    assert (error["kinds"][0], error["file"], error["line"]) == ("ZeroDivisionError", "helper.py", 3)


@pytest.mark.parametrize("name", ["random", "json", "ast", "linecache", "tempfile", "colorsys"])
def test_a_sibling_hides_no_library(submission: Submission, name: str) -> None:
    files = {"attention.py": f"import {name}\nf = {name}.__file__ or ''\ng = hasattr({name}, 'mine')"}
    report = submission.load({**files, f"{name}.py": "mine = 1"})
    assert report["error"] is None
    assert submission.value("g") is False
    assert submission.value("f").endswith((f"/{name}.py", f"/{name}/__init__.py"))


def test_a_main_file_with_the_name_of_a_library(submission: Submission) -> None:
    arguments = {"files": {"random.py": b"import random\nf = random.Random(1).random()"}, "main": "random.py"}
    report = submission.ask(
        calls.LOAD, arguments | {"required": ["f"], "seconds": 5.0, "definitions_only": False}
    ).value
    assert report["error"] is None
    assert report["defined"] == ["f"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise BaseException('x')", "BaseException"),
        ("f()", "RecursionError"),
        ("sys.exit(0)", "SystemExit"),
        ("raise Odd('x')", "Odd"),
        ("raise Silent", "Silent"),
    ],
)
def test_whatever_is_raised_in_a_call_is_reported(submission: Submission, body: str, kind: str) -> None:
    odd = "class Odd(Exception):\n    def __str__(self): return '\\ud800' * 9000\n"
    silent = "class Silent(Exception):\n    def __str__(self): raise ValueError\n"
    assert fine(submission.load(f"import sys\n{odd}{silent}def f():\n    {body}"))
    error = submission.call("f").error
    assert error is not None
    assert error.kinds[0] == kind
    assert (error.file, error.function) == ("attention.py", "f")
    error.text.encode("utf-8")
    assert submission.value("f") is not None


def test_an_exception_with_an_absurd_line_can_be_reported(submission: Submission) -> None:
    lie = "raise SyntaxError('x', ('attention.py', 10**30, 1, 'x'))"
    assert fine(submission.load(f"def f():\n    {lie}"))
    error = submission.call("f").error
    assert error is not None
    assert error.kinds[0] == "SyntaxError"
    assert error.line is None or error.line < 2**31


@pytest.mark.parametrize("answer", ["list(range(400_000))", "{10**5000: 1}", "['x' * 60_000] * 60", "{10**50: 1}"])
def test_an_answer_that_is_too_large_is_an_error_not_a_death(submission: Submission, answer: str) -> None:
    assert fine(submission.load(f"def f():\n    return {answer}\ndef g():\n    return 3"))
    reply = submission.call("f")
    assert reply.error is not None or reply.value is not None
    assert submission.call("g").value == 3
