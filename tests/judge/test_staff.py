"""What staff read of troubled processes: how they ended, what they used, what they were allowed."""

from __future__ import annotations

import pytest

from grader.judge import staff
from grader.judge.conversation import BudgetSpent
from grader.model.assignment import Limits
from grader.model.result import Incident
from grader.sandbox.base import StudentGone, StudentLied, StudentTimeout, StudentTrouble
from grader.sandbox.facts import ExitFacts

LIMITS = Limits(check_seconds=7, import_seconds=11, cpu_seconds=13, total_seconds=17, memory_mb=19)
ALLOWED = (
    "Limits: 7 s for a check, 11 s for the import, 17 s in all, 13 s of processor time, "
    "19 MB of memory above the warm interpreter."
)


def with_facts(trouble: StudentTrouble, facts: ExitFacts) -> StudentTrouble:
    """A trouble as the conversation hands it on."""
    trouble.facts = facts
    return trouble


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (StudentTimeout("check"), "Over the time of a check"),
        (StudentTimeout("import"), "Over the time of an import"),
        (StudentTimeout("processor"), "Over the processor time"),
        (StudentTimeout("total"), "Over the time of all checks"),
        (StudentGone(ExitFacts(-9, 1.0, 5000)), "Ended by SIGKILL"),
        (StudentGone(ExitFacts(3, 1.0, 5000)), "Exited with status 3"),
        (StudentGone(ExitFacts(-9, 1.0, 5000, over_memory=True)), "Out of memory"),
        (StudentLied("two replies"), "Protocol violation"),
        (BudgetSpent("all"), ""),
    ],
)
def test_endings(trouble: StudentTrouble, words: str) -> None:
    assert staff.ending(trouble) == words


def test_details_of_a_crash() -> None:
    trouble = with_facts(StudentGone(ExitFacts(-11, 0.0, 0)), ExitFacts(-11, 1.25, 300 << 10))
    assert staff.detail(trouble, LIMITS).splitlines() == [
        "Ended by SIGSEGV.",
        "Process: ended by itself (SIGSEGV).",
        ALLOWED,
    ]


def test_details_of_a_time_out() -> None:
    trouble = with_facts(StudentTimeout("check"), ExitFacts(-9, 6.5, 0))
    assert staff.detail(trouble, LIMITS).splitlines() == [
        "Over the time of a check.",
        "Process: ended by the grader.",
        ALLOWED,
    ]


def test_details_of_a_lie_are_cleaned_and_cut() -> None:
    text = staff.detail(StudentLied("two\x1b[31m replies " + "x" * 1000), LIMITS)
    assert text.startswith("Protocol violation: two replies xxx")
    assert "\x1b" not in text
    assert len(text) < 700


def test_checks_are_summed_up() -> None:
    endings = [("a", "Protocol violation"), ("b", ""), ("c", "Ended by SIGKILL"), ("d", "Protocol violation")]
    assert staff.summary(endings) == ["Protocol violation in checks a, d.", "Ended by SIGKILL in check c."]
    assert staff.summary([("a", "")]) == []


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (StudentTimeout("check"), None),
        (StudentGone(ExitFacts(-9, 1.0, 5000)), "ended"),
        (StudentGone(ExitFacts(0, 1.0, 5000)), "ended"),
        (StudentGone(ExitFacts(-31, 1.0, 5000)), "forbidden"),
        (StudentGone(ExitFacts(-9, 1.0, 5000, over_memory=True)), None),
        (StudentLied("two replies"), "protocol"),
        (BudgetSpent("all"), None),
    ],
)
def test_incidents(trouble: StudentTrouble, kind: str | None) -> None:
    assert staff.incident(trouble) == kind


def test_incidents_are_grouped_by_kind() -> None:
    found = staff.incidents(["ended", None], [("a", "protocol"), ("b", None), ("c", "ended"), ("d", "protocol")])
    assert found == [Incident("protocol", ["a", "d"]), Incident("ended", ["c"], True)]
    assert staff.incidents(["refused"], []) == [Incident("refused", [], True)]
    assert staff.incidents([None], [("a", None)]) == []
