"""The end of `grader grade`: the class is written and told, of all results that are there.

Runs in the command, after grading. With hidden names every report is written again, since pseudonyms depend on the
whole class, and whatever is told here goes through the veil. grades.csv and results/ have the names in any case.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.cli.class_talk import people_sentences
from grader.cli.regrade import Part
from grader.model.anonymous import Veil, veil_for
from grader.model.assignment import Assignment
from grader.model.late import people_of
from grader.model.result import GradeResult, in_language
from grader.model.roster import Roster, standing
from grader.model.terms import unknown_people
from grader.model.view import student_view
from grader.pipeline import publish_class, publish_report, publish_reports
from grader.render.talk import say
from grader.render.terminal import print_class
from grader.render.terminal_check import print_check
from grader.store import Run


@dataclass(frozen=True)
class Finished:
    """A run whose grading is over; `part` tells what became of those who were graded again."""

    run: Run
    assignment: Assignment
    templates: tuple[Path, ...]
    part: Part
    anonymous: bool

    def sum_up(self, here: set[str], only_here: bool, roster: Roster | None) -> list[str]:
        """Write and print the class, of all results or of those `here` alone; returns who is ungraded, as called."""
        self.run.prepare()
        if roster is not None or only_here:
            self.run.save_roster(roster)
        results = list(self.run.summaries())
        veil = veil_for(results, self.run.load_roster(), self.assignment.about.files) if self.anonymous else None
        called = veil.name if veil is not None else str
        self.part.tell(veil)
        if only_here:
            results = [result for result in results if result.submission.id in here]
        elif others := [called(result.submission.id) for result in results if result.submission.id not in here]:
            say(f"Also here, from other sources: {', '.join(others[:10])}. --fresh leaves them out of the class.")
        if strangers := _extended_strangers(self.assignment, results):
            who = f"{len(strangers)} of them" if veil is not None else ", ".join(strangers)
            say(f"Nobody here has the ids of these extensions in assignment.toml: {who}.")
        lang = self.assignment.about.lang
        self._write_reports(results, veil, lang)
        publish_class(results, self.run, self.templates, veil, lang)
        people = standing(self.run.load_roster(), results)
        for sentence in people_sentences(people if veil is None else veil.people(people)):
            say(sentence)
        if len(results) == 1 and (whole := self.run.load(results[0].submission.id)) is not None:
            print_check(student_view(whole if veil is None else veil.result(whole)), public=False)
        print_class(results if veil is None else veil.results(results), self.run.folder / "index.html")
        return [called(result.submission.id) for result in results if result.status == "ungraded"]

    def _write_reports(self, results: list[GradeResult], veil: Veil | None, lang: str) -> None:
        """Every report, where names are hidden or were; else those that are missing."""
        if veil is not None or self.run.is_anonymous():
            publish_reports(self.run, self.templates, veil, lang)
            return
        for name in [result.submission.id for result in results if not self.run.has_report(result.submission.id)]:
            if (whole := self.run.load(name)) is not None:
                publish_report(in_language(whole, lang), self.run, self.templates)


def _extended_strangers(assignment: Assignment, results: list[GradeResult]) -> list[str]:
    """Ids under `[deadline.extensions]` of people without a submission: perhaps typing errors."""
    if assignment.about.deadline is None:
        return []
    people = {person for result in results for person in people_of(result)}
    return unknown_people(assignment.about.deadline, people)
