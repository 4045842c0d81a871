"""Sentences: what became of importing a submission, for the person who reads the report.

Pure functions, in the judge. A student may see all of them: an import meets no hidden input. The first cause comes
first and is told in full; what stopped after it, often because of it, is told in brief.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.judge import limits_text, staff
from grader.judge.load_report import LoadReport, Stop
from grader.judge.outcome import bracketed, explained_error, line_below, place
from grader.judge.packages import missing_package
from grader.judge.places import Work
from grader.judge.syntax_text import explain_syntax
from grader.model import causes
from grader.model.assignment import Limits
from grader.model.result import IncidentKind
from grader.model.text import plain_line
from grader.sandbox.base import StudentGone, StudentTimeout, StudentTrouble, TimeLimit
from grader.sandbox.standins import PLOTTING, PROGRESS
from grader.wire.calls import OUT_OF_PROCESSOR_TIME, ErrorReport

_TOLD = 4
"""Stops that get a notice of their own."""
_IN_A_CELL = (
    "Training at the top level of a cell is the usual cause; put it into a function, or leave it out when you hand in."
)
_LEFT_OVER = "left over from the template, or a part that is not written yet?"


def reason_not_loadable(report: LoadReport, work: Work, required: Sequence[str], limits: Limits) -> str | None:
    """Why nothing of a submission can be graded, or None if something can."""
    if report.required:
        return None
    main, wanted = work.main, ", ".join(required)
    stop = _first(report)
    if stop is None:
        defines = ", ".join(report.public[:10]) or "nothing"
        return f"{main} defines none of the names that are graded ({wanted}); it defines {defines}."
    error = work.error(stop.error)
    if work.cells:
        return f"{main} defines none of the names that are graded ({wanted}). {_of_cell(stop, work, limits)}"
    if stop.how == "left":
        return f"{main} ends the program while it is imported{place(error)}, before it defines any of {wanted}."
    if stop.how == "late":
        head = f"{main} does not finish importing within {_time_of(error, limits)}{place(error)}"
        return f"{head}, and it defines none of {wanted}. {causes.TOP_LEVEL}{line_below(error)}"
    return f"{main} cannot be imported. {_explained(stop, work, limits)}"


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


def load_notices(report: LoadReport, work: Work, limits: Limits) -> list[str]:
    """What a student should know about the import of a file that is graded all the same."""
    notices = [_definitions_notice(report.trouble, work.main, limits)] if report.definitions_only else []
    notices += _told_stops(report, work, limits)
    if report.skipped and not report.definitions_only:
        notices.append(
            "After a statement that stops, only definitions, imports and plain assignments are run; "
            f"left out: {work.lines(report.skipped)}."
        )
    if drawn := [name for name in report.standins if name in (*PLOTTING, *PROGRESS)]:
        notices.append(_told_standins(drawn, "stand-ins that draw and print nothing took the place"))
    if live := [name for name in report.standins if name not in drawn]:
        notices.append(_told_standins(live, "what uses it was skipped"))
    notices += [_told_unbound(name, line, work) for name, line in report.unbound]
    return notices


def staff_notices(trouble: StudentTrouble | None, limits: Limits) -> list[str]:
    """What staff should know about a process that died or hung during import."""
    return [] if trouble is None else [f"At import: {staff.detail(trouble, limits)}"]


def incidents(report: LoadReport) -> list[IncidentKind | None]:
    """What staff should look at in how the import went."""
    return [
        None if report.trouble is None else staff.incident(report.trouble),
        *(staff.refusal(stop.error.kinds) for stop in report.stops),
    ]


def _first(report: LoadReport) -> Stop | None:
    """What stopped first; without its lines if the report has none."""
    if report.stops or report.error is None:
        return report.stops[0] if report.stops else None
    line = report.error.line or 1
    return Stop("left" if report.left else "late" if report.late else "raised", report.error, line, line)


def _told_stops(report: LoadReport, work: Work, limits: Limits) -> list[str]:
    first = _first(report)
    if first is None:
        return []
    told = [_of_cell(first, work, limits) if work.cells else _of_file(first, work, limits)]
    for stop in report.stops[1:_TOLD]:
        if not any(name in stop.error.text for name, _ in report.unbound if stop.error.kinds[0] == "NameError"):
            told.append(f"{_at_line(stop.first, work)} {_in_brief(stop)}; it was left out.")
    if len(report.stops) > _TOLD:
        rest = work.lines([(stop.first, stop.first) for stop in report.stops[_TOLD:]])
        told.append(f"These stopped as well and were left out: {rest}.")
    return told


def _of_file(stop: Stop, work: Work, limits: Limits) -> str:
    """The first statement of a file that stopped."""
    main, error = work.main, work.error(stop.error)
    if stop.how == "late":
        head = f"{main} was still running{place(error)} when the {_time_of(error, limits)} to import it were up"
        return f"{head}; graded on what it defines all the same. {causes.TOP_LEVEL}"
    if stop.how == "left":
        return f"{main} calls exit{place(error)}; graded on what it defines all the same."
    if _is_left_over(error):
        head = f"{main} raises NotImplementedError{place(error)}"
        return f"{head}: {_LEFT_OVER} Graded on what it defines all the same."
    words = _explained(stop, work, limits)
    return f"{main} stops with an exception; graded on what it defines all the same. {words}"


def _of_cell(stop: Stop, work: Work, limits: Limits) -> str:
    """The first statement of a notebook that stopped."""
    cell = work.cell_of(stop.first)
    name = f"Cell {cell.number}" if cell is not None else "A cell"
    error = work.error(stop.error)
    line = f" at line {stop.first - cell.first + 1}" if cell is not None else ""
    if stop.how == "late":
        return f"{name} was still running{line} when its time was up; the others were run all the same. {_IN_A_CELL}"
    if stop.how == "unread":
        return f"{name} was not run, since it is not Python; the others were. {_explained(stop, work, limits)}"
    if stop.how == "left":
        return f"{name} ends the program{line}."
    if missing_package(stop.error) and stop.error.source:
        source = plain_line(stop.error.source, 80)
        return f"{name} stopped{line}, `{source}`, which the grading machine does not have. The others were run."
    if _is_left_over(error):
        return f"{name} raises NotImplementedError{line}: {_LEFT_OVER} What else it defines was kept."
    return f"{name} stopped with an exception; the others were run. {_explained(stop, work, limits)}"


def _is_left_over(error: ErrorReport) -> bool:
    source = (error.source or "").strip()
    return error.kinds[0] == "NotImplementedError" and error.function in (None, "<module>") and "raise" in source


def _explained(stop: Stop, work: Work, limits: Limits) -> str:
    """What an exception of the import means, with what is behind it if it is a syntax error."""
    words = explained_error(work.error(stop.error), limits)
    syntax = explain_syntax(stop.error, work.sources.get(stop.error.file or "", ""))
    return f"{words}\n{syntax}" if syntax else words


def _told_standins(names: Sequence[str], what: str) -> str:
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"Graded without {listed}: {what}."


def _told_unbound(name: str, line: int, work: Work) -> str:
    return (
        f"{_at_line(line, work)} uses `{plain_line(name, 80)}`, which no cell defines; "
        "try Restart and Run All in your notebook."
    )


def _in_brief(stop: Stop) -> str:
    """What stopped a statement that is not the first, as the rest of a sentence."""
    if stop.how == "late":
        return "was still running when its time was up"
    if stop.how == "left":
        return "ends the program"
    if package := missing_package(stop.error):
        return f"imports `{package}`, which the grading machine does not have"
    text = f"{plain_line(stop.error.kinds[0], 80)}: {plain_line(stop.error.text, 120)}"
    return f"is not Python ({text})" if stop.how == "unread" else f"stopped with {text}"


def _at_line(line: int, work: Work) -> str:
    """`Line 30`, or `Cell 3, line 2`."""
    where = work.lines([(line, line)])
    return where[:1].upper() + where[1:]


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
    return f"{seconds.get(limit, limits.import_seconds):g} s"
