"""One person after another: decide what is missing in the LMS, note it, send it, note that it arrived.

Runs in the command. Nothing is sent that is there: what was sent before is in the record, and whatever is doubtful is
looked up in the LMS. A score, comment or file that somebody else put there is not touched unless the user says so.
Interrupted at any point, the record tells the next run the truth or that it has to look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import msgspec

from grader.push.base import Held, LmsPerson, Parcel, Pusher, Refused, TokenRefused, Unreachable, Unsettled
from grader.push.parcels import digest
from grader.push.record import Entry, Pending, Record, Sent
from grader.push.retry import Patience
from grader.push.scaling import kept, same, short


class Unknown(Refused):
    """It is not known whether it arrived: the LMS may be in trouble."""


@dataclass(frozen=True)
class Wanted:
    """What a person is to have in the end; a comment or report of None is not asked for."""

    person: LmsPerson
    submission: str
    parcel: Parcel


@dataclass(frozen=True)
class Step:
    """What is missing of it, and what the person has. `conflict` says why nothing may be sent."""

    parcel: Parcel
    held: Held
    conflict: str = ""

    @property
    def is_nothing(self) -> bool:
        """Whether all is there already."""
        return self.parcel.score is None and self.parcel.comment is None and self.parcel.report is None


class Delivery:
    """Deliveries to one assignment. `now` is for the record alone."""

    def __init__(
        self,
        pusher: Pusher,
        record: Record,
        patience: Patience,
        overwrite: bool,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._pusher = pusher
        self._record = record
        self._patience = patience
        self._overwrite = overwrite
        self._now = now
        self._first_look: Mapping[str, Held] | None = None
        self._unanswered: list[tuple[Wanted, str]] = []

    def plan(self, wanted: Wanted) -> Step:
        """What would be sent to this person. Sends and writes nothing."""
        held = self._look(wanted)
        return self._missing(wanted, settled(self._record.get(wanted.person.id), held), held)

    def deliver(self, wanted: Wanted) -> Step:
        """Send what is missing; returns what that was.

        Raises:
            Refused: not sent; says why. Of these, Unknown: perhaps sent, after all tries.
            TokenRefused, Unreachable: nothing more can be sent to anybody.
            OSError: the record cannot be written; then nothing was sent without being noted.
        """
        held, why = self._look(wanted), ""
        first: Step | None = None
        for tried in range(1, self._patience.tries + 1):
            before = self._record.get(wanted.person.id)
            known = settled(before, held)
            step = self._missing(wanted, known, held)
            first = first or step
            if step.conflict:
                self._keep(wanted, known, before)
                raise Refused(step.conflict)
            if step.is_nothing:
                self._keep(wanted, self._adopted(wanted, known), before)
                return first
            try:
                self._send(wanted, step, known)
            except Unsettled as error:
                why = str(error)
                if tried < self._patience.tries:
                    self._patience.wait(tried, f"{why}, so it is looked up whether it arrived")
                    held = self._pusher.held(wanted.person.id)
            else:
                return first
        raise Unknown(f"{why}, in {self._patience.tries} tries; whether it arrived is not known, the next run looks")

    def unconfirmed(self) -> list[tuple[Wanted, Held]]:
        """Those whose score the LMS took in silence and does not have; the record forgets it, too."""
        if not self._unanswered:
            return []
        held = self._pusher.held_by_all()
        wrong = []
        for wanted, score in self._unanswered:
            has = held.get(wanted.person.id, Held())
            entry = self._record.get(wanted.person.id)
            if not kept(has.score, _number(score)) and entry is not None:
                self._record.put(wanted.person.id, _without_score(entry, has))
                wrong.append((wanted, has))
        return wrong

    def _look(self, wanted: Wanted) -> Held:
        """What the person has: from one look at all, and from a closer one where that does not tell the comments."""
        if self._first_look is None:
            self._first_look = self._pusher.held_by_all()
        held = self._first_look.get(wanted.person.id, Held(told=False))
        return held if held.told else self._pusher.closer(wanted.person.id, held)

    def _missing(self, wanted: Wanted, entry: Entry | None, held: Held) -> Step:
        parcel, sent = wanted.parcel, entry.sent if entry else Sent()
        # Only of what was sent may the LMS have made another number: else a score just below all points would be none.
        is_there = kept if sent.score == parcel.score else same
        score = None if is_there(held.score, _number(parcel.score or "")) else parcel.score
        texts = {digest(comment.text) for comment in held.comments}
        # Without an entry somebody may have lost the record: what is there already is not sent again.
        has_comment = digest(parcel.comment or "") in ({sent.comment} | (texts if not sent.comment else set()))
        has_report = parcel.report is not None and parcel.report.name in (
            {sent.report} | (held.files if not sent.report else set())
        )
        if not self._pusher.appends and held.told:
            has_comment = digest(parcel.comment or "") in texts
            has_report = parcel.report is not None and parcel.report.name in held.files
        step = Step(
            Parcel(
                score,
                None if parcel.comment is None or has_comment else parcel.comment,
                None if has_report else parcel.report,
                parcel.for_group,
            ),
            held,
        )
        conflict = "" if self._overwrite else self._conflict(step, sent, held)
        return Step(step.parcel, held, conflict)

    def _conflict(self, step: Step, sent: Sent, held: Held) -> str:
        """Why this would undo what somebody else did; empty if it would not."""
        if step.parcel.score is not None and held.held_back:
            return f"{held.held_back}; --overwrite sends {step.parcel.score} all the same"
        if step.parcel.score is not None and not kept(held.score, _number(sent.score)):
            has = "no score" if held.score is None else f"score {short(held.score)}"
            who = f", given by {self._pusher.name_of(held.grader)}" if held.grader and held.score is not None else ""
            when = f" at {held.at}" if held.at and held.score is not None else ""
            ours = f"we sent {sent.score}" if sent.score else "not from this run"
            return f"has {has}{who}{when} ({ours}); --overwrite sends {step.parcel.score} all the same"
        if self._pusher.appends:
            return ""
        strange = [c for c in held.comments if c.text.strip() and digest(c.text) != sent.comment]
        if step.parcel.comment is not None and strange:
            return "has a comment that is not from this run, which ours would replace; --overwrite does so"
        if step.parcel.comment is not None and not held.told and held.score is not None and not sent.comment:
            return (
                "was graded, and the LMS does not tell with which comment; ours would replace it; --overwrite does so"
            )
        if step.parcel.report is not None and held.files - {sent.report}:
            return "has feedback files that are not from this run, which ours would replace; --overwrite does so"
        return ""

    def _send(self, wanted: Wanted, step: Step, known: Entry | None) -> None:
        parcel, person = step.parcel, wanted.person.id
        sent = known.sent if known else Sent()
        at = self._now().isoformat(timespec="seconds")
        pending = Pending(
            score=parcel.score or "",
            comment=digest(parcel.comment) if parcel.comment is not None else "",
            report=parcel.report.name if parcel.report else "",
            seen=[comment.id for comment in step.held.comments],
            at=at,
        )
        self._record.put(person, Entry(wanted.submission, sent, pending))
        try:
            has = self._pusher.send(person, parcel, step.held)
        except (Refused, TokenRefused, Unreachable):
            self._record.put(person, Entry(wanted.submission, sent))  # surely not arrived
            raise
        arrived = _after(sent, pending)
        if parcel.score is not None and has is not None and not kept(has, _number(parcel.score)):
            self._record.put(person, Entry(wanted.submission, msgspec.structs.replace(arrived, score=short(has))))
            raise Refused(f"the score {parcel.score} was sent, and the LMS has {short(has)} now")
        self._record.put(person, Entry(wanted.submission, arrived))
        if parcel.score is not None and has is None:
            self._unanswered.append((wanted, parcel.score))

    def _adopted(self, wanted: Wanted, known: Entry | None) -> Entry:
        """An entry that says what is there, for somebody who has all."""
        parcel, sent = wanted.parcel, known.sent if known else Sent()
        has = Sent(
            score=parcel.score or sent.score,
            comment=digest(parcel.comment) if parcel.comment is not None else sent.comment,
            report=parcel.report.name if parcel.report else sent.report,
            at=sent.at or self._now().isoformat(timespec="seconds"),
        )
        return Entry(wanted.submission, has)

    def _keep(self, wanted: Wanted, entry: Entry | None, before: Entry | None) -> None:
        if entry is not None and entry != before:
            self._record.put(wanted.person.id, entry)


def settled(entry: Entry | None, held: Held) -> Entry | None:
    """An entry without `pending`: of what was on its way, that which is in the LMS has arrived."""
    if entry is None or entry.pending is None:
        return entry
    pending, sent = entry.pending, entry.sent
    new = [comment for comment in held.comments if comment.id not in pending.seen]
    score = pending.score if pending.score and kept(held.score, _number(pending.score)) else ""
    comment = pending.comment if any(digest(one.text) == pending.comment for one in new) else ""
    report = pending.report if any(pending.report in one.files for one in new) else ""
    return Entry(entry.submission, _after(sent, Pending(score, comment, report, at=pending.at)))


def _after(sent: Sent, arrived: Pending) -> Sent:
    return Sent(
        score=arrived.score or sent.score,
        comment=arrived.comment or sent.comment,
        report=arrived.report or sent.report,
        at=arrived.at if arrived.score or arrived.comment or arrived.report else sent.at,
    )


def _without_score(entry: Entry, held: Held) -> Entry:
    score = "" if held.score is None else short(held.score)
    return Entry(entry.submission, msgspec.structs.replace(entry.sent, score=score))


def _number(score: str) -> Decimal | None:
    return Decimal(score) if score else None
