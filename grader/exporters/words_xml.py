"""A student's view as one well-formed XML element, for platforms that parse what they show.

Pure functions of a `StudentView`. Only the five entities of XML are used, and no character that XML 1.0 forbids.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from grader.exporters.words import capped, check_line, check_words, headline, overall_lines, printed_words
from grader.model.view import CheckView, StudentView

_TITLE_CHARACTERS = 300


def element(view: StudentView, characters: int) -> str:
    """The whole view as a `div`, each of its texts cut to so many characters."""
    first, *others = overall_lines(view)
    parts = [
        _preformatted(first, characters) if "\n" in first else f"<p><strong>{_text(first, characters)}</strong></p>"
    ]
    parts += [_preformatted(line, characters) for line in others]
    for group in view.groups:
        parts.append(
            f"<h4>{_text(group.name, _TITLE_CHARACTERS)}: {group.points:g} of {group.max_points:g} points</h4>"
        )
        parts += [_check(check, characters) for check in group.checks]
    if printed := printed_words(view):
        parts.append(_preformatted(printed, characters))
    return f'<div class="grader">{"".join(parts)}</div>'


def sentence(text: str, characters: int = 1_000) -> str:
    """One sentence as a `div`."""
    return f'<div class="grader"><p>{_text(text, characters)}</p></div>'


def short(view: StudentView) -> str:
    """Its score alone."""
    return sentence(headline(view))


def _check(check: CheckView, characters: int) -> str:
    words = check_words(check)
    return f"<p>{escape(check_line(check))}</p>" + (_preformatted(words, characters) if words else "")


def _preformatted(text: str, characters: int) -> str:
    return f"<pre>{_text(text, characters)}</pre>"


def _text(text: str, characters: int) -> str:
    return escape(capped(text, characters))
