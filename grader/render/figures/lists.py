"""Two lists of texts beside each other: names and shapes of parameters, what is missing and what is too much."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from grader.model.observation import Observation
from grader.render.figures.base import SIGN, Words, framed, joined, line

MOST = 24
"""Lines that are drawn."""


def beside_each_other(seen: Observation, say: Words) -> Markup | None:
    """The lists of an observation `same`, a row for each entry of either."""
    if not (_is_list(seen.actual) and _is_list(seen.expected)):
        return None
    yours, expected = [line(x) for x in seen.actual], [line(x) for x in seen.expected]
    entries = sorted({*yours, *expected})
    if len(entries) > MOST:
        return None
    if len(set(yours)) != len(yours) or len(set(expected)) != len(expected) or set(yours) == set(expected):
        return None  # what differs is the order, or how often, or cannot be seen: the text tells it
    words = say.figure
    rows = joined(
        Markup('<tr class="{}"><td>{}</td><td>{}</td></tr>').format(
            "" if entry in yours and entry in expected else "off",
            _cell(entry, yours, words["missing"]),
            _cell(entry, expected, words["not_expected"]),
        )
        for entry in entries
    )
    head = Markup('<tr><th scope="col">{}</th><th scope="col">{}</th></tr>').format(words["yours"], words["expected"])
    table = Markup(
        '<div class="maps" tabindex="0" role="group" aria-label="{}"><table class="pairs"><thead>{}</thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(line(seen.name), head, rows)
    return framed(seen.name, table, [])


def _cell(entry: str, side: Sequence[str], absent: str) -> Markup:
    return Markup("<code>{}</code>").format(entry) if entry in side else Markup("<i>{} {}</i>").format(SIGN, absent)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(entry, str) for entry in value)
