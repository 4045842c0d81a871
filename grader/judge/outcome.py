"""Sentences: what became of a call or a process, in words for the person who reads the report.

Pure functions, in the judge. What a student's process says (texts, names) is quoted, cleaned and capped here; whether
a student may see a sentence is decided later, by `grader.model.view`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from grader.judge import limits_text, staff
from grader.judge.conversation import BudgetSpent
from grader.judge.packages import missing_module
from grader.model import causes
from grader.model.assignment import Limits
from grader.model.result import CheckResult, CheckStatus, Fault, IncidentKind, StudentError
from grader.model.text import plain_line, plain_text
from grader.sandbox.base import Place, StudentGone, StudentLied, StudentTimeout, StudentTrouble
from grader.wire.calls import ErrorReport

_QUOTE = 600
"""Characters of an exception's text that feedback repeats."""


@dataclass(frozen=True)
class Outcome:
    """How a check ended, other than by passing; `ending` groups checks for staff (see `staff.summary`)."""

    status: CheckStatus
    fault: Fault
    feedback: str
    error: StudentError | None = None
    staff_detail: str = ""
    ending: str = ""
    incident: IncidentKind | None = None


def skipped(before: CheckResult) -> Outcome:
    """A check that builds on one that did not pass."""
    text = f"Skipped, because it builds on a check that did not pass: {before.title}"
    return Outcome("skipped", before.fault or "student", text)


def of_error(report: ErrorReport, limits: Limits) -> Outcome:
    """A check whose call raised in student code."""
    file = None if report.file is None else plain_line(report.file, 200)
    error = StudentError(plain_line(report.kinds[0], 80) or "an exception", file, report.line)
    if is_memory_error(report):
        said = sentence_of_error(report)
        return Outcome("memory", "student", memory_sentence(report, limits), error, said, staff.OUT_OF_MEMORY)
    return Outcome("error", "student", explained_error(report, limits), error, incident=staff.refusal(report.kinds))


def of_trouble(trouble: StudentTrouble, limits: Limits) -> Outcome:
    """A check whose student process did not answer as it should."""
    detail, ending = staff.detail(trouble, limits), staff.ending(trouble)
    if isinstance(trouble, BudgetSpent):
        text = (
            f"Not run: earlier checks used up the time that all together may take "
            f"({limits.total_seconds:g} s, of it {limits.cpu_seconds} s on the processor)."
        )
        return Outcome("timeout", "student", text, _struck("total", None), detail)
    if isinstance(trouble, StudentTimeout):
        text = limits_text.on_time(trouble.limit, limits, bracketed(trouble.place)) + line_below(trouble.place)
        return Outcome("timeout", "student", text, _struck(trouble.limit, trouble.place), detail, ending)
    if isinstance(trouble, StudentGone):
        error = _struck(trouble.facts.signal_name or "exit", trouble.place)
        if trouble.facts.over_memory:
            text = (
                f"The processes of your code held more memory together than the limit of {limits.memory_mb} MB allows"
            )
            text = f"{text}{bracketed(trouble.place)}. {causes.PROCESSES}"
            return Outcome("memory", "student", text, error, detail, ending)
        end, cause = limits_text.on_end(trouble, limits)
        text = f"Your code ended its process{bracketed(trouble.place)}: {end}. {cause}{line_below(trouble.place)}"
        return Outcome("crashed", "student", text, error, detail, ending, staff.incident(trouble))
    if isinstance(trouble, StudentLied):
        text = "Your code disturbed the channel on which it hands back its results."
        return Outcome("error", "student", text, None, detail, ending, staff.incident(trouble))
    return Outcome("error", "student", plain_text(str(trouble), 300))


def _struck(kind: str, at: Place | None) -> StudentError:
    """The record of a limit that struck: which one, and where."""
    return StudentError(kind, None if at is None else plain_line(at.file, 200), None if at is None else at.line)


def bracketed(at: Place | None) -> str:
    """` (at attention.py, line 3, in f)`, or nothing."""
    where = place(at).strip()
    return f" ({where})" if where else ""


def line_below(at: ErrorReport | Place | None) -> str:
    """The text of the line itself, on a line of its own, or nothing."""
    return f"\n    {plain_text(at.source, 160).strip()}" if at is not None and at.source else ""


def is_memory_error(report: ErrorReport) -> bool:
    """Whether an exception is Python's or torch's way to say that memory ran out."""
    return limits_text.MEMORY.applies(report)


def memory_sentence(report: ErrorReport, limits: Limits) -> str:
    """That memory ran out, where, and why."""
    head = f"Your code asked for more memory than the limit of {limits.memory_mb} MB allows{place(report)}."
    return f"{head} {causes.BIG_TENSOR}{line_below(report)}"


def explained_error(report: ErrorReport, limits: Limits) -> str:
    """`sentence_of_error`, and which limit led to it where one is known to."""
    if is_memory_error(report):
        return memory_sentence(report, limits)
    cause = missing_module(report) or limits_text.on_error(report, limits)
    return sentence_of_error(report) + (f"\n{cause}" if cause else "")


def sentence_of_error(report: ErrorReport) -> str:
    """`ValueError at attention.py, line 3, in f: "text"`, with the line itself below."""
    kind = plain_text(report.kinds[0], 80)
    # torch raises it too, for dtypes that it cannot work with: then its text is what helps.
    if kind == "NotImplementedError" and (report.source or "").startswith("raise"):
        head = f"This part is not written yet{place(report)}: it raises NotImplementedError."
        return head
    text = plain_text(report.text, _QUOTE).strip()
    return f"{kind}{place(report)}" + (f": {text}" if text else "") + line_below(report)


def place(report: ErrorReport | Place | None) -> str:
    """` at attention.py, line 3, in f`, as far as it is known."""
    if report is None or not report.file or not report.line:
        return ""
    function = f", in {plain_text(report.function, 80)}" if report.function and report.function != "<module>" else ""
    return f" at {plain_text(report.file, 120)}, line {report.line}{function}"


def missing_name(name: str, main: str, defined: Sequence[str]) -> str:
    """That a name is missing, with the nearest one that there is."""
    close = difflib.get_close_matches(name, defined, n=1)
    guess = f" It defines {close[0]}: is that it?" if close else ""
    return f"{main} does not define {name}.{guess}"
