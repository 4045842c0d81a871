"""One submission's conversation with its student processes: start, load, ask, replace after trouble, account for time.

Runs in the judge. A crash, a time-out, a struck limit or a lie costs the check that it served: the process is ended,
and the next check gets a fresh one with the submission imported again, within the budgets of the whole submission.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from grader.judge.student import MissingName, StudentRaised
from grader.model.assignment import Limits
from grader.sandbox import switches
from grader.sandbox.base import Sandbox, StudentGone, StudentLied, StudentProcess, StudentTimeout, StudentTrouble
from grader.sandbox.facts import struck_cpu_limit
from grader.wire import calls
from grader.wire.calls import ErrorReport, Reply, pack_request, parse_reply
from grader.wire.frames import FrameError
from grader.wire.values import Generator

_GRACE_SECONDS = 2.0
"""Beyond the import limit, for a file that catches the interrupt of the clock inside its process."""


class BudgetSpent(StudentTrouble):
    """The time that the whole submission may take is used up."""


@dataclass(frozen=True)
class LoadReport:
    """What became of importing the submission. `public` are names that it defines; `required` those asked for."""

    required: tuple[str, ...]
    public: tuple[str, ...]
    error: ErrorReport | None
    left: bool
    late: bool
    definitions_only: bool


class Conversation:
    """The judge's side of one submission. Not reusable; `end` must be called."""

    def __init__(
        self, sandbox: Sandbox, sources: dict[str, str], main: str, required: tuple[str, ...], limits: Limits, seed: int
    ) -> None:
        self._sandbox = sandbox
        self._sources = sources
        self._main = main
        self._required = required
        self._limits = limits
        self._seed = seed
        self._process: StudentProcess | None = None
        self._definitions_only = False
        self._cpu_used = 0.0
        self._cpu_granted = 0
        self._waited = 0.0
        self._check_waited = 0.0
        self._outputs: list[tuple[bytes, bytes]] = []
        self.report: LoadReport | None = None
        self.layers: list[str] = []
        self.answered = False
        self._switched: list[str] = []

    def load(self) -> LoadReport:
        """Start a process and import the submission; after a process that dies or hangs, its definitions alone.

        Raises:
            StudentTrouble: neither way could be imported.
            SandboxBroken: the machine could not provide a process.
        """
        try:
            self.report = self._start()
        except StudentTrouble:
            self._drop_process()
            self._definitions_only = True
            self.report = self._start()
        return self.report

    def begin_check(self, name: str, fresh: bool) -> None:
        """Make ready for a check: a live process, its switches put back, generators seeded, the clock at zero.

        Raises StudentTrouble or StudentRaised if the submission can't be imported again or the budgets are spent.
        """
        self._check_waited = 0.0
        self.answered = False
        if fresh:
            self._drop_process()
        if self._process is None:
            self._start()
        # Of another text than the judge's own draws for this check: the student process sees this number.
        seed = int.from_bytes(hashlib.sha256(f"student {self._seed} {name}".encode()).digest()[:4], "big")
        changed = self.ask(calls.RESET, {"seed": seed}).value
        if isinstance(changed, list):
            self._switched += [name for name in switches.NAMES if name in changed]
        self.answered = False

    def take_switched(self) -> list[str]:
        """Names of global switches that student code had changed and the worker put back, since the last call."""
        taken, self._switched = self._switched, []
        return taken

    def ask(self, operation: str, arguments: dict[str, Any], seconds: float | None = None) -> Reply:
        """One call, one reply.

        Raises:
            StudentRaised: student code raised.
            StudentTrouble: the process is gone, late or lying; it has been ended.
        """
        if self._process is None:
            raise StudentLied("its process was ended earlier in this check")
        allowed = self._limits.check_seconds - self._check_waited if seconds is None else seconds
        allowed = min(allowed, self._limits.total_seconds - self._waited)
        nonce = secrets.token_hex(8)
        frame = pack_request(nonce, operation, arguments)
        generators = sum(isinstance(value, Generator) for value in _flat(arguments))
        started = time.monotonic()
        try:
            header, payload = self._process.ask(frame, max(allowed, 0.0))
            reply = parse_reply(header, payload, nonce, generators)
        except (FrameError, MemoryError, RuntimeError) as error:
            self._drop_process()
            raise StudentLied(str(error) or "its reply is more than the judge can hold") from None
        except StudentTrouble as trouble:
            self._drop_process()
            raise self._explained(trouble) from None
        finally:
            took = time.monotonic() - started
            self._waited += took
            self._check_waited += took
        if reply.error is not None:
            raise StudentRaised(self._placed(reply.error))
        self.answered = True
        return reply

    def known(self, name: str) -> None:
        """Raises MissingName if the submission does not define `name`, as far as its import told."""
        report = self.report
        if report is not None and len(report.public) < 200 and name not in report.public:
            raise MissingName(name)

    def printed(self) -> tuple[bytes, bytes]:
        """What student code printed to standard output and error since the last call."""
        if self._process is not None:
            self._outputs.append(self._process.printed())
        taken = self._outputs
        self._outputs = []
        return b"".join(out for out, _ in taken), b"".join(err for _, err in taken)

    def end(self) -> None:
        """End the student process."""
        self._drop_process()

    def _start(self) -> LoadReport:
        budget = int(self._limits.cpu_seconds - self._cpu_used)
        if budget < 1 or self._waited >= self._limits.total_seconds:
            raise BudgetSpent("the time for the whole submission is used up")
        self._cpu_granted = budget
        self._process = self._sandbox.spawn(budget)
        self.layers = list(self._process.layers)
        arguments = {
            # As bytes: they travel in the payload, whose cap is far above that of text.
            "files": {name: text.encode("utf-8") for name, text in self._sources.items()},
            "main": self._main,
            "required": list(self._required),
            "seconds": self._limits.import_seconds,
            "definitions_only": self._definitions_only,
        }
        self.ask(calls.RESET, {"seed": self._seed}, seconds=_GRACE_SECONDS + self._limits.check_seconds)
        value = self.ask(calls.LOAD, arguments, seconds=self._limits.import_seconds + _GRACE_SECONDS).value
        self._check_waited = 0.0
        return self._load_report(value)

    def _load_report(self, value: Any) -> LoadReport:
        """The import's outcome, checked: it is the student's word."""
        if not isinstance(value, dict) or not {"defined", "public", "error", "left", "late"} <= value.keys():
            self._drop_process()
            raise StudentLied("its answer to the import has no known form")
        defined, public, error = value["defined"], value["public"], value["error"]
        if not _strings(defined) or not _strings(public):
            self._drop_process()
            raise StudentLied("its answer to the import has no known form")
        try:
            report = self._placed(calls.error_from_value(error)) if error is not None else None
        except FrameError as problem:
            self._drop_process()
            raise StudentLied(str(problem)) from None
        required = tuple(name for name in self._required if name in defined)
        return LoadReport(
            required, tuple(public), report, value["left"] is True, value["late"] is True, self._definitions_only
        )

    def _placed(self, report: ErrorReport) -> ErrorReport:
        """An error whose place is in the submission, with the line's own text, or without a place.

        The place is the student's word, and reports show it for hidden checks too: no other text may pass for it.
        """
        lines = self._sources.get(report.file or "", "").split("\n")
        if report.line is None or not 1 <= report.line <= len(lines) or report.file not in self._sources:
            return replace(report, file=None, line=None, function=None, source=None)
        return replace(report, source=lines[report.line - 1].strip()[:200])

    def _explained(self, trouble: StudentTrouble) -> StudentTrouble:
        """A death by the processor-time limit is a time-out."""
        if isinstance(trouble, StudentGone) and struck_cpu_limit(trouble.facts, self._cpu_granted):
            return StudentTimeout(f"it used up its {self._limits.cpu_seconds} s of processor time")
        return trouble

    def _drop_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        facts = process.end()
        self._cpu_used += facts.cpu_seconds
        self._outputs.append(process.printed())


def _flat(value: Any) -> Iterator[Any]:
    """The values in nested dicts, lists and tuples."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
