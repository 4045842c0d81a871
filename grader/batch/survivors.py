"""Mutants that pass every check: each has its reason in `variants/equivalent.toml`, or shows a hole in the checks.

Runs in the command. The file is the author's word, private like the variants beside it. An entry names a mutant by its
function, its operator and its statement before and after, so that it outlives edits elsewhere; one that fits no
survivor any more is reported as well.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

import msgspec

from grader.batch.mutants import Mutant
from grader.errors import UsageProblem
from grader.model.assignment import Assignment

WANTED_SHARE = 0.98
"""Of all mutants, the equivalent ones included, at least so many must be killed."""
_FILE = "equivalent.toml"


class Equivalent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The author's word that a mutant does what the reference does, as far as the assignment asks, and why."""

    function: str
    operator: str
    before: str
    after: str
    reason: str

    @property
    def name(self) -> tuple[str, str, str, str]:
        """As `Mutant.name`."""
        return self.function, self.operator, self.before, self.after


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    mutant: list[Equivalent] = []


@dataclass(frozen=True)
class Survivor:
    """A mutant that passed everything, and the author's reason, if there is one."""

    mutant: Mutant
    reason: str | None


@dataclass(frozen=True)
class MutantReport:
    """What became of the mutants of one reference; of `ungraded` ones nothing is known but what was said."""

    total: int
    survivors: list[Survivor]
    stale: list[Equivalent]
    ungraded: list[tuple[Mutant, str]]

    @property
    def killed(self) -> int:
        """How many failed a check, or could not be loaded at all."""
        return self.total - len(self.survivors) - len(self.ungraded)

    @property
    def share(self) -> float:
        """Killed ones of all."""
        return self.killed / self.total if self.total else 1.0

    def surprises(self) -> list[str]:
        """Whatever is not as it must be, a sentence each."""
        found = [f"the mutant {told(mutant)} was not graded: {why}" for mutant, why in self.ungraded]
        found += [
            f"a mutant passes everything, and {_FILE} has no reason for it: {told(survivor.mutant)}"
            for survivor in self.survivors
            if survivor.reason is None
        ]
        found += [
            f"{_FILE} excuses a mutant that does not survive or does not exist: "
            f"{entry.function}, {entry.operator}: {entry.before} -> {entry.after}"
            for entry in self.stale
        ]
        if self.share < WANTED_SHARE:
            found.append(f"{self.killed} of {self.total} mutants are killed: {self.share:.1%}, not {WANTED_SHARE:.0%}")
        return found


def told(mutant: Mutant) -> str:
    """A mutant in one line."""
    return f"{mutant.function}, line {mutant.line}, {mutant.operator}: {mutant.before} -> {mutant.after}"


def report(
    mutants: list[Mutant], survived: list[Mutant], ungraded: list[tuple[Mutant, str]], known: list[Equivalent]
) -> MutantReport:
    """Put the author's reasons to the mutants that survived."""
    reasons = {entry.name: entry.reason for entry in known}
    survivors = [Survivor(mutant, reasons.get(mutant.name)) for mutant in survived]
    here = {mutant.name for mutant in survived}
    return MutantReport(len(mutants), survivors, [entry for entry in known if entry.name not in here], ungraded)


def read_equivalents(assignment: Assignment) -> list[Equivalent]:
    """The entries of an assignment's `variants/equivalent.toml`; none where there is no such file.

    Raises:
        UsageProblem: it is no TOML, or an entry lacks a key or has one that does not exist.
    """
    path = assignment.folder / "variants" / _FILE
    if not path.is_file():
        return []
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File).mutant
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageProblem(f"{path}: {error}.") from None
