"""Sentences: what became of an import, a call or a process, in words for the person who reads the report.

Pure functions, in the judge. What a student's process says (texts, names) is quoted, cleaned and capped here; whether
a student may see a sentence is decided later, by `grader.model.view`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from grader.judge.conversation import BudgetSpent, LoadReport
from grader.model.assignment import Assignment, Limits
from grader.model.result import CheckStatus, Fault, StudentError
from grader.model.text import plain_line, plain_text
from grader.sandbox.base import StudentGone, StudentLied, StudentTimeout, StudentTrouble
from grader.sandbox.facts import explain_end
from grader.wire.calls import ErrorReport

_QUOTE = 600
"""Characters of an exception's text that feedback repeats."""


@dataclass(frozen=True)
class Outcome:
    """How a check ended, other than by passing."""

    status: CheckStatus
    fault: Fault
    feedback: str
    error: StudentError | None = None
    staff_detail: str = ""


def of_error(report: ErrorReport, limits: Limits) -> Outcome:
    """A check whose call raised in student code."""
    file = None if report.file is None else plain_line(report.file, 200)
    error = StudentError(plain_line(report.kinds[0], 80) or "an exception", file, report.line)
    if is_memory_error(report):
        text = (
            f"Your code asked for more memory than the limit of {limits.memory_mb} MB allows{place(report)}. "
            "A tensor with one axis too many is the usual cause."
        )
        return Outcome("memory", "student", text, error, staff_detail=sentence_of_error(report))
    return Outcome("error", "student", sentence_of_error(report), error)


def of_trouble(trouble: StudentTrouble, limits: Limits) -> Outcome:
    """A check whose student process did not answer as it should."""
    if isinstance(trouble, BudgetSpent):
        text = "Not run to its end: the time that the whole submission may take was used up by earlier checks."
        return Outcome("timeout", "student", text)
    if isinstance(trouble, StudentTimeout):
        text = str(trouble) or f"no answer within {limits.check_seconds:g} s"
        return Outcome(
            "timeout",
            "student",
            f"Your code did not finish: {text}. A loop whose condition never turns false is the usual cause.",
        )
    if isinstance(trouble, StudentGone):
        facts = trouble.facts
        detail = f"status {facts.status}, {facts.cpu_seconds:.2f} s of processor time, {facts.peak_kb >> 10} MB at most"
        return Outcome("crashed", "student", f"Your code ended its process: {explain_end(facts)}.", None, detail)
    if isinstance(trouble, StudentLied):
        return Outcome(
            "error",
            "student",
            "Your code disturbed the channel on which it hands back its results.",
            None,
            f"protocol violation: {plain_text(str(trouble), 300)}",
        )
    return Outcome("error", "student", plain_text(str(trouble), 300))


def is_memory_error(report: ErrorReport) -> bool:
    """Whether an exception is Python's or torch's way to say that memory ran out."""
    return "MemoryError" in report.kinds or "can't allocate memory" in report.text


def sentence_of_error(report: ErrorReport) -> str:
    """`ValueError at attention.py, line 3, in f: "text"`, with the line itself below."""
    kind = plain_text(report.kinds[0], 80)
    # torch raises it too, for dtypes that it cannot work with: then its text is what helps.
    if kind == "NotImplementedError" and (report.source or "").startswith("raise"):
        head = f"This part is not written yet{place(report)}: it raises NotImplementedError."
        return head
    text = plain_text(report.text, _QUOTE).strip()
    sentence = f"{kind}{place(report)}" + (f": {text}" if text else "")
    if report.source:
        sentence += f"\n    {plain_text(report.source, 160).strip()}"
    return sentence


def place(report: ErrorReport) -> str:
    """` at attention.py, line 3, in f`, as far as it is known."""
    if not report.file or not report.line:
        return ""
    function = f", in {plain_text(report.function, 80)}" if report.function and report.function != "<module>" else ""
    return f" at {plain_text(report.file, 120)}, line {report.line}{function}"


def missing_name(name: str, main: str, defined: Sequence[str]) -> str:
    """That a name is missing, with the nearest one that there is."""
    close = difflib.get_close_matches(name, defined, n=1)
    guess = f" It defines {close[0]}: is that it?" if close else ""
    return f"{main} does not define {name}.{guess}"


def reason_not_loadable(report: LoadReport, main: str, required: Sequence[str]) -> str | None:
    """Why nothing of a submission can be graded, or None if something can."""
    if report.required:
        return None
    wanted = ", ".join(required)
    if report.error is None:
        defines = ", ".join(report.public[:10]) or "nothing"
        return f"{main} defines none of the names that are graded ({wanted}); it defines {defines}."
    if report.left:
        return f"{main} ends the program while it is imported{place(report.error)}, before it defines any of {wanted}."
    if report.late:
        return f"{main} does not finish importing in time{place(report.error)}, before it defines any of {wanted}."
    return f"{main} cannot be imported. {sentence_of_error(report.error)}"


def reason_trouble_at_import(trouble: StudentTrouble, main: str, assignment: Assignment) -> str:
    """Why a submission whose process died or hung during import cannot be graded."""
    limits = assignment.about.limits
    if isinstance(trouble, StudentTimeout):
        return f"{main} does not finish importing within {limits.import_seconds:g} s; put code that runs under a guard."
    if isinstance(trouble, StudentGone):
        return f"{main} ends its process while it is imported: {explain_end(trouble.facts)}."
    return f"{main} disturbs the channel to the grader while it is imported."


def load_notices(report: LoadReport, main: str) -> list[str]:
    """What a student should know about the import of a file that is graded all the same."""
    if report.definitions_only:
        return [
            f"{main} ended its process while it was imported; only its definitions, imports and assignments were run."
        ]
    if report.error is None:
        return []
    where = place(report.error)
    if report.late:
        return [f"{main} was still running{where} when the time to import it was up; graded on what it had defined."]
    if report.left:
        return [f"{main} calls exit{where}; graded on what it had defined until then."]
    return [f"{main} stops with an exception; graded on what it had defined. {sentence_of_error(report.error)}"]
