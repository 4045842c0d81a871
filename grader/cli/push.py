"""`grader push`: scores, comments and reports of a run, sent to an LMS by its own interface.

Runs in the command. Grades nothing and runs no student code. What students read is made from a `StudentView`; the token
comes from the environment or a file, and is never printed. `grader.push.deliver` decides what is sent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import click

from grader import registry
from grader.errors import MachineProblem, UsageProblem, unwritable
from grader.model.anonymous import Veil
from grader.model.result import GradeResult
from grader.model.text import plain_line
from grader.model.view import student_view
from grader.pipeline import veil_over
from grader.push.base import LmsPerson, Parcel, Pusher, Refused, Target, TokenRefused, Unreachable, Wishes
from grader.push.deliver import Delivery, Step, Unknown, Wanted
from grader.push.parcels import attachment, comment_text
from grader.push.people import find_people
from grader.push.record import Record
from grader.push.retry import Patience
from grader.push.scaling import scale_sentence, scaled, short
from grader.push.tokens import Token, read_token
from grader.push.urls import checked_url
from grader.render.talk import say
from grader.store import Run

Connect = Callable[[Target, Token, Patience, Wishes], Pusher]

LEFT_STATUS = 3
_IN_A_ROW = 3
"""So many people one after another of whom it is unknown whether they got theirs: the LMS is in trouble."""


@click.command(name="push")
@click.argument("lms", type=click.Choice(list(registry.PUSHERS)))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--url", required=True, metavar="URL", help="Address of the LMS, as https://canvas.example.edu.")
@click.option(
    "--course-id", default="", metavar="NUMBER", help="The course in the LMS (Moodle: only to find it faster)."
)
@click.option("--assignment-id", required=True, metavar="NUMBER", help="The assignment in the LMS.")
@click.option("--dry-run", is_flag=True, help="Tell what would be sent, and send nothing.")
@click.option(
    "--comments",
    type=click.Choice(["summary", "none"]),
    default="summary",
    show_default=True,
    help="What to write to students beside the score.",
)
@click.option("--report", "reports", is_flag=True, help="Send each student's HTML report as a file, too.")
@click.option("--group-comment", is_flag=True, help="Canvas: of a group whose members the run does not know, to all.")
@click.option("--only", multiple=True, metavar="ID", help="This submission alone; may be given more than once.")
@click.option("--overwrite", is_flag=True, help="Also where somebody else gave a score since, or wrote a comment.")
@click.option("--tries", type=click.IntRange(1, 20), default=6, show_default=True, help="Tries before giving up.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with the token, which only you can read (else $CANVAS_TOKEN, $MOODLE_TOKEN).",
)
@click.option("--insecure-http", is_flag=True, help="Allow an address without encryption; anybody can read the token.")
def command(  # noqa: PLR0913, PLR0917  click hands over each option by itself
    lms: str,
    folder: Path,
    url: str,
    course_id: str,
    assignment_id: str,
    dry_run: bool,
    comments: str,
    reports: bool,
    group_comment: bool,
    only: tuple[str, ...],
    overwrite: bool,
    tries: int,
    token_file: Path | None,
    insecure_http: bool,
) -> None:
    """Send the scores of the run in DIR to an LMS, with a short comment each.

    What was sent is kept in DIR/pushed-….json: a second run sends only what changed, one that was stopped goes on. A
    score that somebody else gave in the LMS stays, unless --overwrite is given. `ungraded` sends nothing. Needs the
    extra `push`. Exit status: 0 all is in the LMS, 3 some could not be sent.
    """
    if not (folder / "results").is_dir():
        raise UsageProblem(f"{folder} holds no run: there is no folder `results` in it.")
    run, patience = Run(folder), Patience(tries=tries, tell=say)
    wishes = Wishes(comments != "none", reports, overwrite, group_comment)
    connect, address = _connector(lms), checked_url(url, insecure_http)
    target = Target(lms, address, course_id, assignment_id)
    token = read_token(f"{lms.upper()}_TOKEN", os.environ, token_file)
    if not dry_run:
        run.prepare()
    results = _chosen(run, only)
    with _plain_words():
        pusher = connect(target, token, patience, wishes)
        work = _Pushing(run, pusher, lms, wishes, dry_run, frozenset(only))
        wanted = work.prepare(results)
        work.go(wanted, Delivery(pusher, Record(folder, target), patience, overwrite))
    if work.left:
        raise click.exceptions.Exit(LEFT_STATUS)


def _connector(lms: str) -> Connect:
    """How to connect to an LMS, once what that needs is installed."""
    try:
        found: Connect = registry.load(registry.PUSHERS[lms])
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("grader"):
            raise
        raise UsageProblem(
            f"Pushing needs {error.name} (the extra `push`); install it with: pip install canvasapi requests"
        ) from None
    return found


def _chosen(run: Run, only: tuple[str, ...]) -> list[GradeResult]:
    """The results of the run, or those with these ids."""
    results = list(run.summaries())
    if strangers := sorted(set(only) - {result.submission.id for result in results}):
        raise UsageProblem(f"{run.folder} has no result with the id {strangers[0]}; ids are the names in its results/.")
    if not results:
        raise UsageProblem(f"{run.folder} holds no result that can be read.")
    return results


@contextmanager
def _plain_words() -> Iterator[None]:
    """What ends the command, in a sentence: the token, the network, the disk."""
    try:
        yield
    except TokenRefused as error:
        raise UsageProblem(f"{error}. Nothing more was sent.") from None
    except Unreachable as error:
        raise MachineProblem(f"{error}. What was sent is noted; run the same command again to go on.") from None
    except Refused as error:  # before the first person
        raise UsageProblem(f"{error}. Nothing was sent.") from None


@dataclass
class _Pushing:
    """One run of `push`: whom it found, and what became of each."""

    run: Run
    pusher: Pusher
    lms: str
    wishes: Wishes
    dry_run: bool
    only: frozenset[str]
    veil: Veil | None = None
    sent: list[Wanted] = field(default_factory=list)
    same: int = 0
    ungraded: int = 0
    invalid: int = 0
    left: int = 0

    def prepare(self, results: list[GradeResult]) -> list[Wanted]:
        """Find everybody, and what each is to have; tells what cannot be sent to whom."""
        facts = self.pusher.assignment()
        name = self.lms.capitalize()
        say(f"{name} assignment “{facts.name}”, {short(facts.points)} points.")
        for note in filter(None, (*facts.notes, scale_sentence(results[0].max_score, facts.points, name))):
            say(note)
        if self.run.is_anonymous():
            self.veil = veil_over(self.run, [])
        found = find_people(results, self.pusher.people(), self.run.load_roster(), facts.teams)
        for submission, why in found.nobody:
            if self._is_meant(submission):
                self._leave(self._called(submission), why if self.veil is None else "it is not clear whose work it is")
        wanted = []
        for person, result in found.pairs:
            if not self._is_meant(result.submission.id):
                continue
            if result.score is None:
                self.ungraded += 1
                self._leave(self._label(result.submission.id, person), "ungraded, nothing is sent; see the class page")
            elif (parcel := self._parcel(result, facts.points, self._label(result.submission.id, person))) is not None:
                self.invalid += result.status == "invalid"
                wanted.append(Wanted(person, result.submission.id, parcel))
        return wanted

    def go(self, wanted: list[Wanted], delivery: Delivery) -> None:
        """Send to one after another, and sum up, also when stopped."""
        try:
            if self.dry_run:
                for one in wanted:
                    self._tell(one, delivery.plan(one))
            else:
                self._deliver(wanted, delivery)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritable(error, self.run.folder) from None
        finally:
            self._sum_up()

    def _deliver(self, wanted: list[Wanted], delivery: Delivery) -> None:
        unknown = 0
        for one in wanted:
            try:
                step = delivery.deliver(one)
            except TokenRefused as error:  # it was accepted at first: revoked, or expired
                raise MachineProblem(f"{error}. What was sent is noted; nothing more was sent.") from None
            except Refused as error:
                self._leave(self._label(one.submission, one.person), str(error))
                unknown = unknown + 1 if isinstance(error, Unknown) else 0
                if unknown == _IN_A_ROW:
                    name = self.lms.capitalize()
                    raise Unreachable(f"{name} is in trouble: of {unknown} in a row nobody knows") from None
            else:
                unknown = 0
                self._tell(one, step)
        for one, held in delivery.unconfirmed():
            has = "none" if held.score is None else short(held.score)
            self.sent.remove(one)
            why = f"{self.lms.capitalize()} took the score {one.parcel.score} and has {has}: is it graded by a rubric?"
            self._leave(self._label(one.submission, one.person), why)

    def _parcel(self, result: GradeResult, points: Decimal, label: str) -> Parcel | None:
        """What this result's people are to have; None if the report that was asked for is not there."""
        assert result.score is not None
        report = None
        if self.wishes.reports:
            path = self.run.folder / self.run.report_name(result.submission.id)
            try:
                report = attachment(result.assignment.id, path.read_bytes())
            except OSError:
                self._leave(label, f"the report is not there; run: grader report {self.run.folder}")
                return None
        comment = comment_text(student_view(result), report is not None) if self.wishes.comments else None
        for_group = self.wishes.group_comment and not result.submission.members
        return Parcel(scaled(result.score, result.max_score, points), comment, report, for_group)

    def _tell(self, wanted: Wanted, step: Step) -> None:
        """A line about somebody: what is sent, or would be."""
        label = self._label(wanted.submission, wanted.person)
        if step.conflict:
            self._leave(label, step.conflict)
            return
        if step.is_nothing:
            self.same += 1
            return
        self.sent.append(wanted)
        click.echo(plain_line(f"{label}: {_described(step)}", 600))

    def _leave(self, label: str, why: str) -> None:
        self.left += 1
        say(f"Not sent: {label}: {why}.")

    def _sum_up(self) -> None:
        parts = [f"{len(self.sent)} {'would be sent' if self.dry_run else 'sent'}", f"{self.same} had all already"]
        if self.left:
            parts.append(f"{self.left} not sent" + (f" ({self.ungraded} of them ungraded)" if self.ungraded else ""))
        say(f"{'Dry run, nothing was sent' if self.dry_run else self.lms.capitalize()}: {', '.join(parts)}.")
        if self.invalid:
            say(f"{self.invalid} of these are invalid: nothing gradable was handed in, which is a real 0.")

    def _is_meant(self, submission: str) -> bool:
        return not self.only or submission in self.only

    def _called(self, submission: str) -> str:
        return self.veil.name(submission) if self.veil is not None else submission

    def _label(self, submission: str, person: LmsPerson) -> str:
        if self.veil is not None:
            return self.veil.name(submission)
        return plain_line(
            f"{submission}, {person.name} ({person.id})" if person.name else f"{submission} ({person.id})"
        )


def _described(step: Step) -> str:
    parcel, parts = step.parcel, []
    if parcel.score is not None:
        before = "none" if step.held.score is None else short(step.held.score)
        parts.append(f"score {before} → {parcel.score}")
    if parcel.comment is not None:
        parts.append(f"comment “{parcel.comment.partition(chr(10))[0]}”")
    if parcel.report is not None:
        parts.append(f"file {parcel.report.name}")
    return ", ".join(parts)
