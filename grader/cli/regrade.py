"""Grading a part of a class again: whom, what became of them, and that nobody's mark falls unasked.

Runs in the command, for `grader grade`. With `--only` or `--failed` a lower result is not taken without
`--accept-lower`. A run without them grades what people handed in anew, and a lower mark may be their own doing: it is
taken, and told where the files are the same as before.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any

import click

from grader.cli.class_talk import not_taken_sentence, several
from grader.errors import UsageProblem
from grader.model.anonymous import Veil
from grader.model.changes import Change, change_of, falls
from grader.model.result import GradeResult
from grader.render.changes import print_changes
from grader.render.talk import say
from grader.store import Run

_FAILED = ("ungraded", "invalid")


def part_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name a part of a class: `only`, `failed` and `accept_lower`."""
    for option in (
        click.option(
            "--accept-lower",
            is_flag=True,
            help="With --only or --failed: take results that are lower than before, too.",
        ),
        click.option("--failed", is_flag=True, help="Grade again, and alone, whoever is ungraded or invalid."),
        click.option(
            "--only", multiple=True, metavar="ID", help="Grade this submission again, and no other; may be repeated."
        ),
    ):
        command = option(command)
    return command


class Part:
    """Whom a run grades, and what becomes of them. `ids` is None for the whole class."""

    def __init__(self, run: Run, ids: frozenset[str] | None, accept_lower: bool) -> None:
        self.ids = ids
        self._run = run
        self._accept_lower = accept_lower
        self._changes: list[Change] = []
        self._fallen: list[Change] = []

    def __contains__(self, name: str) -> bool:
        return self.ids is None or name in self.ids

    def takes(self, result: GradeResult) -> bool:
        """Whether a new result takes the place of the one that is there."""
        before = self._run.load(result.submission.id)
        if self.ids is None:
            if before is not None and falls(before, result) and before.submission.sha256 == result.submission.sha256:
                self._fallen.append(change_of(before, result))
            return True
        change = change_of(before, result)
        self._changes.append(change)
        return not self._keeps(change)

    def _keeps(self, change: Change) -> bool:
        """Whether the result of before stays."""
        return change.falls and not self._accept_lower

    def tell(self, veil: Veil | None = None) -> None:
        """Print before and after, and whose result was kept; with a veil under their pseudonyms."""
        changes = [*map(veil.change, self._changes)] if veil is not None else self._changes
        changes = sorted(changes, key=lambda change: change.id)
        kept = list(filter(self._keeps, changes))
        if changes:
            print_changes(changes, frozenset(change.id for change in kept))
        if kept:
            say(not_taken_sentence([f"{change.id} ({change.before}, would be {change.after})" for change in kept]))
        if self._fallen:
            fallen = [*map(veil.change, self._fallen)] if veil is not None else self._fallen
            told = [f"{change.id} ({change.before}, now {change.after})" for change in fallen]
            say(f"Lower than before, with the same files: {several(sorted(told))}.")


def part_of(run: Run, names: Sequence[str], only: Sequence[str], failed: bool, fresh: bool, accept_lower: bool) -> Part:
    """The part that the options name, of the submissions with these ids.

    Raises:
        UsageProblem: an id does not exist, or the options contradict each other.
    """
    if not only and not failed:
        if accept_lower:
            raise UsageProblem("--accept-lower goes with --only ID or --failed: other runs take what comes out.")
        return Part(run, None, True)
    if fresh:
        raise UsageProblem("--fresh grades everything again, --only and --failed a part; leave one of them out.")
    for name in only:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
            guess = f" Did you mean {close[0]}?" if close else ""
            raise UsageProblem(f"There is no submission {name!r} in SOURCE.{guess}")
    chosen = {*only, *(name for name in names if failed and _is_failed(run.load(name)))}
    if not chosen:
        say(f"Nobody in SOURCE has a result that is {' or '.join(_FAILED)}.")
    return Part(run, frozenset(chosen), accept_lower)


def _is_failed(result: GradeResult | None) -> bool:
    return result is not None and result.status in _FAILED
