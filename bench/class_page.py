"""The class page with many rows, opened in a real Chromium: how long until it is drawn, sorted and filtered.

`python bench/class_page.py [ROWS …]`. Seconds from the start of the navigation until the browser says that the page is
loaded and has drawn a frame (two animation frames); then those of a click on a column's head and of one letter in the
filter, until the next frame. Needs Playwright and a Chromium, as the tests do.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from playwright.sync_api import Page, sync_playwright

from grader.content import templates_folders
from grader.model.cohort import cohort_view
from grader.model.jsonform import result_from_json
from grader.model.result import GradeResult
from grader.render.html import cohort_html

ROOT = Path(__file__).parent.parent
RUNS = 5
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def a_class(results: list[GradeResult], rows: int) -> list[GradeResult]:
    """A class of so many, the given results in turn under other names."""
    replace = msgspec.structs.replace
    made = []
    for number in range(rows):
        like = results[number % len(results)]
        who = replace(like.submission, id=f"student-{number:05d}", student=f"student-{number:05d}")
        made.append(replace(like, submission=who))
    return made


def timed(page: Page, act: str) -> float:
    """Seconds from an action in the page until it has drawn again."""
    started = time.monotonic()
    page.evaluate(act)
    page.evaluate(DRAWN)
    return time.monotonic() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path, help="a run of grader grade, whose results are repeated")
    parser.add_argument("rows", type=int, nargs="*", default=[100, 1000, 10_000])
    options = parser.parse_args()
    files = sorted((options.run / "results").glob("*.json"))
    if not files:
        sys.exit(f"{options.run} holds no results.")
    results = [result_from_json(file.read_bytes()) for file in files]
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for rows in options.rows:
            started = time.monotonic()
            html = cohort_html(cohort_view(a_class(results, rows)), templates_folders(ROOT))
            made = time.monotonic() - started
            file = Path(folder) / "index.html"
            file.write_text(html, "utf-8")
            opened, sorting, filtering = [], [], []
            for _ in range(RUNS):
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                started = time.monotonic()
                page.goto(file.as_uri())
                page.evaluate(DRAWN)
                opened.append(time.monotonic() - started)
                sorting.append(timed(page, "document.querySelectorAll('#rows th button')[2].click()"))
                typed = "f = document.getElementById('find'); f.value = '1'; f.form.dispatchEvent(new Event('input'))"
                filtering.append(timed(page, f"{{ const {typed} }}"))
                page.close()
            print(
                f"{rows:6} rows: {len(html) / 1e6:5.1f} MB, made in {made:.2f} s, opened in "
                f"{statistics.median(opened):.2f} s, sorted in {statistics.median(sorting):.2f} s, filtered in "
                f"{statistics.median(filtering):.2f} s",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
