"""One submission's conversation with its student processes: start, load, ask, replace after trouble, account for time.

Runs in the judge. A crash, a time-out, a struck limit or a lie costs the check that it served: the process is ended,
and the next check gets a fresh one with the submission imported again, within the budgets of the whole submission.

The seconds of a call are told to the worker, which interrupts student code when they are over, so that a time-out has
a place. That is a courtesy: the clock that decides is the one here, which strikes a moment later.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import replace
from typing import Any

from grader.judge.allowance import Allowance
from grader.judge.last_words import LastWords, last_words, place_in
from grader.judge.load_report import LoadReport, read_load_report
from grader.judge.places import Work
from grader.judge.student import MissingName, StudentRaised
from grader.judge.time_place import time_place
from grader.model.assignment import Limits
from grader.sandbox import switches
from grader.sandbox.base import (
    Sandbox,
    StudentGone,
    StudentLied,
    StudentProcess,
    StudentTimeout,
    StudentTrouble,
    TimeLimit,
)
from grader.sandbox.facts import ExitFacts, struck_cpu_limit
from grader.sandbox.statements import after_seconds
from grader.wire import calls
from grader.wire.calls import ErrorReport, Reply, pack_request, parse_reply
from grader.wire.frames import FrameError

_GRACE_SECONDS = 1.5
"""Beyond the time of an import and of what follows it, for a file that catches the interrupt inside its process."""
_LATE_SECONDS = 0.5
"""How much later than the worker's the judge's own clock strikes."""
_INTERRUPTS: dict[str, TimeLimit | None] = {calls.OUT_OF_TIME: None, calls.OUT_OF_PROCESSOR_TIME: "processor"}
"""Errors by which the worker ends a call whose time is over, and the limit where it is not the call's own."""


class BudgetSpent(StudentTrouble):
    """The time that the whole submission may take is used up."""


class Conversation:
    """The judge's side of one submission. Not reusable; `end` must be called."""

    def __init__(
        self,
        sandbox: Sandbox,
        work: Work,
        required: tuple[str, ...],
        limits: Limits,
        seed: int,
        allowance: Allowance | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._work = work
        self._sources = work.sources
        self._required = required
        self._limits = limits
        self._seed = seed
        self._allowance = allowance or Allowance(None, 1)
        self._process: StudentProcess | None = None
        self._trouble: StudentTrouble | None = None
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
        self._reset: int | None = None

    def load(self) -> LoadReport:
        """Start a process and import the submission; after a process that dies or hangs, its definitions alone.

        One that is killed by nobody known gets a second try first: code that kills its process does so again.

        Raises:
            StudentTrouble: neither way could be imported.
            SandboxBroken: the machine could not provide a process.
        """
        try:
            try:
                self.report = self._first_start()
            except StudentGone as gone:
                if gone.facts.signal_name != "SIGKILL" or gone.facts.over_memory:
                    raise
                self._outputs.clear()
                self.report = self._first_start()
        except StudentTrouble as trouble:
            self._definitions_only = True
            try:
                self.report = replace(self._first_start(), trouble=trouble)
            except BudgetSpent:
                raise trouble from None
        return self.report

    def begin_check(self, name: str, fresh: bool) -> None:
        """Make ready for a check: a live process, the clock at zero.

        With the check's first call switches are put back and generators seeded.

        Raises StudentTrouble or StudentRaised if the submission can't be imported again or the budgets are spent.
        """
        self._check_waited = 0.0
        self.answered = False
        self._reset = None  # of a check that asked nothing
        self._allowance.require(self._waited)
        if fresh:
            self._drop_process()
        if self._process is None:
            self._start()
        # Of another text than the judge's own draws for this check: the student process sees this number.
        self._reset = int.from_bytes(hashlib.sha256(f"student {self._seed} {name}".encode()).digest()[:4], "big")

    def take_switched(self) -> list[str]:
        """Names of global switches that student code had changed and the worker put back, since the last call."""
        taken, self._switched = self._switched, []
        return taken

    def ask(self, operation: str, arguments: dict[str, Any], seconds: float | None = None) -> Reply:
        """One call, one reply; `seconds` for those that serve no check.

        Raises:
            StudentRaised: student code raised.
            StudentTrouble: the process is gone, late or lying; it has been ended.
        """
        if self._process is None:
            raise self._trouble or StudentLied("its process was ended earlier in this check")
        allowed, limit = self._allowed(operation, seconds)
        if allowed <= 0:
            raise self._troubled(StudentTimeout(limit))
        nonce = secrets.token_hex(8)
        frame, generators = pack_request(nonce, operation, arguments, allowed, self._reset)
        reset, self._reset = self._reset, None
        started = time.monotonic()
        try:
            header, payload = self._process.ask(frame, allowed + _LATE_SECONDS)
            late = time.monotonic() - started >= allowed
            reply = parse_reply(header, payload, nonce, generators, reset is not None)
        except (FrameError, MemoryError, RuntimeError) as error:
            text = str(error) or "its reply is more than the judge can hold"
            raise self._troubled(StudentLied(text)) from None
        except StudentTrouble as trouble:
            raise self._troubled(self._explained(trouble, limit)) from None
        finally:
            took = time.monotonic() - started
            self._waited += took
            self._check_waited += took
        self._switched += [name for name in switches.NAMES if name in reply.switched]
        if reply.error is not None and reply.error.kinds[0] in _INTERRUPTS:
            raise self._troubled(self._interrupted(reply.error, limit))
        if late:
            self._keep_output(self._process)
        if reply.error is not None:
            raise StudentRaised(self._work.error(self._placed(reply.error)), reply.generators)
        self.answered = True
        return reply

    def _allowed(self, operation: str, seconds: float | None) -> tuple[float, TimeLimit]:
        """Seconds that the next call may take, and the limit that is up after them."""
        limit: TimeLimit = "import" if operation == calls.LOAD else "check"
        allowed = self._limits.check_seconds - self._check_waited if seconds is None else seconds
        left = self._limits.total_seconds - self._waited
        if left < allowed:
            allowed, limit = left, "total"
        share = self._allowance.left()
        return (share, "share") if share < allowed else (allowed, limit)

    def _interrupted(self, report: ErrorReport, limit: TimeLimit) -> StudentTimeout:
        """The time-out that the worker tells of."""
        trouble = StudentTimeout(_INTERRUPTS[report.kinds[0]] or limit)
        trouble.place = place_in(self._sources, report.file, report.line, report.function)
        return trouble

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

    def retire(self) -> ExitFacts | None:
        """End the student process, so that the next check gets a fresh one; returns how it stood."""
        return self._drop_process()

    def _first_start(self) -> LoadReport:
        self._allowance.begin_import()
        return self._start()

    def _start(self) -> LoadReport:
        budget = int(self._limits.cpu_seconds - self._cpu_used)
        if budget < 1 or self._waited >= self._limits.total_seconds:
            raise BudgetSpent("the time for the whole submission is used up")
        self._cpu_granted = budget
        self._process = self._sandbox.spawn(budget)
        self._trouble = None
        self.layers = list(self._process.layers)
        left = self._allowance.left() - _GRACE_SECONDS - _LATE_SECONDS  # what follows an import takes time as well
        import_seconds = min(self._limits.import_seconds, max(_LATE_SECONDS, left))
        arguments = {
            # As bytes: they travel in the payload, whose cap is far above that of text.
            "files": {name: text.encode("utf-8") for name, text in self._sources.items()},
            "main": self._work.main,
            "required": list(self._required),
            "seconds": import_seconds,
            "definitions_only": self._definitions_only,
            "cells": [[cell.first, cell.last] for cell in self._work.cells],
            "skip": [] if self.report is None else list(self.report.left_out),
        }
        self.ask(calls.RESET, {"seed": self._seed}, seconds=_GRACE_SECONDS + self._limits.check_seconds)
        before = self._waited
        patience = import_seconds + after_seconds(import_seconds) + _GRACE_SECONDS
        value = self.ask(calls.LOAD, arguments, seconds=patience).value
        self._check_waited = 0.0
        try:
            report = read_load_report(value, self._required, self._definitions_only)
        except StudentLied as lie:
            raise self._troubled(lie) from None
        late = any(stop.how == "late" for stop in report.stops)
        if late or report.late or self._waited - before >= import_seconds:
            self._keep_output(self._process)
        stops = tuple(replace(stop, error=self._placed(stop.error)) for stop in report.stops)
        return replace(report, error=None if report.error is None else self._placed(report.error), stops=stops)

    def _placed(self, report: ErrorReport) -> ErrorReport:
        """An error whose place is in the submission, with the line's own text, or without a place.

        The place is the student's word, and reports show it for hidden checks too: no other text may pass for it.
        """
        place = place_in(self._sources, report.file, report.line, report.function)
        if place is None:
            return replace(report, file=None, line=None, function=None, source=None)
        return replace(report, source=place.source)

    def _explained(self, trouble: StudentTrouble, limit: TimeLimit) -> StudentTrouble:
        """Which time was up; a death by the processor-time limit is a time-out too."""
        if isinstance(trouble, StudentGone) and struck_cpu_limit(trouble.facts, self._cpu_granted):
            return StudentTimeout("processor")
        return StudentTimeout(limit) if isinstance(trouble, StudentTimeout) else trouble

    def _troubled(self, trouble: StudentTrouble) -> StudentTrouble:
        """End the process, and add to its trouble what is known of it then."""
        process, self._process = self._process, None
        if process is not None:
            trouble.facts = process.end()
            self._cpu_used += trouble.facts.cpu_seconds
            words = self._keep_output(process)
            if isinstance(trouble, StudentTimeout):
                told = () if trouble.place is None else (trouble.place,)
                trouble.place = time_place(words.stack or told, self._sources)
            elif isinstance(trouble, StudentGone):
                trouble.place, trouble.aborted = next(iter(words.stack), None), words.aborted
            if trouble.place is not None:
                trouble.place = self._work.place(trouble.place)
        self._trouble = trouble
        return trouble

    def _keep_output(self, process: StudentProcess) -> LastWords:
        """Keep what a process that was late printed, without its account of its stack; returns that."""
        output, errors = process.printed()
        words = last_words(errors, self._sources)
        self._outputs.append((output, words.rest))
        return words

    def _drop_process(self) -> ExitFacts | None:
        process, self._process = self._process, None
        if process is None:
            return None
        facts = process.end()
        self._cpu_used += facts.cpu_seconds
        self._outputs.append(process.printed())
        return facts
