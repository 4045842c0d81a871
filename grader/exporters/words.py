"""A student's view in plain words, for platforms that show text.

Pure functions of a `StudentView`. Every text is cleaned and capped: platforms cut or refuse what is long, and a result
must arrive.
"""

from __future__ import annotations

import msgspec

from grader.model.result import Diagnosis
from grader.model.text import plain_text
from grader.model.view import CheckView, StudentView

CHECK_CHARACTERS = 4_000
"""Of one check; a hundred of them stay below every platform's limit."""
_PRINTED_CHARACTERS = 8_000
_NOTICE_CHARACTERS = 1_000


def check_words(check: CheckView) -> str:
    """What a student reads of one check that did not pass, in lines; empty for one that did."""
    if check.status == "passed":
        return ""
    parts = [check.feedback]
    if check.hint:
        parts.append(f"Hint: {check.hint}")
    if check.diagnosis is not None:
        parts.append(diagnosis_words(check.diagnosis))
    return capped("\n".join(part for part in parts if part), CHECK_CHARACTERS)


def diagnosis_words(diagnosis: Diagnosis) -> str:
    """A misconception, and where in the handout to read on."""
    text = f"This looks like a known misconception: {diagnosis.explanation}"
    if diagnosis.read_on is not None:
        text += f"\nRead on in README.md: “{diagnosis.read_on.heading}”"
    return text


def headline(view: StudentView) -> str:
    """The score in a sentence, or why there is none."""
    if view.status != "graded" or view.score is None:
        return capped(view.reason or "There is no score.", CHECK_CHARACTERS)
    checks = [check for group in view.groups for check in group.checks]
    passed = sum(check.status == "passed" for check in checks)
    return f"{view.score:g} of {view.max_score:g} points; {passed} of {len(checks)} checks passed."


def overall_lines(view: StudentView) -> list[str]:
    """What concerns the submission as a whole: the headline, misconceptions, lateness, notices."""
    lines = [headline(view)]
    lines += [diagnosis_words(diagnosis) for diagnosis in view.diagnoses]
    if view.lateness is not None and view.lateness.late:
        lines.append(view.lateness.reason)
    lines += [f"Note: {capped(notice, _NOTICE_CHARACTERS)}" for notice in view.notices]
    if view.status != "graded" and view.hidden_topics:
        lines.append(f"Checks will look at: {'; '.join(view.hidden_topics)}.")
    return lines


def printed_words(view: StudentView) -> str:
    """What the student's code printed at import and in visible checks; empty if nothing."""
    streams = [("printed", view.printed.stdout), ("printed to standard error", view.printed.stderr)]
    parts = [f"Your code {how}:\n{capped(text, _PRINTED_CHARACTERS)}" for how, text in streams if text.strip()]
    return "\n\n".join(parts)


def overall_words(view: StudentView) -> str:
    """All of that, as one text."""
    parts = [*overall_lines(view), printed_words(view)]
    return "\n\n".join(part for part in parts if part)


def visible_part(view: StudentView) -> StudentView:
    """The view without its hidden checks, and without what would tell their points: for a text that all may read
    while a platform hides those checks and the total. Scores in it are sums over what is left.
    """
    groups = []
    for group in view.groups:
        if checks := [check for check in group.checks if check.visibility == "visible"]:
            most = round(sum(check.max_points for check in checks), 2)
            points = round(sum(check.points for check in checks), 2)
            groups.append(msgspec.structs.replace(group, checks=checks, points=points, max_points=most))
    known = {check.diagnosis.slug for group in groups for check in group.checks if check.diagnosis is not None}
    return msgspec.structs.replace(
        view,
        groups=groups,
        score=view.score if view.status != "graded" else round(sum(group.points for group in groups), 2),
        max_score=round(sum(group.max_points for group in groups), 2) or view.max_score,
        diagnoses=[diagnosis for diagnosis in view.diagnoses if diagnosis.slug in known],
        lateness=None,
    )


def capped(text: str, characters: int) -> str:
    """The text with only what can be read, cut where it is longer, which is said."""
    plain, note = plain_text(text, characters * 2), "\n[…]"
    return plain if len(plain) <= characters else plain[: characters - len(note)] + note
