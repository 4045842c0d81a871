"""What one person is to have in the LMS: a score, a comment, a report.

Pure functions. Whatever a student reads is made from a `StudentView` alone. The same content has the same digest and
the same file name, by which it is recognised in the LMS.
"""

from __future__ import annotations

import hashlib
import re

from grader.model.text import plain_line, plain_text
from grader.model.view import CheckView, StudentView
from grader.push.base import Attachment

_LONGEST_LIST = 12
_COMMENT = 4000
"""Characters of a comment: a summary, not the report."""


def comment_text(view: StudentView, with_report: bool) -> str:
    """A short summary for the student, in plain text: what was reached, what did not pass, what probably happened."""
    checks = [check for group in view.groups for check in group.checks]
    lines = [_headline(view, checks)]
    if view.lateness is not None and view.lateness.reason:
        lines.append(plain_line(view.lateness.reason, 500))
    missed = [check for check in checks if check.status != "passed"]
    if missed:
        lines += ["", "Not passed:", *(f"- {_one(check)}" for check in missed[:_LONGEST_LIST])]
        lines += [f"- and {len(missed) - _LONGEST_LIST} more"] if len(missed) > _LONGEST_LIST else []
    if view.diagnoses:
        lines += ["", "What probably happened:", *(f"- {plain_line(d.explanation, 600)}" for d in view.diagnoses[:3])]
    if view.notices:
        lines += ["", *(f"Note: {plain_line(notice, 300)}" for notice in view.notices[:3])]
    if with_report:
        lines += ["", "The attached report shows more; open it in a browser."]
    return plain_text("\n".join(lines), _COMMENT)


def _headline(view: StudentView, checks: list[CheckView]) -> str:
    score = f"{view.score:g} of {view.max_score:g} points" if view.score is not None else "no score"
    title = plain_line(view.title, 120)
    if view.status == "graded":
        passed = sum(check.status == "passed" for check in checks)
        return f"{title}: {score}, {passed} of {len(checks)} checks passed."
    return f"{title}: {score}. {plain_line(view.reason or '', 800)}".rstrip()


def _one(check: CheckView) -> str:
    partial = f" ({check.points:g} of {check.max_points:g} points)" if check.points else ""
    return f"{plain_line(check.title, 150)}{partial}"


def attachment(assignment: str, content: bytes) -> Attachment:
    """A report under a name that its content alone decides, so that it is known again: `attention-1f2e3d4c.html`."""
    stem = re.sub(r"[^A-Za-z0-9_-]", "_", assignment)[:60] or "report"
    return Attachment(f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.html", content)


def digest(text: str) -> str:
    """Names a comment, whatever an LMS does to its spaces and line ends."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()
