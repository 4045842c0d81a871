"""What all figures share: the frame, numbers as text, steps of a scale.

Pure functions in the command's process: an observation of a check that its student may see goes in, markup comes out.
Whatever an observation holds may come from student code: every text and number is escaped by `Markup.format`, lengths
are capped by `line`, and each figure draws a bounded part. No colour says anything alone: cells carry their number, and
what differs carries the sign ≠. Words come from the language file of the page (`say`), never from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from markupsafe import Markup

from grader.model.text import plain_line

SIGN = "≠"
"""Marks what differs."""
STEPS = 8
"""Shades of a heat map above none, as in the style sheet."""


class Words(Protocol):
    """A language file: a table of labels for figures, and a macro for each sentence."""

    figure: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        """The macro of this name."""


def framed(name: str, body: Markup, sentences: Iterable[str]) -> Markup:
    """A figure with its caption: what it shows, then what there is to see in it, in words."""
    told = Markup(" ").join(str(sentence) for sentence in sentences if sentence)
    return Markup('<figure class="seen"><figcaption><b>{}.</b> {}</figcaption>{}</figure>').format(
        line(name), told, body
    )


def svg(width: float, height: float, label: str | Markup, body: Markup, kind: str) -> Markup:
    """A drawing of `width` by `height` units, which shrinks with the page, with its text alternative."""
    frame = Markup('<svg class="{}" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" aria-label="{}">{}</svg>')
    return frame.format(kind, label, body, w=place(width), h=place(height))


def line(text: Any, cap: int = 120) -> str:
    """A text of anybody's, on one line."""
    return plain_line(str(text), cap)


def place(value: float) -> str:
    """A coordinate."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def index(place_in: Iterable[int]) -> str:
    """`[0, 2, 1]`."""
    return f"[{', '.join(map(str, place_in))}]"


def as_tuple(shape: Sequence[int]) -> str:
    """A shape as Python prints it."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def text(kind: str, x: float, y: float, content: object) -> Markup:
    """A text of a drawing; `kind` is its class in the style sheet, as in what follows."""
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(kind, place(x), place(y), content)


def rect(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    """A rectangle of a drawing."""
    shape = Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>')
    return shape.format(kind, place(x), place(y), place(width), place(height))


def rule(kind: str, start: tuple[float, float], end: tuple[float, float]) -> Markup:
    """A straight line of a drawing."""
    shape = Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>')
    return shape.format(kind, *map(place, (*start, *end)))


def joined(parts: Iterable[Markup]) -> Markup:
    """One after the other."""
    return Markup("").join(parts)
