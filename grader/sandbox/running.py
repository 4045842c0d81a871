"""Running a few lines of code in a sandbox, without a submission or a check: for the contract, the doctor and tests.

Runs in the judge's place. What comes back is the word of the code that ran.
"""

from __future__ import annotations

import secrets
from typing import Any

from grader.sandbox.base import Sandbox, SandboxBroken, StudentProcess
from grader.wire import calls


def run_code(sandbox: Sandbox, code: str, seconds: float = 5.0, cpu_seconds: int = 10) -> Any:
    """Value of `answer` after running `code` in a fresh process, or an exception of the sandbox's."""
    process = sandbox.spawn(cpu_seconds)
    try:
        return answer_of(process, code, seconds)
    finally:
        process.end()


def answer_of(process: StudentProcess, code: str, seconds: float) -> Any:
    """The same in a process that there is already."""
    loading = {
        "files": {"code.py": code.encode("utf-8")},
        "main": "code.py",
        "required": ["answer"],
        "seconds": 1000.0,
        "definitions_only": False,
    }
    failed = _ask(process, calls.LOAD, loading, seconds).value["error"]
    if failed is not None:
        raise SandboxBroken(f"{failed['kinds'][0]}: {failed['text']}")
    return _ask(process, calls.FETCH, {"target": [None, "answer"]}, seconds).value


def _ask(process: StudentProcess, operation: str, arguments: dict[str, Any], seconds: float) -> calls.Reply:
    nonce = secrets.token_hex(4)
    header, payload = process.ask(calls.pack_request(nonce, operation, arguments).frame, seconds)
    reply = calls.parse_reply(header, payload, nonce)
    if reply.error is not None:
        raise SandboxBroken(f"{reply.error.kinds[0]}: {reply.error.text}")
    return reply
