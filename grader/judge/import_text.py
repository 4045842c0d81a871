"""Sentences: what became of importing a submission, for the person who reads the report.

Pure functions, in the judge. A student may see all of them: an import meets no hidden input.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.judge import limits_text, staff
from grader.judge.load_report import LoadReport
from grader.judge.outcome import bracketed, explained_error, line_below, place
from grader.model import causes
from grader.model.assignment import Limits
from grader.sandbox.base import StudentGone, StudentTimeout, StudentTrouble, TimeLimit
from grader.wire.calls import OUT_OF_PROCESSOR_TIME, ErrorReport


def reason_not_loadable(report: LoadReport, main: str, required: Sequence[str], limits: Limits) -> str | None:
    """Why nothing of a submission can be graded, or None if something can."""
    if report.required:
        return None
    wanted = ", ".join(required)
    error = report.error
    if error is None:
        defines = ", ".join(report.public[:10]) or "nothing"
        return f"{main} defines none of the names that are graded ({wanted}); it defines {defines}."
    if report.left:
        return f"{main} ends the program while it is imported{place(error)}, before it defines any of {wanted}."
    if report.late:
        head = f"{main} does not finish importing within {_time_of(error, limits)}{place(error)}"
        return f"{head}, before it defines any of {wanted}. {causes.TOP_LEVEL}{line_below(error)}"
    return f"{main} cannot be imported. {explained_error(error, limits)}"


def reason_trouble(trouble: StudentTrouble, main: str, limits: Limits) -> str:
    """Why a submission whose process died or hung during import cannot be graded."""
    if isinstance(trouble, StudentTimeout):
        head = f"{main} does not finish importing within {_time(trouble.limit, limits)}{bracketed(trouble.place)}"
        return f"{head}. {causes.TOP_LEVEL}{line_below(trouble.place)}"
    if isinstance(trouble, StudentGone):
        how, cause = limits_text.on_end(trouble, limits)
        head = f"{main} ends its process while it is imported{bracketed(trouble.place)}: {how}"
        return f"{head}. {cause}{line_below(trouble.place)}"
    return f"{main} disturbs the channel to the grader while it is imported."


def load_notices(report: LoadReport, main: str, limits: Limits) -> list[str]:
    """What a student should know about the import of a file that is graded all the same."""
    if report.definitions_only:
        return [_definitions_notice(report.trouble, main, limits)]
    error = report.error
    if error is None:
        return []
    if report.late:
        head = f"{main} was still running{place(error)} when the {_time_of(error, limits)} to import it were up"
        return [f"{head}; graded on what it had defined. {causes.TOP_LEVEL}"]
    if report.left:
        return [f"{main} calls exit{place(error)}; graded on what it had defined until then."]
    words = explained_error(error, limits)
    return [f"{main} stops with an exception; graded on what it had defined. {words}"]


def staff_notices(trouble: StudentTrouble | None, limits: Limits) -> list[str]:
    """What staff should know about a process that died or hung during import."""
    return [] if trouble is None else [f"At import: {staff.detail(trouble, limits)}"]


def _definitions_notice(trouble: StudentTrouble | None, main: str, limits: Limits) -> str:
    told = "only its definitions, imports and assignments were run."
    if isinstance(trouble, StudentTimeout):
        head = f"{main} does not finish importing within {_time(trouble.limit, limits)}{bracketed(trouble.place)}"
        return f"{head}; {told} {causes.TOP_LEVEL}"
    if isinstance(trouble, StudentGone):
        how, cause = limits_text.on_end(trouble, limits)
        return f"{main} ended its process while it was imported{bracketed(trouble.place)}: {how}; {told} {cause}"
    return f"{main} ended its process while it was imported; {told}"


def _time_of(error: ErrorReport, limits: Limits) -> str:
    return _time("processor" if error.kinds[0] == OUT_OF_PROCESSOR_TIME else "import", limits)


def _time(limit: TimeLimit, limits: Limits) -> str:
    if limit == "processor":
        return f"{limits.cpu_seconds} s of processor time"
    seconds = {"import": limits.import_seconds, "check": limits.check_seconds, "total": limits.total_seconds}
    return f"{seconds[limit]:g} s"
