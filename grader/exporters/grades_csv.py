"""`grades.csv`: one row a submission, for a spreadsheet.

Pure function, in the command. Columns are a contract: id, student, status, score, max_score, late, notices. A cell that
a spreadsheet would take for a formula is defused with an apostrophe; `late` is empty as long as it is unknown. Where
the comma is the decimal sign, spreadsheets split at semicolons instead, quoted or not: what stands behind one is
defused as a cell of its own.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable

from grader.model.late import late_word
from grader.model.result import GradeResult
from grader.model.text import plain_line

COLUMNS = ("id", "student", "status", "score", "max_score", "late", "notices")
_FORMULA_STARTS = frozenset("=+-@\N{MINUS SIGN}")
"""Also in their full-width, small and raised forms, which some spreadsheets fold into these."""


def grades_csv(results: Iterable[GradeResult]) -> str:
    """The table as text, with CRLF line ends as RFC 4180 asks."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for result in results:
        writer.writerow(
            [
                cell(result.submission.id),
                cell(result.submission.student),
                result.status,
                "" if result.score is None else f"{result.score:g}",
                f"{result.max_score:g}",
                late_word(result),
                cell("; ".join(result.notices)),
            ]
        )
    return out.getvalue()


def cell(text: str) -> str:
    """Text of a student's as a cell: one line, without control characters, never a formula."""
    return ";".join(map(_defused, plain_line(text, 2000).split(";")))


def _defused(part: str) -> str:
    text = part.lstrip(" ")
    start = text.lstrip('" ')[:1]
    if unicodedata.normalize("NFKC", start)[:1] not in _FORMULA_STARTS:
        return part
    return f"{part[: len(part) - len(text)]}'{text}"
