"""What pushing to any LMS has in common: who is there, what they have, what is sent, and what can go wrong.

Runs in the command. Plain data and a protocol; no network. One file per LMS provides a `Pusher` (`grader.registry`
names it). Whatever an LMS answers is text of somebody else's: it is shown cleaned and never trusted as an order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol


class Refused(Exception):
    """The LMS does not take this for one person; `str(error)` says why. Others may go on. Nothing was changed."""


class TokenRefused(Exception):
    """The LMS does not accept the token at all; nothing more can be done."""


class Unreachable(Exception):
    """The LMS does not answer, or not as such an LMS does; `str(error)` says how. Nothing was changed by the call."""


class Unsettled(Exception):
    """Something was sent, and whether it arrived is unknown: it has to be looked up before it is sent again."""


@dataclass(frozen=True)
class Target:
    """An assignment in an LMS. `course` is empty where the LMS does not need it; `url` has no slash at its end."""

    lms: str
    url: str
    course: str
    assignment: str


@dataclass(frozen=True)
class Wishes:
    """What is going to be sent at all, so that what the LMS lacks for it is found before the first person.

    `group_comment`: a comment on the work of a group, whose members the run does not know, is for all of them.
    """

    comments: bool
    reports: bool
    overwrite: bool = False
    group_comment: bool = False


@dataclass(frozen=True)
class AssignmentFacts:
    """What the LMS says of the assignment: its name, its most points, and whether whole teams hand in."""

    name: str
    points: Decimal
    teams: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LmsPerson:
    """Somebody who can be graded in the assignment.

    `id` is what scores are sent to. `numbers` stand in the names of downloaded files, `keys` are logins, addresses and
    official ids in lower case. `group` is the number of their team, empty where there is none.
    """

    id: str
    name: str = ""
    numbers: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    group: str = ""


@dataclass(frozen=True)
class HeldComment:
    """A comment that is there: plain text, the names of files with it, and the text as the LMS has it, if different.

    `id` is another one for another comment.
    """

    id: str
    text: str
    files: tuple[str, ...] = ()
    raw: str = ""


@dataclass(frozen=True)
class Held:
    """What somebody has in the LMS: the score before any deduction of the LMS's own, None where there is none.

    `grader` is who gave it, as the LMS numbers people, and `at` when, both empty if unknown. `told` is False where the
    LMS does not tell which comments there are.
    """

    score: Decimal | None = None
    grader: str = ""
    at: str = ""
    comments: tuple[HeldComment, ...] = ()
    told: bool = True
    held_back: str = ""

    @property
    def files(self) -> frozenset[str]:
        """Names of all files that are there."""
        return frozenset(name for comment in self.comments for name in comment.files)


@dataclass(frozen=True)
class Attachment:
    """A file to send: its name tells its content apart (see `grader.push.parcels`)."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class Parcel:
    """What is to be sent to one person; None is left as it is. `for_group`: the comment is for the whole group."""

    score: str | None
    comment: str | None
    report: Attachment | None
    for_group: bool = False


class Pusher(Protocol):
    """A connection to one assignment. Its methods raise Refused, TokenRefused and Unreachable; `send` Unsettled too.

    `appends`: a comment comes beside those that are there; otherwise it takes their place, and a file that of files.
    """

    appends: bool

    def assignment(self) -> AssignmentFacts:
        """What the assignment is. Raises UsageProblem if no score can be sent to it."""

    def people(self) -> list[LmsPerson]:
        """Everybody who can be graded."""

    def held_by_all(self) -> Mapping[str, Held]:
        """What everybody has, by the ids of `people`, as far as one look tells: comments may be missing (`told`)."""

    def held(self, person: str) -> Held:
        """What one person has now."""

    def closer(self, person: str, held: Held) -> Held:
        """`held`, of `held_by_all`, with the comments that it does not tell."""

    def send(self, person: str, parcel: Parcel, held: Held) -> Decimal | None:
        """Send it; `held` is what the person had just before. The score that the LMS has now, None if it is silent."""

    def name_of(self, user: str) -> str:
        """How the LMS calls a user, for a sentence; their number if it does not say."""
