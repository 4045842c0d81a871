"""Submissions and assignment -> the texts that are compared, and those that everybody was given.

Runs in the command. Intake has read and decoded the files; here their texts are put together, one after the other. What
is too long to be a person's work for a course is left out, and said so: nobody hides behind it unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from grader.content import stub_file, variant_files
from grader.model.assignment import Assignment
from grader.model.similar import LeftOut, SourceText, Work
from grader.model.submission import Submission

LONGEST = 100_000
"""Characters of one submission that are compared at most; homework has some ten thousand."""


def given_texts(assignment: Assignment) -> tuple[list[str], list[str]]:
    """The texts that students were given or that are the reference, and those of the right variants."""
    handout = {stub_file(assignment), *assignment.handout_dir.rglob("*.py")}
    given = [path for path in sorted(handout) if path.is_file()]
    if assignment.reference_file is not None:
        given.append(assignment.reference_file)
    right = variant_files(assignment, "right")
    return [path.read_text("utf-8") for path in given], [path.read_text("utf-8") for path in right]


def works_of(
    submissions: Iterable[Submission], given: Iterable[str], graded: Callable[[str], bool]
) -> tuple[list[Work], list[LeftOut]]:
    """The submissions that can be compared, and those that cannot; `graded` tells by its id which has a report."""
    unchanged = {text.strip() for text in given}
    works, left_out = [], []
    for submission in submissions:
        work = _work(submission, unchanged, graded(submission.id))
        if submission.main is None or not work.files:
            left_out.append(LeftOut(work, "nothing", submission.problem or ""))
        elif len(text_of(work)) > LONGEST:
            left_out.append(LeftOut(_without_texts(work), "long"))
        else:
            works.append(work)
    return works, left_out


def _work(submission: Submission, unchanged: set[str], graded: bool) -> Work:
    main = submission.main
    files = [SourceText(main, submission.sources[main])] if main in submission.sources and main is not None else []
    others = [
        SourceText(name, text)
        for name, text in submission.sources.items()
        if name != main and text.strip() and text.strip() not in unchanged
    ]
    part = sum(len(file.text) for file in [*files, *others]) > LONGEST and bool(others)
    members = submission.members
    named = [person.name or person.student for person in members] or [submission.name or submission.student]
    return Work(
        submission.id,
        submission.student,
        ", ".join(named),
        tuple(person.student for person in members) or (submission.student,),
        tuple(_plain_ends(file) for file in (files if part else [*files, *others])),
        graded,
        part,
    )


def _plain_ends(file: SourceText) -> SourceText:
    """The file with line feeds alone at the ends of its lines."""
    return SourceText(file.name, file.text.replace("\r\n", "\n").replace("\r", "\n"))


def _without_texts(work: Work) -> Work:
    return Work(work.id, work.student, work.called, work.people, (), work.graded, work.part)


def text_of(work: Work) -> str:
    """All its files, one after the other, each ending with a line feed."""
    return "".join(file.text + "\n" for file in work.files)
