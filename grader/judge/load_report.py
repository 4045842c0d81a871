"""What became of importing a submission, as its process tells it.

Runs in the judge. The answer is the student's word: its form is checked here, and what it claims decides only which
names a check may ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.sandbox.base import StudentLied, StudentTrouble
from grader.wire.calls import ErrorReport, error_from_value
from grader.wire.frames import FrameError


@dataclass(frozen=True)
class LoadReport:
    """What became of importing the submission. `public` are names that it defines; `required` those asked for.

    `error` stopped it; `left`: it called exit; `late`: it ran too long. `definitions_only`: nothing else was run, since
    the whole file came to `trouble`.
    """

    required: tuple[str, ...]
    public: tuple[str, ...]
    error: ErrorReport | None
    left: bool
    late: bool
    definitions_only: bool
    trouble: StudentTrouble | None = None


def read_load_report(value: Any, wanted: tuple[str, ...], definitions_only: bool) -> LoadReport:
    """The report in an answer to `calls.LOAD`. Raises StudentLied if it has another form."""
    if not isinstance(value, dict) or not {"defined", "public", "error", "left", "late"} <= value.keys():
        raise StudentLied("its answer to the import has no known form")
    defined, public, error = value["defined"], value["public"], value["error"]
    if not _strings(defined) or not _strings(public):
        raise StudentLied("its answer to the import has no known form")
    try:
        report = error_from_value(error) if error is not None else None
    except FrameError as problem:
        raise StudentLied(str(problem)) from None
    required = tuple(name for name in wanted if name in defined)
    return LoadReport(required, tuple(public), report, value["left"] is True, value["late"] is True, definitions_only)


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
