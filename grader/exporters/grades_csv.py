"""`grades.csv`: one row a submission, for a spreadsheet.

Pure function, in the command. Columns are a contract: id, student, status, score, max_score, late, notices. A cell that
a spreadsheet would take for a formula is defused with an apostrophe; `late` is empty as long as it is unknown.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from grader.model.result import GradeResult
from grader.model.text import plain_line

COLUMNS = ("id", "student", "status", "score", "max_score", "late", "notices")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def grades_csv(results: Iterable[GradeResult]) -> str:
    """The table as text, with CRLF line ends as RFC 4180 asks."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for result in results:
        writer.writerow(
            [
                result.submission.id,
                cell(result.submission.student),
                result.status,
                "" if result.score is None else f"{result.score:g}",
                f"{result.max_score:g}",
                "",
                cell("; ".join(result.notices)),
            ]
        )
    return out.getvalue()


def cell(text: str) -> str:
    """Text of a student's as a cell: one line, without control characters, never a formula."""
    plain = plain_line(text, 2000)
    return f"'{plain}" if plain.startswith(_FORMULA_STARTS) else plain
