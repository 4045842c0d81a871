"""A student's result in a sentence or two, for the column of comments in a gradebook.

Pure function, in the command. It knows what its student may see and nothing else: points, the titles of checks that did
not pass, what being late cost. In German where the reports are, else in English. It begins with a digit, so no program
takes it for a formula.
"""

from __future__ import annotations

from fractions import Fraction

from grader.exporters.gradebooks.filling import number_text
from grader.model.text import plain_line
from grader.model.view import StudentView

_TITLES = 5
_WORDS = {
    "en": ("{score} of {most} points.", "{passed} of {count} checks passed.", "Not yet:", "and {more} more"),
    "de": (
        "{score} von {most} Punkten.",
        "{passed} von {count} Prüfungen bestanden.",
        "Noch nicht:",
        "und {more} weitere",
    ),
}


def comment_of(view: StudentView) -> str:
    """One line; empty where there is no score."""
    if view.score is None:
        return ""
    points, passed_of, not_yet, others = _WORDS.get(view.lang.partition("-")[0], _WORDS["en"])
    comma = view.lang.startswith("de")
    score, most = (number_text(Fraction(str(number)), comma) for number in (view.score, view.max_score))
    checks = [check for group in view.groups for check in group.checks]
    missing = [plain_line(check.title.rstrip("."), 80) for check in checks if check.status != "passed"]
    parts = [points.format(score=score, most=most)]
    parts += [plain_line(view.reason, 300)] if view.reason else []
    parts += [passed_of.format(passed=len(checks) - len(missing), count=len(checks))] if checks else []
    if missing:
        more = [others.format(more=len(missing) - _TITLES)] if len(missing) > _TITLES else []
        parts.append(f"{not_yet} {'; '.join([*missing[:_TITLES], *more])}.")
    return " ".join(parts)
