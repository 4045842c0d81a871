"""A run on disk: results, reports and the class files in one folder, atomic and resumable.

Runs in the command, the only writer. A file appears whole or not at all: it is written beside its place, flushed to the
disk and renamed. A result that was written is never lost: it is replaced only by a newer result of the same
submission. Files that are not ours stay as they are.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import re
import shutil
import weakref
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from grader.errors import UsageProblem
from grader.model.anonymous import FOLDER
from grader.model.jsonform import result_from_json, result_to_json
from grader.model.result import CheckResult, GradeResult, Printed
from grader.model.roster import Roster
from grader.model.tensors import naming, put_back, taken_out

_FEEDBACK = 200
"""Characters of a check's feedback that a summary keeps."""
_TEMPORARY = re.compile(r"\.[A-Za-z0-9._-]+\.grader-tmp")
_ANONYMOUS = re.compile(r"student-\d+\.html")
_SIDE_FILE = re.compile(r"(.+)\.tensors-[0-9a-f]{12}\.msgpack")


class _Owner(msgspec.Struct):
    id: str
    student: str


class _Owned(msgspec.Struct):
    submission: _Owner


class Run:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._results = folder / "results"
        self._reports = folder / "reports"
        self._anonymous = folder / FOLDER
        self._roster = folder / "roster.json"
        self._locked: int | None = None
        self._sides: dict[str, set[str]] = {}

    def refuse_file(self) -> None:
        """Raises UsageProblem if OUT is a file. Writes nothing."""
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageProblem(f"OUT {self.folder} is a file; name a folder.")

    def prepare(self) -> None:
        """Make the folders and clear half-written files of ours.

        Raises:
            UsageProblem: OUT is a file, or cannot be written to.
        """
        self.refuse_file()
        self._lock()
        try:
            for folder in (self.folder, self._results, self._reports):
                folder.mkdir(parents=True, exist_ok=True)
                for path in folder.iterdir():
                    if _TEMPORARY.fullmatch(path.name):
                        path.unlink()
            self._sides = self._side_files()
            probe = self.folder / ".probe.grader-tmp"
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise UsageProblem(f"OUT {self.folder} cannot be written to: {error.strerror}.") from None

    def _side_files(self) -> dict[str, set[str]]:
        """Names of side files by the id of their result, from one look at the folder."""
        found: dict[str, set[str]] = {}
        for path in self._results.iterdir():
            if side := _SIDE_FILE.fullmatch(path.name):
                found.setdefault(side[1], set()).add(path.name)
        return found

    def _lock(self) -> None:
        """Keep other runs out of this folder as long as this process lives, where the system has such locks."""
        if self._locked is not None or not hasattr(os, "O_DIRECTORY"):
            return
        import fcntl

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._locked = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            weakref.finalize(self, os.close, self._locked)
            fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageProblem(f"OUT {self.folder} is being written to by another grader; wait for it.") from None
        except OSError as error:
            raise UsageProblem(f"OUT {self.folder} cannot be written to: {error.strerror}.") from None

    def report_name(self, name: str) -> str:
        """The report of a submission, relative to the run's folder."""
        return f"reports/{name}.html"

    def has_report(self, name: str) -> bool:
        """Whether the report of a submission is there."""
        return (self.folder / self.report_name(name)).is_file()

    def known_ids(self) -> dict[str, str]:
        """Ids by student, as results that are there have them: who comes or goes must not move anybody's result."""
        known: dict[str, str] = {}
        # Of several with one name (a folder and a file) the first came first, and has the shortest id.
        for path in sorted(self._results.glob("*.json"), key=lambda path: (len(path.name), path.name)):
            with contextlib.suppress(OSError, msgspec.DecodeError):
                owner = msgspec.json.decode(path.read_bytes(), type=_Owned).submission
                if owner.id == path.stem:
                    known.setdefault(owner.student, owner.id)
        return known

    def load(self, name: str) -> GradeResult | None:
        """The result with this id, without its large tensors, or None if there is none that can be read."""
        try:
            return result_from_json((self._results / f"{name}.json").read_bytes())
        except (OSError, msgspec.DecodeError):
            return None

    def load_whole(self, name: str) -> GradeResult | None:
        """The result with this id, with its large tensors as far as they are there, or None if it cannot be read."""
        found = self.load(name)
        if found is None or found.submission.id != name:
            return None
        read = functools.cache(functools.partial(self._side, name))  # one file a result
        return msgspec.structs.replace(found, checks=put_back(found.checks, read))

    def _side(self, name: str, file: str) -> dict[str, Any]:
        """The tensors in a side file of a result; none if it is not there or not the result's."""
        owner = _SIDE_FILE.fullmatch(file)
        with contextlib.suppress(OSError, msgspec.DecodeError):
            if owner is not None and owner[1] == name:
                return msgspec.msgpack.decode((self._results / file).read_bytes(), type=dict[str, Any])
        return {}

    def ids(self) -> list[str]:
        """The ids of all results, sorted, those that cannot be read among them."""
        return sorted(path.stem for path in self._results.glob("*.json"))

    def keep_results(self, now: datetime) -> Path:
        """Copy the results as they are into a new folder `results.before-<time>`, which no run reads; returns it.

        Raises:
            OSError: it could not be written; then there is no such folder.
        """
        base = f"results.before-{now:%Y-%m-%d-%H%M%S}"
        names = (base if number == 1 else f"{base}-{number}" for number in itertools.count(1))
        kept = next(self.folder / name for name in names if not (self.folder / name).exists())
        temporary = self.folder / f".{kept.name}.unfinished"
        try:
            shutil.copytree(self._results, temporary)
            temporary.rename(kept)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        return kept

    def results(self) -> Iterator[GradeResult]:
        """Every result that can be read, in the order of the ids, without its large tensors."""
        for name in self.ids():
            found = self.load(name)
            if found is not None and found.submission.id == name:
                yield found

    def summaries(self) -> Iterator[GradeResult]:
        """Every result, without what its own report alone needs.

        Equal checks are one object, so that a class of ten thousand fits in memory.
        """
        known: dict[bytes, CheckResult] = {}
        for found in self.results():
            checks = [_summary(check, known) for check in found.checks]
            nothing = Printed()
            yield msgspec.structs.replace(found, checks=checks, stdout="", stderr="", printed_for_student=nothing)

    def refuse_other_assignment(self, assignment: str) -> None:
        """Raises UsageProblem if OUT holds results of another assignment, which a run would mix with its own."""
        for path in self._results.glob("*.json"):
            found = self.load(path.stem)
            if found is not None and found.assignment.id != assignment:
                raise UsageProblem(f"OUT {self.folder} holds results of {found.assignment.id}; name another folder.")
            if found is not None:
                return

    def save(self, result: GradeResult) -> None:
        """Write a result, and its large tensors into a side file that it names.

        The side file is named by its content and written first: at no moment does a result name what is not there.
        """
        name = result.submission.id
        checks, tensors = taken_out(result.checks)
        side: Path | None = None
        if tensors:
            content = msgspec.msgpack.encode(tensors)
            side = self._results / f"{name}.tensors-{hashlib.sha256(content).hexdigest()[:12]}.msgpack"
            write_atomically(side, content)
            checks = naming(checks, side.name)
        write_atomically(self._results / f"{name}.json", result_to_json(msgspec.structs.replace(result, checks=checks)))
        kept = set() if side is None else {side.name}
        for old in self._sides.pop(name, set()) - kept:
            (self._results / old).unlink(missing_ok=True)
        if kept:
            self._sides[name] = kept

    def save_report(self, name: str, html: str) -> None:
        """Write a student's report."""
        write_atomically(self.folder / self.report_name(name), html.encode("utf-8", "replace"))

    def drop_report(self, name: str) -> None:
        """Remove a student's report, until it is written again."""
        (self.folder / self.report_name(name)).unlink(missing_ok=True)

    def save_anonymous(self, page: str, html: str) -> None:
        """Write a report under a pseudonym."""
        self._anonymous.mkdir(exist_ok=True)
        write_atomically(self._anonymous / f"{page}.html", html.encode("utf-8", "replace"))

    def is_anonymous(self) -> bool:
        """Whether there are reports under pseudonyms."""
        return self._anonymous.is_dir() and any(_ANONYMOUS.fullmatch(path.name) for path in self._anonymous.iterdir())

    def drop_anonymous(self, kept: Collection[str]) -> None:
        """Remove the reports under pseudonyms but for those kept, and their folder if nothing is left in it."""
        if not self._anonymous.is_dir():
            return
        for path in self._anonymous.iterdir():
            theirs = _ANONYMOUS.fullmatch(path.name) and path.stem not in kept
            if theirs or _TEMPORARY.fullmatch(path.name):
                path.unlink()
        with contextlib.suppress(OSError):
            self._anonymous.rmdir()

    def has_similar(self) -> bool:
        """Whether there is a page about similar work."""
        return (self.folder / "similar" / "index.html").is_file()

    def save_roster(self, roster: Roster | None) -> None:
        """Keep the people of the course with the run, for the next one and for `grader report`; None forgets them."""
        if roster is None:
            self._roster.unlink(missing_ok=True)
        else:
            write_atomically(self._roster, msgspec.json.format(msgspec.json.encode(roster)))

    def load_roster(self) -> Roster | None:
        """The people that were kept, or None if there are none that can be read."""
        try:
            return msgspec.json.decode(self._roster.read_bytes(), type=Roster)
        except (OSError, msgspec.DecodeError):
            return None

    def save_class(self, html: str, csv: Iterable[str]) -> None:
        """Write the class page and the table of grades, the latter line by line."""
        write_atomically(self.folder / "index.html", html.encode("utf-8", "replace"))
        write_atomically(self.folder / "grades.csv", (line.encode("utf-8", "replace") for line in csv))


def _summary(check: CheckResult, known: dict[bytes, CheckResult]) -> CheckResult:
    """A check's verdict and the beginning of its feedback; the same object as that of an equal one before."""
    line = check.feedback.strip().partition("\n")[0][:_FEEDBACK]
    slim = msgspec.structs.replace(
        check, observations=[], seconds=0.0, feedback=line, hint="", error=None, staff_detail=""
    )
    return known.setdefault(msgspec.msgpack.encode(slim), slim)


def write_atomically(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file, given at once or in parts, whole or not at all.

    Raises OSError; the file then is what it was before.
    """
    temporary = path.with_name(f".{path.name}.grader-tmp")
    try:
        with open(temporary, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
