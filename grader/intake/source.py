"""SOURCE -> submissions: whatever a class was downloaded as, in the layout of a platform or none.

Runs in the command, on hostile input. Hand-ins are found first, by names; each is read when its turn comes, once, so
that a class never lies in memory whole. Whatever is wrong with one submission costs its owner alone. Ids are safe as
file names and unique; names of folders and files stay data. With a roster, hand-ins are given to its people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import msgspec

from grader.errors import UsageProblem
from grader.intake.archive import archive_tree, few, is_archive
from grader.intake.assigning import Assigned, assigned
from grader.intake.attempts import Count, counting
from grader.intake.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    Files,
    LeftOutFile,
    RefusedFiles,
    plain_name,
    shown,
    too_many,
    unwrapped,
)
from grader.intake.ids import safe_ids
from grader.intake.layouts.base import Asked, HandIn
from grader.intake.layouts.plain import ONE
from grader.intake.recognise import AUTO, Seen, recognise
from grader.intake.submit import build_submission, refused_submission
from grader.intake.tree import Tree, folder_tree, regular_file
from grader.model.roster import Roster
from grader.model.submission import Submission

_FILES = (".py", ".ipynb")
_MOST_NAMES = 20
"""Of a hand-in's names in the download, as many are kept: to give feedback back takes one or two."""
IsLate = Callable[[str | None, str | None, list[str]], bool | None]
"""(time of handing in, extension, ids of the people) -> whether that is late, None if unknown."""


@dataclass(frozen=True)
class Rules:
    """How a class is read: what is wanted, which layout and which attempts, the course's zone, and its people."""

    required: tuple[str, ...] = ()
    assignment: str = ""
    layout: str = AUTO
    count: Count = "newest"
    zone: tzinfo = UTC
    is_late: IsLate = lambda submitted_at, extension, people: None
    roster: Roster | None = None


@dataclass(frozen=True)
class Found:
    """(id, reader) of every submission, in the order of their names, and names in SOURCE that are none.

    `layout` is what was recognised, `of_platform` tells whether a platform arranged it, `inside` is the folder or
    archive in SOURCE that was taken for the class. `late` counts by the platform's word, `groups` those of several
    people, `attempts` earlier or later ones that do not count. `zoneless`: the platform's times named no zone, and were
    taken for times in `zone`.
    """

    submissions: list[tuple[str, Callable[[], Submission]]]
    passed_over: list[str]
    layout: str = ""
    of_platform: bool = False
    late: int = 0
    groups: int = 0
    attempts: int = 0
    zoneless: bool = False
    zone: str = "UTC"
    inside: str = ""


def find_submissions(
    source: Path,
    main_file: str,
    out: Path | None = None,
    known: Mapping[str, str] | None = None,
    rules: Rules | None = None,
) -> Found:
    """What SOURCE holds, without the folder `out` that results are written to; ids of `known` students stay theirs.

    Raises:
        UsageProblem: SOURCE does not exist, cannot be read, or holds no submission.
    """
    rules = rules or Rules()
    if out is not None and source.is_dir() and source.resolve() == out.resolve():
        raise UsageProblem(f"OUT {out} is SOURCE itself; name another folder.")
    seen = _recognised(source, out, Asked(main_file, rules.assignment), rules)
    if seen is None or not seen[1].hand_ins:
        raise UsageProblem(f"{source} holds no submission; expected {main_file}, or a folder or file for each student.")
    layout, found, tree = seen
    hand_ins = [_with_zone(hand_in, rules.zone) for hand_in in found.hand_ins]
    given = assigned(_counting(hand_ins, rules), rules.roster)
    given.sort(key=lambda one: (one.hand_in.key, one.hand_in.who.student))
    owners = [[one.people[0].student, one.hand_in.who.student] for one in given]
    ids = safe_ids([one.hand_in.key for one in given], known or {}, owners)
    readers = [
        (name, _reader(name, one, tree, main_file, rules, _names_in(one.hand_in) if layout.of_platform else ()))
        for name, one in zip(ids, given, strict=True)
    ]
    return Found(
        readers,
        sorted({shown(name.partition("/")[0]) for name in found.passed_over}),
        layout.title,
        layout.of_platform,
        late=sum(one.hand_in.late is True for one in given),
        groups=sum(len(one.people) > 1 for one in given),
        attempts=len(hand_ins) - len(given),
        zoneless=any(before != after for before, after in zip(found.hand_ins, hand_ins, strict=True)),
        zone=str(rules.zone),
        inside=shown(tree.name) if _is_inside(tree, source) and (tree.packed or not layout.of_platform) else "",
    )


def read_one(tree: Tree, hand_in: HandIn, main_file: str, required: tuple[str, ...]) -> Submission:
    """The submission of one hand-in, whose files are in the tree; what is wrong with it is in its `problem`."""
    (one,), (name,) = assigned([hand_in], None), safe_ids([hand_in.key])
    return _reader(name, one, tree, main_file, Rules(required))()


def _recognised(source: Path, out: Path | None, asked: Asked, rules: Rules) -> Seen | None:
    if not source.exists():
        raise UsageProblem(f"SOURCE {source} does not exist.")
    if source.is_dir() or is_archive(source.name):
        tree = folder_tree(source, out) if source.is_dir() else archive_tree(source)
        return recognise(tree, asked, rules.layout)
    if source.suffix.lower() not in _FILES:
        raise UsageProblem(f"SOURCE {source} is no Python file, notebook, archive or folder; unpack it first.")
    stem, name = plain_name(source.stem), plain_name(source.name)
    tree = Tree(stem, {name: regular_file(source, name)})
    found = ONE.read(tree, asked)
    return None if found is None else (ONE, replace(found, hand_ins=(replace(found.hand_ins[0], flat=True),)), tree)


def _is_inside(tree: Tree, source: Path) -> bool:
    return source.is_dir() and tree.name != plain_name(source.resolve().name)


def _with_zone(hand_in: HandIn, zone: tzinfo) -> HandIn:
    """Its time in the course's zone where the platform names none."""
    if hand_in.submitted_at is None:
        return hand_in
    moment = datetime.fromisoformat(hand_in.submitted_at)
    if moment.tzinfo is not None:
        return hand_in
    return replace(hand_in, submitted_at=moment.replace(tzinfo=zone).isoformat())


def _counting(hand_ins: list[HandIn], rules: Rules) -> list[HandIn]:
    def is_late(hand_in: HandIn) -> bool | None:
        (one,) = assigned([hand_in], rules.roster)
        by_rule = rules.is_late(hand_in.submitted_at, one.extension, [who.student for who in one.people])
        return hand_in.late if by_rule is None else by_rule

    return counting(hand_ins, rules.count, is_late)


def _names_in(hand_in: HandIn) -> tuple[str, ...]:
    """What the platform calls the folders and loose files of a hand-in, a folder with `/` at its end."""
    tops = (place.partition("/") for place in hand_in.files.values())
    return tuple(sorted({f"{top}{slash}" for top, slash, _ in tops})[:_MOST_NAMES])


def _reader(
    name: str, one: Assigned, tree: Tree, main_file: str, rules: Rules, handed_in_as: tuple[str, ...] = ()
) -> Callable[[], Submission]:
    student = one.people[0].student

    def read() -> Submission:
        hand_in = one.hand_in
        if hand_in.unclear is not None:
            return refused_submission(name, student, hand_in.unclear, unreadable=True)
        try:
            files, notices = read_files(tree, hand_in.files)
            notices = [*hand_in.notices, *notices]
            return build_submission(name, student, files, notices, main_file, hand_in.flat, rules.required)
        except RefusedFiles as refused:
            return refused_submission(name, student, str(refused))
        except OSError as error:
            where = f": {shown(str(error.filename))}" if error.filename else ""
            reason = f"What was handed in cannot be read: {error.strerror}{where}."
            return refused_submission(name, student, reason, unreadable=True)
        except Exception as error:  # files of one must not cost the others their marks, nor a bug of ours a zero
            reason = f"What was handed in cannot be read: {type(error).__name__}: {shown(str(error))}."
            return refused_submission(name, student, reason, unreadable=True)

    return lambda: _told(read(), one, handed_in_as)


def _told(submission: Submission, one: Assigned, handed_in_as: tuple[str, ...]) -> Submission:
    """The submission with what the platform and the roster know of it."""
    return msgspec.structs.replace(
        submission,
        name=one.people[0].name,
        members=one.people if len(one.people) > 1 else (),
        submitted_at=one.hand_in.submitted_at,
        late=one.hand_in.late,
        extension=one.extension,
        handed_in_as=handed_in_as,
    )


def read_files(tree: Tree, names: Mapping[str, str]) -> tuple[Files, list[str]]:
    """The files of one submission, by their names in it, and notices about what was left out.

    Raises:
        RefusedFiles: there are too many, they are too large together, or one of them is refused.
        OSError: this machine cannot read one.
    """
    if len(names) > MAX_FILES:
        raise too_many()
    files: Files = {}
    left_out: list[str] = []
    total = 0
    for inside, place in names.items():
        try:
            files[inside] = tree.read(place, MAX_TOTAL_BYTES if is_archive(inside) else MAX_FILE_BYTES)
        except LeftOutFile as problem:
            left_out.append(str(problem))
            continue
        total += len(files[inside])
        if total > MAX_TOTAL_BYTES:
            raise too_many()
    if left_out and not files:
        raise RefusedFiles(left_out[0])
    return unwrapped(files), few([f"Left out: {text}" for text in left_out])
