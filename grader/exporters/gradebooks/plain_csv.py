"""A plain table of marks for any other program: one row a person, ids as text.

Pure function, in the command. Columns are a contract: student, name, email, score, max_score, status, late. Score is
empty where there is none. No cell is a formula.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from grader.exporters.gradebooks.filling import number_text
from grader.exporters.gradebooks.gradebook import Gradebook
from grader.exporters.gradebooks.marks import Mark
from grader.exporters.grades_csv import cell

COLUMNS = ("student", "name", "email", "score", "max_score", "status", "late")


def _table(marks: Sequence[Mark], _: str) -> str:
    out = io.StringIO()
    write = csv.writer(out).writerow
    write(COLUMNS)
    for mark in marks:
        score = "" if mark.score is None else number_text(mark.score)
        email = mark.emails[0] if mark.emails else mark.student if "@" in mark.student else ""
        held = "held" if mark.why and mark.status != "ungraded" else mark.status
        who = [cell(mark.student), cell(mark.name), cell(email)]
        write([*who, score, number_text(mark.max_score), held, mark.late])
    return out.getvalue()


GRADEBOOK = Gradebook(
    "CSV",
    table=_table,
    no_feedback="A plain table has no layout for reports; they are in the run's folder reports/.",
)
