"""Grading an assignment's own variants: the proof of its tests, and the source of its diagnoses.

Runs in the command, with the engine of a run. Variants are the author's code and are graded exactly as submissions are.
What the wrong ones make the checks observe is kept in the user's cache folder, one file a version of assignment and
variants, readable by the user alone: it holds hidden values.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec

import grader
from grader.batch.engines import Engine
from grader.batch.reading import read_on, split_docstring
from grader.content import stub_file, variant_files
from grader.errors import UsageProblem
from grader.judge.diagnosis import Misconceptions, describe_variant
from grader.model.assignment import Assignment
from grader.model.result import GradeResult, ReadOn
from grader.model.submission import Submission
from grader.pipeline import judged
from grader.store import write_atomically


@dataclass(frozen=True)
class Variant:
    """A solution of the author's: `kind` is reference, stub, right or wrong; `text` its source.

    A wrong one has an `explanation`, for students, and may say where the handout tells them more.
    """

    kind: str
    slug: str
    text: str
    explanation: str = ""
    read_on: ReadOn | None = None


def read_variants(assignment: Assignment, kinds: tuple[str, ...]) -> list[Variant]:
    """The variants of these kinds, in the order of the kinds and their names.

    Raises:
        UsageProblem: a wrong one is no Python, or says to read on where the handout has nothing.
    """
    found: list[Variant] = []
    for kind in kinds:
        if kind == "reference" and assignment.reference_file is not None:
            paths = [assignment.reference_file]
        elif kind == "stub":
            paths = [stub_file(assignment)]
        else:
            paths = variant_files(assignment, kind)
        if kind == "wrong":
            found += [_wrong_variant(path, assignment) for path in paths]
        else:
            found += [Variant(kind, path.stem, path.read_text("utf-8")) for path in paths]
    return found


def _wrong_variant(path: Path, assignment: Assignment) -> Variant:
    """A wrong variant with what its docstring says."""
    text = path.read_text("utf-8")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UsageProblem(f"The variant wrong {path.stem} is no Python, line {error.lineno}.") from None
    explanation, pointer = split_docstring(ast.get_docstring(tree) or "")
    place = read_on(pointer, path, assignment.handout_dir / "README.md") if pointer else None
    return Variant("wrong", path.stem, text, explanation, place)


def submission_of(variant: Variant, assignment: Assignment) -> Submission:
    """A variant as somebody would hand it in; its id is the kind and the slug."""
    main = assignment.main_file
    return Submission(f"{variant.kind}-{variant.slug}", variant.slug, (), main, {main: variant.text})


def grade_variants(
    engine: Engine, assignment: Assignment, variants: list[Variant], done: Callable[[], None]
) -> dict[tuple[str, str], GradeResult]:
    """Results by (kind, slug); `done` is called after each."""
    work = [_reader(submission_of(variant, assignment)) for variant in variants]
    results: dict[tuple[str, str], GradeResult] = {}
    for result in engine.grade_all(work, lambda submission, judge: judged(submission, judge, assignment, "")):
        kind, _, slug = result.submission.id.partition("-")
        results[kind, slug] = result
        done()
    return results


def _reader(submission: Submission) -> Callable[[], Submission]:
    return lambda: submission


def misconceptions_from(
    assignment: Assignment, variants: list[Variant], results: dict[tuple[str, str], GradeResult]
) -> Misconceptions:
    """What the results of the wrong variants teach."""
    known = [
        describe_variant(variant.slug, variant.explanation, results[variant.kind, variant.slug], variant.read_on)
        for variant in variants
        if variant.kind == "wrong"
    ]
    return Misconceptions(assignment.fingerprint, known)


def still_to_learn(assignment: Assignment) -> int:
    """How many variants `known_misconceptions` would have to grade: none where it remembers this version."""
    variants = read_variants(assignment, ("wrong",))
    return 0 if _memory(assignment, variants).is_file() else len(variants)


def known_misconceptions(engine: Engine, assignment: Assignment, done: Callable[[], None]) -> Misconceptions:
    """The misconceptions of this version of the assignment, from the cache or graded now."""
    if (remembered := remembered_misconceptions(assignment)) is not None:
        return remembered
    variants = read_variants(assignment, ("wrong",))
    results = grade_variants(engine, assignment, variants, done)
    known = misconceptions_from(assignment, variants, results)
    if any(result.status == "ungraded" for result in results.values()):
        return known  # what is missing may be there the next time
    memory = _memory(assignment, variants)
    with contextlib.suppress(OSError):  # without a cache the next run grades them again
        memory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        memory.parent.chmod(0o700)
        write_atomically(memory, msgspec.msgpack.encode(known))
    return known


def remembered_misconceptions(assignment: Assignment) -> Misconceptions | None:
    """Those of this version that need no grading: from the cache, or none at all; None if they have to be learned."""
    variants = read_variants(assignment, ("wrong",))
    if not variants:
        return Misconceptions(assignment.fingerprint, [])
    return _remembered(_memory(assignment, variants))


def _memory(assignment: Assignment, variants: list[Variant]) -> Path:
    """The file that remembers what these variants teach, in this version of everything that matters."""
    versions = f"{grader.__version__} {metadata.version('torch')}"
    digest = hashlib.sha256(f"{assignment.fingerprint} {versions}".encode("ascii"))
    for variant in variants:
        digest.update(f"\n{variant.slug} {len(variant.text)}\n{variant.text}".encode())
    return cache_folder() / f"{assignment.id}-{digest.hexdigest()[:32]}.msgpack"


def _remembered(memory: Path) -> Misconceptions | None:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.msgpack.decode(memory.read_bytes(), type=Misconceptions)
    return None


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/grader`, or `~/.cache/grader`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "grader"
