"""A report inside another page: the output of a notebook's cell.

Runs in the student's kernel, on a page that is finished. The page stays apart from what surrounds it: it is the
document of a sandboxed frame, so that neither its style nor any text in it reaches the notebook. Where a frame is not
shown (a notebook that is not trusted, a site that displays notebooks) the same stands below it as text.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

_LOWEST, _HIGHEST = 360, 720
"""CSS pixels. A frame does not grow with its content: it is as high as most reports of that length, and scrolls."""
_LINE = 26
_BASE = '<head><base href="about:srcdoc">'
"""Else a link to a place in the page would load the notebook's own address into the frame. It stands before the page's
Content-Security-Policy, which allows no other base."""


@dataclass(frozen=True)
class Inline:
    """A report for IPython to display: `page` where HTML is shown, `text`, what a terminal would show, elsewhere."""

    page: str
    text: str

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return framed(self.page, self.text)


def framed(page: str, text: str) -> str:
    """HTML that shows the document `page` in a frame and, folded below it, `text`."""
    headline, lines = text.strip().partition("\n")[0], text.count("\n")
    title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    named = html.unescape(title[1]) if title else headline
    height = max(_LOWEST, min(_HIGHEST, 200 + _LINE * lines))
    document = html.escape(page.replace("<head>", _BASE, 1))
    return (
        f'<iframe srcdoc="{document}" title="{html.escape(named)}" sandbox="" width="100%" height="{height}" '
        'style="border: 1px solid #8888; box-sizing: border-box; resize: vertical"></iframe>\n'
        f"<details><summary>{html.escape(headline)}</summary>\n<pre>{html.escape(text)}</pre></details>"
    )
