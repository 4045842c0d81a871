"""A handler for xqueue-watcher: grades a submission with the grader that lies in this folder.

Runs inside xqueue-watcher, with the standard library alone. xqueue-watcher calls a handler with what `get_submission`
gave and sends back what it returns; it sends nothing for None. Student code never runs in this process: grade.sh starts
the grader, which confines it.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import subprocess
import tempfile
import urllib.request
from typing import Any

LOG = logging.getLogger(__name__)
ASSIGNMENT = "@ASSIGNMENT@"
SECONDS = int("@SECONDS@")
MOST_BYTES = 16 << 20


class Grader:
    """What HANDLER names in conf.d.

    `grader_root` is the folder of the package. `ungraded` says what to send when nothing could be graded: "retry" is a
    result without a score, which edx-submissions counts as a failed try and never as a mark; "silent" is nothing, for
    the older xqueue server.
    """

    def __init__(self, grader_root: str, ungraded: str = "retry") -> None:
        if ungraded not in ("retry", "silent"):
            raise ValueError("ungraded is retry or silent")
        self.root = str(grader_root)
        self.ungraded = ungraded

    def __call__(self, content: dict[str, Any]) -> dict[str, Any] | None:
        """The reply to one submission, None to send nothing. Never raises for anything that is in it."""
        reply = None
        try:
            reply = self.grade(content)
        except Exception:
            LOG.exception("not graded")
        if reply is None and self.ungraded == "retry":
            words = "Your work could not be graded yet, which is not your doing. It is tried again."
            return {"correct": None, "score": None, "msg": "<div><p>" + words + "</p></div>"}
        return reply

    def grade(self, content: dict[str, Any]) -> dict[str, Any] | None:
        """The reply, None if there is no mark."""
        payload = json.loads(json.loads(content["xqueue_body"])["grader_payload"])
        if str(payload["grader"]).strip("/") != ASSIGNMENT:
            LOG.error("a problem asks for the grader %r, and this one grades %s", payload["grader"], ASSIGNMENT)
            return None
        content = {**content, "grader_files": self.files(content)}
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "submission.json"), "w", encoding="ascii") as out:
                json.dump(content, out)
            command = [os.path.join(self.root, "grade.sh")]
            ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS + 30, check=False)
            path = os.path.join(folder, "reply.json")
            if ran.returncode or not os.path.exists(path):
                LOG.error("not graded: %s", ran.stderr.decode("utf-8", "replace")[-4000:])
                return None
            with open(path, encoding="ascii") as file:
                reply: dict[str, Any] = json.load(file)
            return reply

    @staticmethod
    def files(content: dict[str, Any]) -> dict[str, str]:
        """What was uploaded, in base64 by its name; the queue gives the addresses."""
        addresses = content.get("xqueue_files") or {}
        if isinstance(addresses, str):
            addresses = json.loads(addresses) or {}
        found = {}
        for name, address in addresses.items():
            if not str(address).startswith(("http://", "https://")):
                raise ValueError("the address of a file is not whole")
            with urllib.request.urlopen(address, timeout=30) as answer:
                file = answer.read(MOST_BYTES + 1)
            if len(file) > MOST_BYTES:
                raise ValueError("a file is too large")
            found[name.replace("\\", "/").rpartition("/")[2] or "file"] = base64.b64encode(file).decode("ascii")
        return found
