"""A run on disk: results, reports and the class files in one folder, atomic and resumable.

Runs in the command, the only writer. A file appears whole or not at all: it is written beside its place, flushed to the
disk and renamed. A result that was written is never lost: it is replaced only by a newer result of the same
submission. Files that are not ours stay as they are.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from grader.errors import UsageProblem
from grader.model.jsonform import result_from_json, result_to_json
from grader.model.observation import is_tensor_json
from grader.model.result import CheckResult, GradeResult

_LARGE = 1024
"""Elements above which a tensor of an observation goes into the side file."""
_TEMPORARY = re.compile(r"\.[A-Za-z0-9._-]+\.grader-tmp")


class Run:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._results = folder / "results"
        self._reports = folder / "reports"

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
        try:
            for folder in (self.folder, self._results, self._reports):
                folder.mkdir(parents=True, exist_ok=True)
                for path in folder.iterdir():
                    if _TEMPORARY.fullmatch(path.name):
                        path.unlink()
            probe = self.folder / ".probe.grader-tmp"
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise UsageProblem(f"OUT {self.folder} cannot be written to: {error.strerror}.") from None

    def report_name(self, name: str) -> str:
        """The report of a submission, relative to the run's folder."""
        return f"reports/{name}.html"

    def load(self, name: str) -> GradeResult | None:
        """The result with this id, without its large tensors, or None if there is none that can be read."""
        try:
            return result_from_json((self._results / f"{name}.json").read_bytes())
        except (OSError, msgspec.DecodeError):
            return None

    def results(self) -> Iterator[GradeResult]:
        """Every result that can be read, in the order of the ids."""
        for path in sorted(self._results.glob("*.json"), key=lambda path: path.stem):
            found = self.load(path.stem)
            if found is not None and found.submission.id == path.stem:
                yield found

    def save(self, result: GradeResult) -> None:
        """Write a result, and its large tensors into a side file named in their place."""
        name = result.submission.id
        tensors: dict[str, Any] = {}
        slim = msgspec.structs.replace(
            result, checks=[_slim(check, f"{name}.tensors.msgpack", tensors) for check in result.checks]
        )
        side = self._results / f"{name}.tensors"
        if tensors:
            write_atomically(side.with_name(f"{name}.tensors.msgpack"), msgspec.msgpack.encode(tensors))
        else:
            with contextlib.suppress(FileNotFoundError):
                side.with_name(f"{name}.tensors.msgpack").unlink()
        write_atomically(self._results / f"{name}.json", result_to_json(slim))

    def save_report(self, name: str, html: str) -> None:
        """Write a student's report."""
        write_atomically(self.folder / self.report_name(name), html.encode("utf-8", "replace"))

    def save_class(self, html: str, csv: str) -> None:
        """Write the class page and the table of grades."""
        write_atomically(self.folder / "index.html", html.encode("utf-8", "replace"))
        write_atomically(self.folder / "grades.csv", csv.encode("utf-8", "replace"))


def _slim(check: CheckResult, side_file: str, tensors: dict[str, Any]) -> CheckResult:
    def moved(value: Any, key: str) -> Any:
        if is_tensor_json(value) and value["data"] is not None and len(value["data"]) > _LARGE:
            tensors[key] = value["data"]
            return {"dtype": value["dtype"], "shape": value["shape"], "data": None, "file": side_file, "key": key}
        return value

    observations = [
        msgspec.structs.replace(
            seen,
            expected=moved(seen.expected, f"{check.id}/{index}/expected"),
            actual=moved(seen.actual, f"{check.id}/{index}/actual"),
        )
        for index, seen in enumerate(check.observations)
    ]
    return msgspec.structs.replace(check, observations=observations)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all. Raises OSError; the file then is what it was before."""
    temporary = path.with_name(f".{path.name}.grader-tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
