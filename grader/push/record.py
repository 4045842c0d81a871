"""`DIR/pushed-….json`: what was sent to one assignment in an LMS, so that nothing is sent twice.

Runs in the command, which holds the lock of the run's folder. One file for each target, written whole after each step:
before something is sent, as `pending`, and when it has arrived, as `sent`. Whoever finds `pending` does not know
whether it arrived, and looks in the LMS. It holds digests, scores and numbers of people; no token, no comment.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from grader.errors import UsageProblem
from grader.push.base import Target
from grader.store import write_atomically

VERSION = 1


class Sent(msgspec.Struct, frozen=True):
    """What somebody has from us: the score in the LMS's points, the comment's digest, the report's name; and when.

    Empty is what was never sent.
    """

    score: str = ""
    comment: str = ""
    report: str = ""
    at: str = ""


class Pending(msgspec.Struct, frozen=True):
    """What is on its way, empty what is not. `seen` are the ids of comments that were there before."""

    score: str = ""
    comment: str = ""
    report: str = ""
    seen: Sequence[str] = ()
    at: str = ""


class Entry(msgspec.Struct, frozen=True):
    """One person: the submission whose result it was, what arrived, and what may have."""

    submission: str
    sent: Sent = Sent()
    pending: Pending | None = None


class _File(msgspec.Struct):
    version: int
    lms: str
    url: str
    course: str
    assignment: str
    people: dict[str, Entry]


class Record:
    """The entries of one target, by the LMS's id of a person."""

    def __init__(self, folder: Path, target: Target) -> None:
        """Reads it.

        Raises:
            UsageProblem: the file is there and cannot be read, or is of another target.
        """
        self._target = target
        self.path = folder / _name(target)
        self._people = self._read()

    def get(self, person: str) -> Entry | None:
        """What is known of somebody."""
        return self._people.get(person)

    def put(self, person: str, entry: Entry) -> None:
        """Keep it, on the disk. Raises OSError; then the file is what it was before."""
        kept = {**self._people, person: entry}
        about = self._target
        whole = _File(VERSION, about.lms, about.url, about.course, about.assignment, kept)
        write_atomically(self.path, msgspec.json.format(msgspec.json.encode(whole)) + b"\n")
        self._people = kept

    def _read(self) -> dict[str, Entry]:
        about = self._target
        try:
            found = msgspec.json.decode(self.path.read_bytes(), type=_File)
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError):
            raise UsageProblem(
                f"{self.path}, the record of what was sent, cannot be read; put it back from a copy, or take it away: "
                "then all is compared with what the LMS has."
            ) from None
        if found.version != VERSION:
            raise UsageProblem(f"{self.path} was written by a newer grader; use that one.")
        if (found.lms, found.url, found.course, found.assignment) != (
            about.lms,
            about.url,
            about.course,
            about.assignment,
        ):
            raise UsageProblem(f"{self.path} is the record of another target; take it away.")
        return found.people


def _name(target: Target) -> str:
    whole = "\n".join((target.lms, target.url, target.course, target.assignment))
    number = re.sub(r"[^A-Za-z0-9]", "_", target.assignment)[:20]
    return f"pushed-{target.lms}-{number}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}.json"
