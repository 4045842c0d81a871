"""An assignment as its `assignment.toml` describes it.

Plain data: `grader.content` reads and checks the file. Paths are where the parts lie on this machine; `hidden_dir` and
`reference_file` are None where only the public part of the course is installed.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import msgspec

Seconds = Annotated[float, msgspec.Meta(ge=0.1)]
Amount = Annotated[int, msgspec.Meta(ge=1)]
Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
Minutes = Annotated[int, msgspec.Meta(ge=0, le=10_080)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a student process may use.

    Seconds are wall-clock except `cpu_seconds`, which sums the processor time of all processes of one submission;
    `total_seconds` bounds the time that the judge waits for one submission. Memory counts address space above the
    warm interpreter.
    """

    import_seconds: Seconds = 20.0
    check_seconds: Seconds = 10.0
    cpu_seconds: Amount = 120
    total_seconds: Seconds = 300.0
    memory_mb: Amount = 1536
    scratch_mb: Amount = 64
    scratch_files: Amount = 2000
    output_kb: Amount = 64


class SandboxNeeds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What student code needs of its process.

    `preload`: modules to import in the warm interpreter, so that no submission pays for them. `profile`: `single` for
    one process, or `multi` for one that may start others (the workers of a DataLoader; never other programs).
    """

    preload: list[str] = []
    profile: Literal["single", "multi"] = "single"

    def with_modules(self, *names: str) -> SandboxNeeds:
        """The same, with these modules imported first."""
        return SandboxNeeds([*names, *self.preload], self.profile)


class IsolationNeeds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least confinement that `grade` accepts: a mode name, or `confined` for any mode but plain."""

    minimum: str = "confined"


class Attempts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which of a student's attempts is graded: by default the last one that the LMS has."""

    count: Literal["newest", "first", "newest_on_time"] = "newest"


class Deadline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When work is due, and what it costs to be late; see `grader.model.late` for how it is counted.

    Times are wall-clock times in `zone`, an IANA name, unless they name an offset of their own. `per_day` and `cap` are
    percent of the assignment's points. Work after `last_day` gets none; without it there is no such day. `extensions`
    are people's own due dates, by their ids.
    """

    due: datetime
    zone: str
    grace_minutes: Minutes = 0
    per_day: Percent = 0.0
    cap: Percent = 100.0
    last_day: datetime | None = None
    extensions: dict[str, datetime] = {}


class AssignmentFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `assignment.toml`. `lang` is the language of its texts, and of its reports: `en`, `de`."""

    title: str
    version: str
    files: list[str]
    names: list[str]
    public_points: float
    hidden_topics: list[str] = []
    seed: int = 0
    lang: str = "en"
    limits: Limits = Limits()
    sandbox: SandboxNeeds = SandboxNeeds()
    isolation: IsolationNeeds = IsolationNeeds()
    attempts: Attempts = Attempts()
    deadline: Deadline | None = None


class Assignment(msgspec.Struct, frozen=True):
    """One assignment, found on disk.

    `fingerprint` is the SHA-256 over every file that can change a mark: the description, the checks and the reference.
    """

    id: str
    about: AssignmentFile
    folder: Path
    handout_dir: Path
    hidden_dir: Path | None
    reference_file: Path | None
    variants_dir: Path | None
    fingerprint: str

    def in_language(self, lang: str | None) -> Assignment:
        """The same with its reports in another language, if one is given."""
        about = self.about if lang is None else msgspec.structs.replace(self.about, lang=lang)
        return msgspec.structs.replace(self, about=about)

    def with_memory(self, megabytes: int | None) -> Assignment:
        """The same with at most so many megabytes for student code, where a number is given."""
        limits = self.about.limits
        if megabytes is None or megabytes >= limits.memory_mb:
            return self
        limits = msgspec.structs.replace(limits, memory_mb=megabytes)
        return msgspec.structs.replace(self, about=msgspec.structs.replace(self.about, limits=limits))

    @property
    def main_file(self) -> str:
        """The file that students hand in; further names in `files` are optional companions."""
        return self.about.files[0]
