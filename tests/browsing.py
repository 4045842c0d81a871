"""A real Chromium for tests of what people read: pages opened from disk, watched while they are."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WATCH = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""
ATTACK = (
    "</script></style></pre></title>--><script>window.pwned=1</script><img id=theirs src=x onerror=window.pwned=1>"
    "<iframe id=theirs src=https://example.org/></iframe>\" id=theirs autofocus onfocus=window.pwned=1 x='"
    "<link id=theirs rel=stylesheet href=https://example.org/a.css>{{ 7*7 }}\u202e" + "w" * 3_000
)
SIZES = {"phone": 360, "desk": 1280}

Opener = Callable[..., Page]
AXE = Path(__file__).parent / "axe" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
"""The rules of axe-core that hold for a page: WCAG 2.2, levels A and AA, and what its makers advise beyond."""


@contextmanager
def a_browser() -> Iterator[Browser]:
    """The distribution's Chromium, without a window."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail(f"No Chromium found; install one (Debian: apt install chromium) as one of {', '.join(NAMES)}.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def an_opener(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens a page from disk; when the test ends, it must have been quiet: one request, no error, no violation."""
    opened: list[tuple[Page, str, list[str], list[str]]] = []

    def open_page(html: str, width: int = 1280, **context: Any) -> Page:
        file = tmp_path / f"page{len(opened)}.html"
        file.write_text(html, encoding="utf-8")
        requests: list[str] = []
        errors: list[str] = []

        def refuse(dialog: Dialog) -> None:
            errors.append(dialog.message)
            dialog.dismiss()

        page = browser.new_context(viewport={"width": width, "height": 800}, **context).new_page()
        page.add_init_script(WATCH)
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", refuse)
        page.goto(file.as_uri())
        opened.append((page, file.as_uri(), requests, errors))
        return page

    yield open_page
    for page, address, requests, errors in opened:
        violations = page.evaluate("window.violations || []")
        page.context.close()
        assert requests == [address]
        assert errors == []
        assert violations == []


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert isinstance(width, int)
    return width


def violations(page: Page) -> list[str]:
    """What axe-core finds against the rules on a page as it is shown now, a line each."""
    page.evaluate(AXE.read_text("utf-8"))  # in the page's own world, past its policy, as a browser's tools do it
    found: Any = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    assert found["passes"], "axe-core looked at nothing"
    return [f"{one['id']}: {one['help']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]
