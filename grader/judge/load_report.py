"""What became of importing a submission, as its process tells it.

Runs in the judge. The answer is the student's word: its form is checked here and its lengths are capped, and what it
claims decides only which names a check may ask for, which statements the next process leaves out, and what the student
is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from grader.sandbox.base import StudentLied, StudentTrouble
from grader.sandbox.standins import REPLACED
from grader.wire.calls import ErrorReport, error_from_value
from grader.wire.frames import FrameError

How = Literal["raised", "late", "left", "unread"]
"""How a statement was stopped; `unread`: a file or a cell that is no Python, so that nothing of it was run."""

_MOST_STOPS, _MOST_SKIPPED, _MOST_UNBOUND = 20, 500, 5
_LAST_LINE = 1 << 31
_NAME = re.compile(r"[^\W\d]\w{0,79}")


@dataclass(frozen=True)
class Stop:
    """A statement of the main file, from line `first` to `last`, that did not come to its end, and why."""

    how: How
    error: ErrorReport
    first: int
    last: int


@dataclass(frozen=True)
class LoadReport:
    """What became of importing the submission. `public` are names that it defines; `required` those asked for.

    `error` is what stopped first; `left`: it called exit; `late`: it ran too long. `stops` are all that stopped, and
    `skipped` the lines of statements that were left out for it. `standins` are packages that were replaced, `unbound`
    names that a notebook uses and nowhere defines, with a line. `definitions_only`: nothing else was run, since the
    whole file came to `trouble`.
    """

    required: tuple[str, ...]
    public: tuple[str, ...]
    error: ErrorReport | None
    left: bool
    late: bool
    definitions_only: bool
    trouble: StudentTrouble | None = None
    stops: tuple[Stop, ...] = ()
    skipped: tuple[tuple[int, int], ...] = ()
    standins: tuple[str, ...] = ()
    unbound: tuple[tuple[str, int], ...] = field(default=())

    @property
    def left_out(self) -> tuple[int, ...]:
        """First lines of the statements that another process need not try: they take too long, or were skipped."""
        late = [stop.first for stop in self.stops if stop.how == "late"]
        return tuple(sorted({*late, *(first for first, _ in self.skipped)}))


def read_load_report(value: Any, wanted: tuple[str, ...], definitions_only: bool) -> LoadReport:
    """The report in an answer to `calls.LOAD`. Raises StudentLied if it has another form."""
    if not isinstance(value, dict) or not {"defined", "public", "error", "left", "late"} <= value.keys():
        raise StudentLied("its answer to the import has no known form")
    defined, public, error = value["defined"], value["public"], value["error"]
    if not _strings(defined) or not _strings(public):
        raise StudentLied("its answer to the import has no known form")
    standins = value.get("standins", [])
    try:
        return LoadReport(
            required=tuple(name for name in wanted if name in defined),
            public=tuple(public),
            error=error_from_value(error) if error is not None else None,
            left=value["left"] is True,
            late=value["late"] is True,
            definitions_only=definitions_only,
            stops=tuple(map(_stop, _listed(value, "stops", _MOST_STOPS))),
            skipped=tuple(map(_lines, _listed(value, "skipped", _MOST_SKIPPED))),
            standins=tuple(name for name in REPLACED if isinstance(standins, list) and name in standins),
            unbound=tuple(map(_unbound, _listed(value, "unbound", _MOST_UNBOUND))),
        )
    except FrameError as problem:
        raise StudentLied(str(problem)) from None


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _listed(value: dict[str, Any], key: str, most: int) -> list[list[Any]]:
    found = value.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, list) for item in found):
        raise FrameError(f"its answer to the import holds malformed {key}")
    return found[:most]


def _stop(item: list[Any]) -> Stop:
    if len(item) != 4 or item[0] not in get_args(How):
        raise FrameError("its answer to the import holds a malformed stop")
    return Stop(item[0], error_from_value(item[1]), *_lines(item[2:]))


def _lines(item: list[Any]) -> tuple[int, int]:
    if len(item) != 2 or not all(type(line) is int and 0 < line < _LAST_LINE for line in item):
        raise FrameError("its answer to the import holds malformed lines")
    return item[0], item[1]


def _unbound(item: list[Any]) -> tuple[str, int]:
    if len(item) != 2 or type(item[0]) is not str or not _NAME.fullmatch(item[0]):
        raise FrameError("its answer to the import holds a malformed name")
    return item[0], _lines([item[1], item[1]])[0]
