"""`grades.csv`: one row a person, for a spreadsheet.

Pure function, in the command. Columns are a contract: id, student, status, score, max_score, late, notices. Each member
of a group has a row; of a roster, whoever handed in nothing has one with the status `missing` and no score, which is
not 0. `late` is empty where it is unknown. A cell that a spreadsheet would take for a formula is defused with an
apostrophe. Where the comma is the decimal sign, spreadsheets split at semicolons instead, quoted or not: what stands
behind one is defused as a cell of its own.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator

from grader.model.late import late_word, people_of
from grader.model.result import GradeResult
from grader.model.roster import Standing
from grader.model.text import plain_line

COLUMNS = ("id", "student", "status", "score", "max_score", "late", "notices")
_FORMULA_STARTS = frozenset("=+-@\N{MINUS SIGN}")
"""Also in their full-width, small and raised forms, which some spreadsheets fold into these."""


def grades_csv(results: Iterable[GradeResult], people: Standing | None = None) -> Iterator[str]:
    """The table, line by line, with CRLF line ends as RFC 4180 asks; `people` is the class against its roster, if any.

    Results are asked for one by one as their lines are.
    """
    yield _line(list(COLUMNS))
    most = ""
    for result in results:
        most = most or f"{result.max_score:g}"
        for student in people_of(result):
            yield _line(_row(result, student, people))
    for person in people.missing if people else ():
        hint = people.hints.get(person.student) if people else None
        notice = f"Perhaps this person's work is {hint}." if hint else ""
        yield _line(["", cell(person.student), "missing", "", most, "", cell(notice)])


def _line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _row(result: GradeResult, student: str, people: Standing | None) -> list[str]:
    doubt = people.doubts.get(result.submission.id) if people else None
    notices = [*([f"Held for staff: {doubt}."] if doubt else []), *result.notices]
    return [
        cell(result.submission.id),
        cell(student),
        result.status,
        "" if result.score is None else f"{result.score:g}",
        f"{result.max_score:g}",
        late_word(result),
        cell("; ".join(notices)),
    ]


def cell(text: str) -> str:
    """Text of a student's as a cell: one line, without control characters, never a formula."""
    return ";".join(map(_defused, plain_line(text, 2000).split(";")))


def _defused(part: str) -> str:
    text = part.lstrip(" ")
    start = text.lstrip('" ')[:1]
    if unicodedata.normalize("NFKC", start)[:1] not in _FORMULA_STARTS:
        return part
    return f"{part[: len(part) - len(text)]}'{text}"
