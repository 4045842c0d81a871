"""What wrong variants are known to fail: `variants/failures.json`, by which `validate` saves most of its time.

Runs in the command. The file is written by `grader validate --write` after every check ran on every variant, and is
private like the variants beside it: names of hidden checks and what gets past them are in it. A variant whose text has
changed since is in it no more. For mutants it has the check that killed each, which is tried first the next time; that
decides how long the proof takes, never what it finds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from grader.batch.mutants import Mutant
from grader.batch.variants import Variant
from grader.errors import UsageProblem
from grader.model.assignment import Assignment
from grader.store import write_atomically

FILE = "failures.json"
_CANARY = "CANARY-" + "PRIVATE"  # in two parts: this module is public


class Failures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wrong variant: a digest of its text, the checks that it fails, and whether it does without the other checks.

    One that keeps something from call to call may pass `alone` what it fails after other checks.
    """

    text: str
    fails: list[str]
    alone: bool = True


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file. `canary` is the mark of private files; `wrong` has slugs as keys, `mutants` digests of names."""

    canary: str = ""
    wrong: dict[str, Failures] = {}
    mutants: dict[str, str] = {}

    def of(self, variant: Variant) -> Failures | None:
        """What is known of a wrong variant with this text."""
        known = self.wrong.get(variant.slug)
        return known if known is not None and known.text == digest(variant.text) else None

    def first_check(self, mutant: Mutant) -> tuple[str, ...]:
        """The check that killed a mutant of this name."""
        known = self.mutants.get(mutant_key(mutant))
        return () if known is None else (known,)

    def outdated(self, found: dict[str, Failures]) -> list[str]:
        """The variants that are another in what a complete run found, or in one of the two alone."""
        slugs = sorted(self.wrong.keys() | found.keys())
        return [slug for slug in slugs if _facts(self.wrong.get(slug)) != _facts(found.get(slug))]


def _facts(known: Failures | None) -> tuple[str, list[str]] | None:
    return None if known is None else (known.text, known.fails)


def digest(text: str) -> str:
    """Enough of a hash to tell an edited text from the one before."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def mutant_key(mutant: Mutant) -> str:
    """Mutants of one name share it: it serves a guess."""
    return digest("\n".join(mutant.name))


def failures(variant: Variant, fails: Iterable[str], alone: bool) -> Failures:
    """A wrong variant's entry."""
    return Failures(digest(variant.text), sorted(fails), alone)


def read_record(assignment: Assignment) -> Record | None:
    """An assignment's record; None if none was written yet.

    Raises:
        UsageProblem: the file is no such record.
    """
    path = assignment.folder / "variants" / FILE
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path}: {error}. Remove it; `grader validate --write` makes it again.") from None


def write_record(assignment: Assignment, wrong: dict[str, Failures], mutants: dict[str, str]) -> None:
    """Write the record, with a line for each variant and mutant so that differences can be read."""
    canary = msgspec.json.encode(f"{_CANARY}-{assignment.id}-failures").decode()
    content = f'{{"canary": {canary},\n"wrong": {_lines(wrong)},\n"mutants": {_lines(mutants)}}}\n'
    write_atomically(assignment.folder / "variants" / FILE, content.encode("utf-8"))


def _lines(entries: Mapping[str, object]) -> str:
    pairs = (f"{msgspec.json.encode(key).decode()}: {_spaced(entries[key])}" for key in sorted(entries))
    return "{\n" + ",\n".join(pairs) + "\n}"


def _spaced(entry: object) -> str:
    return msgspec.json.format(msgspec.json.encode(entry), indent=0).decode()
