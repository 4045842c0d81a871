"""What a platform and the grader say to each other, whatever the platform: the values that go in and come out.

Pure data. A platform is one file beside this one: it tells where things lie in its container, reads what the platform
says of a submission, and writes what the platform takes back. It opens no file; the command does. What students may
read comes from a `StudentView` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from importlib import resources
from typing import Literal, Protocol, runtime_checkable

from grader.errors import UsageProblem
from grader.model.submission import Person
from grader.model.view import CheckView, StudentView

HiddenChecks = Literal["platform", "report"]
"""How a platform that can hide tests shows hidden checks: as it hides tests, or to all, as a student's report does."""
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Places:
    """Where a platform puts things: absolute paths are those of its container, others start at its working folder.

    `submission` is a folder or a file; `metadata` is what the platform says of it, None where it says nothing in files.
    """

    submission: str
    metadata: str | None = None


@dataclass(frozen=True)
class Earlier:
    """An earlier submission of the same people: when, in ISO 8601, its score in the platform's points, if it had one.

    `failed`: the autograder, not the student, is why it has none.
    """

    submitted_at: str
    score: Decimal | None = None
    failed: bool = False


@dataclass(frozen=True)
class Told:
    """What a platform says of a submission. Times are in ISO 8601, with their zone where it names one.

    `late` is the platform's verdict. `points` are the assignment's on the platform, where it tells. `files` are what
    was handed in, where the platform gives it inside its metadata alone, and `""` names the assignment's main file;
    `spare_files` are the same for a platform that has a folder as well, should that be missing; `stored` tells the
    paths of the files by their names, where the platform keeps them under others. `about` is what else its own module
    wants to know when it writes. `notices` are for who looks after the autograder.
    """

    people: tuple[Person, ...] = ()
    submitted_at: str | None = None
    late: bool | None = None
    points: Decimal | None = None
    earlier: tuple[Earlier, ...] = ()
    files: Mapping[str, bytes] | None = None
    spare_files: Mapping[str, bytes] | None = None
    stored: Mapping[str, str] | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Graded:
    """A submission that has marks: what its student may see, and `report`, the same as an HTML page."""

    view: StudentView
    told: Told
    report: str
    hidden: HiddenChecks = "platform"

    @property
    def checks(self) -> Iterator[CheckView]:
        """All checks, in the order of the report."""
        return (check for group in self.view.groups for check in group.checks)

    @property
    def score(self) -> Decimal:
        """The score in the assignment's own points, after what being late costs."""
        assert self.view.score is not None, "what has no score is declined, not delivered"
        return Decimal(str(self.view.score))

    @property
    def fraction(self) -> Decimal:
        """The score as a part of the most that there is, from 0 to 1."""
        return self.score / Decimal(str(self.view.max_score))

    def points(self, amount: float) -> Decimal:
        """An amount of the assignment's points in the platform's, to 2 decimals."""
        exact = Decimal(str(amount))
        if self.told.points is not None:
            exact = exact * self.told.points / Decimal(str(self.view.max_score))
        return exact.quantize(_CENT, ROUND_HALF_UP)


@dataclass(frozen=True)
class Write:
    """A file for the platform. `append`: to what is there already."""

    content: bytes
    append: bool = False


@dataclass(frozen=True)
class Delivery:
    """What the platform takes back: files by their paths (as in `Places`), what is printed, the exit status."""

    files: Mapping[str, Write] = field(default_factory=dict)
    stdout: str = ""
    exit_status: int = 0


@dataclass(frozen=True)
class Member:
    """A file of a package."""

    content: bytes
    executable: bool = False


@dataclass(frozen=True)
class Kit:
    """What every package is made of.

    `common` are its files whatever the platform: `install.sh [ENVIRONMENT]` installs the grader from `requirements.txt`
    and `grader/`; `course/` and `known.msgpack` are for the options `--course` and `--known` of `grade-one`, and hold
    hidden tests. `options` are its other options. `seconds` and `memory_mb` are what the platform shall give it,
    `names` the file names that the assignment asks for.
    """

    assignment: str
    title: str
    names: tuple[str, ...]
    seconds: int
    memory_mb: int
    options: tuple[str, ...]
    common: Mapping[str, Member]
    max_score: float = 100.0


@dataclass(frozen=True)
class Package:
    """A package for a platform: its files, which are written as a zip. `advice` is what to do with it, in lines."""

    members: Mapping[str, Member]
    advice: tuple[str, ...] = ()


class Platform(Protocol):
    """One platform."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def seconds(self) -> int:
        """Its time-out for one submission, in seconds, unless an instructor changes it."""

    @property
    def memory_mb(self) -> int:
        """The memory of the container to choose, in MB."""

    def places(self, environment: Mapping[str, str]) -> Places:
        """Where it puts what it says and takes."""

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """What it says of a submission. Raises UsageProblem if that is not what its documentation promises."""

    def deliver(self, graded: Graded) -> Delivery:
        """A submission with marks."""

    def decline(self, sentence: str, told: Told) -> Delivery:
        """A submission that could not be graded, for no fault of its student's: never a mark."""

    def package(self, kit: Kit) -> Package:
        """What an instructor gives the platform."""


@runtime_checkable
class Repeating(Protocol):
    """A platform that tells of earlier submissions, and on which each has a score of its own."""

    def repeat(self, sentence: str, score: Decimal, *, hides: bool) -> Delivery:
        """A submission that is one too many: the score of an earlier one, in the platform's points, and why.

        `hides`: the platform hides checks of this assignment, and with them its total.
        """


def require_repeating(platform: Platform) -> Repeating:
    """The platform as one that tells of earlier submissions. Raises UsageProblem if it does not."""
    if not isinstance(platform, Repeating):
        raise UsageProblem(f"{platform.title} tells of no earlier submissions; --attempts cannot be kept there.")
    return platform


def script(platform: str, name: str, values: Mapping[str, str] | None = None) -> bytes:
    """A file of `scripts/PLATFORM/`, each `@NAME@` in it replaced by a value."""
    text = resources.files("grader.exporters").joinpath("scripts", platform, name).read_text("utf-8")
    for key, value in (values or {}).items():
        text = text.replace(f"@{key}@", value)
    return text.encode("utf-8")
