"""A judging session: the checks of one assignment, collected once, and `Judge.judge`, which grades a submission.

Runs in the judge. `collect_checks` starts pytest in this process and gives control to its caller with a warm `Judge`;
whoever grades many submissions forks from there (see `grader.batch.slot`), so that each is judged by a process that
has seen no other. A check passes only if its body ran to its end without an exception.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

import grader
from grader.content import check_files, reference_submission
from grader.errors import UsageProblem
from grader.judge import import_text, outcome, scoring, staff
from grader.judge.allowance import Allowance, limits_within
from grader.judge.basis import digest
from grader.judge.conversation import Conversation
from grader.judge.places import Work
from grader.judge.plan import USUAL, Plan
from grader.judge.plugin import CheckSpec, JudgePlugin
from grader.judge.run import CheckRun, Control, Output
from grader.judge.student import Student, StudentRaised
from grader.model import result as records
from grader.model.assignment import Assignment, Limits
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox, SandboxBroken, StudentTrouble

_PYTEST_ARGUMENTS = [
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:logging", "-p", "no:warnings", "-p", "no:faulthandler",
    "-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:junitxml", "-p", "no:doctest",
    "-p", "no:stepwise", "-p", "no:pastebin", "-p", "no:setuponly", "-p", "no:setupplan",
    "--capture=no", "--assert=plain", "--import-mode=importlib",
    "--noconftest", "--strict-markers", "--override-ini=python_files=check_*.py test_*.py",
]  # fmt: skip
_SILENT = Output(records.Printed(), records.Printed())


def collect_checks(assignment: Assignment, public_only: bool, serve: Callable[[Judge], None]) -> None:
    """Collect the checks and call `serve` with a judge; returns when `serve` does.

    Raises:
        UsageProblem: the checks cannot be loaded, or their points do not sum to what the assignment promises.
    """
    files = check_files(assignment, public_only)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # whatever else is installed here must not touch the checks
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    plugin = JudgePlugin(assignment, lambda ready: serve(Judge(assignment, ready, public_only)))
    # An empty configuration of our own: a pyproject.toml above the course must not change how its checks run.
    place = [f"--rootdir={assignment.folder}", "-c", os.devnull]
    status = pytest.main([*_PYTEST_ARGUMENTS, *place, *(str(path) for path in files)], plugins=[plugin])
    if plugin.problem is not None:
        raise plugin.problem
    if not plugin.served:
        raise UsageProblem(f"The checks of {assignment.id} cannot be collected (pytest ended with status {status}).")


@dataclass(frozen=True)
class _Findings:
    """What a grading came to, before it is written as a result; `reason` is set if the checks did not run."""

    status: records.Status | None = None
    reason: str | None = None
    checks: list[records.CheckResult] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    staff_notices: list[str] = field(default_factory=list)
    layers: list[str] = field(default_factory=list)
    output: Output = _SILENT
    incidents: list[records.Incident] = field(default_factory=list)


@dataclass(frozen=True)
class _Way:
    """How one submission is judged: as planned, within which limits, and within which time of a platform's."""

    plan: Plan
    limits: Limits
    allowance: Allowance


class Judge:
    """The collected checks of one assignment; grades one submission at a time."""

    def __init__(self, assignment: Assignment, plugin: JudgePlugin, public_only: bool) -> None:
        self._assignment = assignment
        self._plugin = plugin
        self.max_score = scoring.exact_sum(spec.points for spec in plugin.specs)
        public = scoring.exact_sum(spec.points for spec in plugin.specs if spec.public)
        sums = [("public checks", public, assignment.about.public_points)]
        sums += [] if public_only else [("checks", self.max_score, 100.0)]
        for kind, found, promised in sums:
            if found != promised:
                raise UsageProblem(f"The points of the {kind} of {assignment.id} sum to {found:g}, not {promised:g}.")

    @property
    def specs(self) -> list[CheckSpec]:
        """The checks, in the usual order."""
        return self._plugin.specs

    def judge(self, submission: Submission, sandbox: Sandbox, plan: Plan = USUAL) -> records.GradeResult:
        """Grade one submission. Never raises for anything that the submission does."""
        started = time.monotonic()
        self._plugin.seed = self._assignment.about.seed if plan.seed is None else plan.seed
        if submission.main is None:
            findings = _Findings("ungraded" if submission.unreadable else "invalid", submission.problem)
        else:
            work = Work.of(submission, submission.main)
            allowance = Allowance(plan.seconds, len(self.specs))
            limits = limits_within(self._assignment.about.limits, plan.seconds)
            conversation = self._conversation(sandbox, work, limits, allowance)
            run = CheckRun(self._plugin, conversation, work.main, limits, self._control(sandbox))
            try:
                findings = self._converse(work, conversation, run, _Way(plan, limits, allowance))
            finally:
                conversation.end()
        return self._result(submission, sandbox.mode, findings, time.monotonic() - started)

    def rehearse(self, sandbox: Sandbox) -> None:
        """Grade the reference, if there is one, and forget it: a fork then has every first use behind it."""
        if self._assignment.reference_file is not None:
            self.judge(reference_submission(self._assignment), sandbox)

    def _converse(self, work: Work, conversation: Conversation, run: CheckRun, way: _Way) -> _Findings:
        limits = way.limits
        try:
            report = conversation.load()
        except StudentTrouble as trouble:
            told = import_text.staff_notices(trouble, limits)
            reason = import_text.reason_trouble(trouble, work.main, limits)
            odd = staff.incidents([staff.incident(trouble)], [])
            return _Findings("invalid", reason, staff_notices=told, layers=conversation.layers, incidents=odd)
        except StudentRaised as raised:
            odd = staff.incidents([staff.refusal(raised.report.kinds)], [])
            reason = outcome.explained_error(raised.report, limits)
            return _Findings("invalid", reason, layers=conversation.layers, incidents=odd)
        except SandboxBroken as broken:
            return _Findings("ungraded", f"The machine could not run this submission: {broken}")
        run.printed_at_import(conversation.printed())
        told = import_text.staff_notices(report.trouble, limits)
        at_import = import_text.incidents(report)
        useless = import_text.reason_not_loadable(report, work, self._assignment.about.names, limits)
        if useless is not None:
            odd = staff.incidents(at_import, [])
            return _Findings("invalid", useless, [], run.notices, told, conversation.layers, run.output(), odd)
        checks = self._run_checks(run, way)
        notices = [*import_text.load_notices(report, work, limits), *run.notices]
        told, odd = [*told, *run.staff_notices], staff.incidents(at_import, run.incidents)
        return _Findings(None, None, checks, notices, told, conversation.layers, run.output(), odd)

    def _run_checks(self, run: CheckRun, way: _Way) -> list[records.CheckResult]:
        """Run the checks as planned; results in the usual order."""
        specs = {spec.id: spec for spec in self.specs}
        done: dict[str, records.CheckResult] = {}
        for name in way.plan.order({spec.id: spec.needs for spec in self.specs}):
            way.allowance.next_check()
            done[name] = run.check(specs[name])
            if way.plan.until_failure and done[name].status != "passed":
                break
        return [done[name] for name in specs if name in done]

    def _conversation(self, sandbox: Sandbox, work: Work, limits: Limits, allowance: Allowance) -> Conversation:
        names = tuple(self._assignment.about.names)
        return Conversation(sandbox, work, names, limits, self._plugin.seed, allowance)

    def _control(self, sandbox: Sandbox) -> Control | None:
        """Whether a check's body runs to its end on the reference; None where there is no reference."""
        if self._assignment.reference_file is None:
            return None

        def holds(check: str) -> bool:
            work = Work.of(reference_submission(self._assignment), self._assignment.main_file)
            conversation = self._conversation(sandbox, work, self._assignment.about.limits, Allowance(None, 1))
            try:
                conversation.load()
                conversation.begin_check(check, fresh=False)
                return (
                    self._plugin.run(check, Student(conversation.ask, conversation.known, salt=self._plugin.salt)).error
                    is None
                )
            except (StudentTrouble, StudentRaised):
                return False
            finally:
                conversation.end()

        return holds

    def _result(self, submission: Submission, mode: str, findings: _Findings, seconds: float) -> records.GradeResult:
        status, score, reason = scoring.mark(findings.checks)
        if findings.status is not None:
            status, reason = findings.status, findings.reason
            score = 0.0 if status == "invalid" else None
        return records.GradeResult(
            schema_version=records.SCHEMA_VERSION,
            assignment=about_assignment(self._assignment),
            submission=records.submission_info(submission),
            status=status,
            reason=reason,
            score=score,
            max_score=self.max_score,
            checks=findings.checks,
            notices=[*submission.notices, *findings.notices],
            staff_notices=findings.staff_notices,
            incidents=findings.incidents,
            stdout=findings.output.everything.stdout,
            stderr=findings.output.everything.stderr,
            printed_for_student=findings.output.for_student,
            environment=environment(),
            isolation=records.Isolation(mode, findings.layers),
            seconds=round(seconds, 4),
        )


def about_assignment(assignment: Assignment) -> records.AssignmentInfo:
    """What a result says of its assignment."""
    about = assignment.about
    conditions = digest([repr((about.files, about.names, about.limits, about.sandbox))])
    return records.AssignmentInfo(assignment.id, about.version, about.title, conditions, about.lang)


def environment() -> records.Environment:
    """The versions of what grades here."""
    import numpy as np
    import torch

    return records.Environment(
        grader=grader.__version__,
        python=platform.python_version(),
        torch=str(torch.__version__),
        numpy=str(np.__version__),
        platform=f"{platform.system()} {platform.machine()}",
    )
