"""Moodle's Virtual Programming Lab (VPL): what its evaluation prints, and the files that make an activity.

Formats as in VPL's documentation and as its plugin reads them. Of what `vpl_execution` prints the last line that begins
with `Grade :=>>` is the mark, in the activity's points; a block between `<|--` and `--|>` is shown, where `-` begins a
title and `>` what is preformatted. The execution server cuts out the middle of what is longer than 32 KB. Without an
executable `vpl_execution` there is no evaluation and VPL records no grade: so it is made only when there is a mark
(see scripts/vpl/vpl_evaluate.sh). No text of a student's begins a line.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from grader.exporters.apart import COURSE, for_server, secret_archive
from grader.exporters.base import Delivery, Graded, Kit, Member, Package, Places, Told, script
from grader.exporters.fitting import fitted
from grader.exporters.words import capped, check_line, check_words, headline, overall_lines, printed_words
from grader.model.submission import Person
from grader.model.text import plain_line
from grader.model.view import CheckView, StudentView

_ENVIRONMENT = "vpl_environment.sh"
_FAILED = 1
_MOST_BYTES = 30_000
_TITLE_CHARACTERS = 200
_ANYBODY = "student"


class VPL:
    """The platform `vpl`."""

    title = "Moodle VPL"
    seconds = 120
    memory_mb = 3072

    def places(self, environment: Mapping[str, str]) -> Places:
        """See `Platform.places`."""
        return Places(".grader/submission", _ENVIRONMENT)

    def told(self, metadata: bytes | None, environment: Mapping[str, str]) -> Told:
        """See `Platform.told`: the variables of `vpl_environment.sh`, which is read and never run."""
        if metadata is None:
            return Told(
                notices=(f"{_ENVIRONMENT} is missing: neither the student nor the activity's points are known.",)
            )
        found = _variables(metadata.decode("utf-8", "replace"))
        points = _amount(found.get("VPL_GRADEMAX", ""))
        unknown = "VPL_GRADEMAX is missing: give the activity points, else there is no mark."
        return Told(
            people=(Person(found.get("MOODLE_USER_ID") or _ANYBODY, found.get("MOODLE_USER_NAME", "")),),
            points=points,
            notices=() if points is not None else (unknown,),
        )

    def deliver(self, graded: Graded) -> Delivery:
        """See `Platform.deliver`. Where the activity has no points there is no mark, only what to read."""
        mark = "" if graded.told.points is None else f"Grade :=>> {graded.points(float(graded.score)):f}\n"
        last = _block([_title(headline(graded.view))])
        return Delivery(stdout=fitted(lambda most: _shown(graded.view, most), _MOST_BYTES, last) + mark)

    def decline(self, sentence: str, told: Told) -> Delivery:
        """See `Platform.decline`: no line with a mark, and a status for which no `vpl_execution` is made."""
        return Delivery(
            stdout=f"Not graded, which is not your doing: {plain_line(sentence, 1000)}\n", exit_status=_FAILED
        )

    def package(self, kit: Kit) -> Package:
        """See `Platform.package`: what goes to the execution server, and apart what goes into the activity."""
        values = {"OPTIONS": " ".join(kit.options), "ASSIGNMENT": kit.assignment}
        members = for_server(kit.common)
        members[f"activity/{COURSE}"] = secret_archive(kit.common)
        for name in ("vpl_evaluate.sh", "vpl_run.sh", "vpl_debug.sh"):
            members[f"activity/{name}"] = Member(script("vpl", name, values), executable=True)
        return Package(
            members,
            advice=(
                "On VPL's execution server run server/install.sh once, as root; nothing in server/ is secret.",
                "Put the four files of activity/ into the activity's Execution files; keep none of them when running.",
                f"Set its limits: {kit.seconds} s, {kit.memory_mb} MB, 100 MB for files, 200 processes.",
                "Allow Evaluate, and turn on Automatic grade.",
                f"Give it points, such as {kit.max_score:g}; scores are scaled to them.",
            ),
        )


def _variables(text: str) -> dict[str, str]:
    """`export NAME=value` lines, the first of each name: file names of students come last."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        try:
            words = shlex.split(line)
        except ValueError:  # a value of several lines
            continue
        if len(words) == 2 and words[0] == "export":
            name, _, value = words[1].partition("=")
            found.setdefault(name, value)
    return found


def _amount(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount > 0 else None


def _shown(view: StudentView, characters: int) -> str:
    first, *others = overall_lines(view)
    whole = [] if _title(first) == f"-{first}" else [first]  # a title is one line, and short
    lines = [_title(first), *(line for text in [*whole, *others] for line in _preformatted(text, characters))]
    for group in view.groups:
        lines.append(_title(f"{group.name}: {group.points:g} of {group.max_points:g} points"))
        for check in group.checks:
            lines += _check(check, characters)
    if printed := printed_words(view):
        lines += [_title("What your code printed"), *_preformatted(printed, characters)]
    return _block(lines)


def _check(check: CheckView, characters: int) -> list[str]:
    return [f">{check_line(check)}", *_preformatted(check_words(check), characters, "    ")]


def _block(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in ["<|--", *lines, "--|>"])


def _title(text: str) -> str:
    return f"-{plain_line(text, _TITLE_CHARACTERS)}"


def _preformatted(text: str, characters: int, indent: str = "") -> list[str]:
    """Lines that begin with a sign of ours, whatever is in them."""
    return [f">{indent}{line}" for line in capped(text, characters).split("\n") if line.strip()]
