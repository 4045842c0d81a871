"""Brightspace: the grades export filled in place, or an import file written; reports under the download's folders.

Pure functions, in the command. Format as of D2L's help "Import grades": `OrgDefinedId` or `Username`, both with `#` in
front in exports, columns `Title Points Grade <Numeric MaxPoints:100 …>`, and at the end `End-of-Line Indicator` with
`#` in each row. Feedback goes back in the folders of a submissions download, `12345-67890 - Name - Date`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from grader.errors import UsageProblem
from grader.exporters.gradebooks.filling import number_text
from grader.exporters.gradebooks.gradebook import Column, Gradebook, Sheet, entries_of, kinds_of, maximum_of
from grader.exporters.gradebooks.marks import Mark
from grader.exporters.gradebooks.table import NoTable, Table

_END = "End-of-Line Indicator"
_TITLE = re.compile(r"(?P<title>.*\S)\s+Points Grade\s*(?P<details><.*>)?\s*", re.DOTALL)
_OTHER = re.compile(r".*\s(?:Grade|Numerator|Denominator|Symbol|Scheme Symbol)\s*(?:<.*>)?\s*", re.DOTALL)
_MAXIMUM = re.compile(r"MaxPoints:\s*(?P<number>[\d.,]+)")
_FOLDER = re.compile(r"\d+-\d+ - .+", re.DOTALL)
_FLAT = re.compile(r"(?P<prefix>\d+-\d+ - .+? ?- [^-/]*\b\d{4}\b[^-/]* - ).+", re.DOTALL)


def _worth(headings: Sequence[str]) -> int:
    return len(kinds_of(headings)) + sum(heading.strip() == _END for heading in headings)


def _read(table: Table) -> Sheet:
    found = [_column(index, heading) for index, heading in enumerate(table.headings) if _OTHER.fullmatch(heading)]
    kinds = kinds_of(table.headings, [column.index for column in found])
    if not found or not {"id", "login"} & set(kinds.values()):
        raise NoTable("it has no column OrgDefinedId or Username, or none that ends in `Points Grade`")
    return Sheet(table, tuple(found), entries_of(table, kinds))


def _column(index: int, heading: str) -> Column:
    found = _TITLE.fullmatch(heading)
    if found is None:
        return Column(index, heading.strip(), "", None, "it takes no points")
    most = _MAXIMUM.search(found["details"] or "")
    maximum, closed = maximum_of(most["number"] if most else "")
    return Column(index, found["title"], "", maximum, closed)


def _table(marks: Sequence[Mark], title: str) -> str:
    """An import file; `#` in front of ids keeps their zeros.

    Raises:
        UsageProblem: no id in the run is one that Brightspace imports by.
    """
    if any(_of_download(mark) and not mark.ids and not mark.logins for mark in marks):
        raise UsageProblem(
            "A Brightspace download names people by numbers that Brightspace does not import; grade with --roster "
            "FILE, the exported grades, or fill those with --into FILE."
        )
    out = io.StringIO()
    write = csv.writer(out).writerow
    write(["OrgDefinedId", "Username", f"{title} Points Grade", _END])
    for mark in marks:
        if mark.score is not None:
            login = f"#{mark.logins[0]}" if mark.logins else ""
            org = mark.ids[0] if mark.ids else "" if login else mark.student
            write([f"#{org}" if org else "", login, number_text(mark.score), "#"])
    return out.getvalue()


def _of_download(mark: Mark) -> bool:
    return _feedback(mark.handed_in_as) is not None


def _feedback(names: Sequence[str]) -> str | None:
    for name in names:
        if name.endswith("/") and _FOLDER.fullmatch(name[:-1]):
            return f"{name}report.html"
        if found := _FLAT.fullmatch(name):
            return f"{found['prefix']}report.html"
    return None


GRADEBOOK = Gradebook("Brightspace", worth=_worth, read=_read, table=_table, feedback=_feedback)
