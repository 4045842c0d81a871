"""One submission's run through the checks: which may start, what each came to, whose fault it was.

Runs in the judge. The verdict follows from the exception that a check's body ended with: none is a pass; a comparison
that failed, an exception in student code and trouble with the student process are the student's; a broken sandbox is
the machine's. Any other exception is the check's own, with one care: hostile or merely wrong values can make an honest
check stumble, so such a check is tried on the reference before its author is blamed.
"""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from grader.judge import outcome, staff
from grader.judge.conversation import Conversation
from grader.judge.expect import CheckFailed
from grader.judge.outcome import Outcome
from grader.judge.plugin import CheckSpec, JudgePlugin
from grader.judge.student import MissingName, Student, StudentRaised
from grader.model.assignment import Limits
from grader.model.observation import Observation
from grader.model.result import MISSING_NAME, CheckResult, Fault, IncidentKind, Printed, StudentError
from grader.sandbox.base import SandboxBroken, StudentTrouble

Control = Callable[[str], bool]
"""Whether a check's body runs to its end on the reference solution."""

_CUT = re.compile(rb"\n\[\.\.\. [0-9]+ bytes left out \.\.\.\]\n")
"""The note that stands where the middle of a long output was."""
_STUMBLES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True)
class Output:
    """What student code printed: everything, and the part that the student may see."""

    everything: Printed
    for_student: Printed


class CheckRun:
    """Runs checks in order against one conversation. `control` is None where there is no reference."""

    def __init__(
        self, plugin: JudgePlugin, conversation: Conversation, main: str, limits: Limits, control: Control | None
    ) -> None:
        self._plugin = plugin
        self._conversation = conversation
        self._main = main
        self._limits = limits
        self._control = control
        self._results: dict[str, CheckResult] = {}
        self._shared: dict[str, Any] = {}
        self._visible: list[tuple[bytes, bytes]] = []
        self._hidden: list[tuple[bytes, bytes]] = []
        self._before_is_visible = True
        self._endings: list[tuple[str, str]] = []
        self._staff_notices: list[str] = []
        self.incidents: list[tuple[str, IncidentKind | None]] = []
        self.notices: list[str] = []

    @property
    def staff_notices(self) -> list[str]:
        """What staff alone should know: how processes ended and in which checks, switches changed by hidden ones."""
        return [*staff.summary(self._endings), *self._staff_notices]

    def printed_at_import(self, printed: tuple[bytes, bytes]) -> None:
        """Output of the import: a student may see it."""
        self._keep_visible(printed)

    def check(self, spec: CheckSpec) -> CheckResult:
        """Run one check, or skip it for a prerequisite that did not pass."""
        for need in spec.needs:
            before = self._results.get(need)
            if before is not None and before.status != "passed":
                result = _result(spec, outcome.skipped(before), [], 0.0)
                self._results[spec.id] = result
                return result
        started = time.monotonic()
        ended, observations, asked_on = self._execute(spec)
        if ended is not None and ended.status == "memory":
            ended = self._freed(ended)
        result = _result(spec, ended, observations, time.monotonic() - started, asked_on)
        printed = self._conversation.printed()
        if spec.visibility == "visible":
            self._keep_visible(printed)
        else:
            self._hidden.append(printed)
        if ended is not None:
            self._endings.append((spec.id, ended.ending))
            self.incidents.append((spec.id, ended.incident))
        self._note_switches()
        self._before_is_visible = spec.visibility == "visible"
        self._results[spec.id] = result
        return result

    def output(self) -> Output:
        """All that was printed, each stream cut to the limit."""
        cap = self._limits.output_kb << 10
        for_student = Printed(*(_joined(self._visible, index, cap) for index in (0, 1)))
        everything = Printed(*(_joined([*self._visible, *self._hidden], index, cap) for index in (0, 1)))
        return Output(everything, for_student)

    def _keep_visible(self, printed: tuple[bytes, bytes]) -> None:
        """Keep output that a student may see; once, tell that it is too long."""
        self._visible.append(printed)
        notice = (
            f"Your code prints more than the {self._limits.output_kb} KB that are kept; its beginning and end are. "
            "Printing in a loop is the usual cause."
        )
        size = max(sum(len(part[index]) for part in self._visible) for index in (0, 1))
        cut = size > self._limits.output_kb << 10 or any(_CUT.search(stream) for stream in printed)
        if cut and notice not in self.notices:
            self.notices.append(notice)

    def _freed(self, ended: Outcome) -> Outcome:
        """After memory ran out the next check gets a fresh process: this one may still hold what filled it."""
        facts = self._conversation.retire()
        if facts is None:
            return ended
        figures = staff.figures(facts, self._limits, ended_itself=False)
        return replace(ended, staff_detail=f"{ended.staff_detail}\n{figures}")

    def _execute(self, spec: CheckSpec) -> tuple[Outcome | None, list[Observation], bool]:
        """How the check ended, what it observed, and whether student code was asked for anything after that."""
        try:
            self._conversation.begin_check(spec.id, spec.fresh)
        except (StudentTrouble, StudentRaised, SandboxBroken) as error:
            return self._outcome(spec, error), [], True
        student = Student(self._conversation.ask, self._conversation.known, self._shared, self._plugin.salt)
        ran = self._plugin.run(spec.id, student)
        ended = None if ran.error is None else self._outcome(spec, ran.error)
        return ended, ran.expect.observations, ran.asked_on

    def _outcome(self, spec: CheckSpec, error: BaseException) -> Outcome:
        if isinstance(error, CheckFailed):
            return Outcome("failed", "student", str(error))
        if isinstance(error, StudentRaised):
            return outcome.of_error(error.report, self._limits)
        if isinstance(error, StudentTrouble):
            return outcome.of_trouble(error, self._limits)
        if isinstance(error, MissingName):
            report = self._conversation.report
            others = [name for name in report.public if name not in report.required] if report is not None else []
            words = outcome.missing_name(str(error), self._main, others)
            return Outcome("failed", "student", words, StudentError(MISSING_NAME))
        if isinstance(error, SandboxBroken):
            return Outcome("error", "machine", "The sandbox broke.", None, str(error))
        return self._stumbled(spec, error)

    def _stumbled(self, spec: CheckSpec, error: BaseException) -> Outcome:
        """A check's body raised by itself: on this submission's values, or always?"""
        text = "".join(traceback.format_exception(error))
        if isinstance(error, OSError):
            return Outcome("error", "machine", "The machine failed.", None, text)
        traceback.clear_frames(error.__traceback__)  # they hold the student's values
        if isinstance(error, MemoryError):
            theirs = True
        elif self._control is None:
            theirs = isinstance(error, _STUMBLES) and self._conversation.answered
        else:
            self._conversation.end()  # one student process at a time
            try:
                theirs = self._control(spec.id)
            except SandboxBroken as broken:
                return Outcome("error", "machine", "The sandbox broke.", None, str(broken))
        if theirs:
            words = "What your code returned has not the form that this check can work with."
            return Outcome("failed", "student", words, None, f"the check stumbled on a value:\n{text}")
        return Outcome("error", "author", "The check itself broke.", None, text)

    def _note_switches(self) -> None:
        """What was found changed when this check began was changed by the import or by the check before it.

        After a hidden check only staff are told: which settings code changes there could tell hidden inputs.
        """
        told = self.notices if self._before_is_visible else self._staff_notices
        for name in self._conversation.take_switched():
            notice = f"Your code changes the global setting {name}; it was put back between checks."
            if notice not in told:
                told.append(notice)


def _result(
    spec: CheckSpec, ended: Outcome | None, observations: list[Observation], seconds: float, asked_on: bool = True
) -> CheckResult:
    fault: Fault | None = None if ended is None else ended.fault
    error: StudentError | None = None if ended is None else ended.error
    return CheckResult(
        id=spec.id,
        title=spec.title,
        group=spec.group,
        status="passed" if ended is None else ended.status,
        fault=fault,
        points=spec.points if ended is None else 0.0,
        max_points=spec.points,
        visibility=spec.visibility,
        feedback="" if ended is None else ended.feedback,
        hint=spec.hint,
        observations=observations,
        seconds=round(seconds, 4),
        error=error,
        staff_detail="" if ended is None else ended.staff_detail,
        needs=list(spec.needs),
        asked=spec.text.asked,
        allowed=spec.text.allowed,
        asked_on=asked_on,
    )


def _joined(parts: list[tuple[bytes, bytes]], index: int, cap: int) -> str:
    whole = b"".join(part[index] for part in parts)
    if len(whole) > cap:
        half = cap // 2
        whole = whole[:half] + f"\n[... {len(whole) - 2 * half} bytes left out ...]\n".encode() + whole[-half:]
    return whole.decode("utf-8", "replace")
