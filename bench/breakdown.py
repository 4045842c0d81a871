"""Where the milliseconds of one submission go, in one slot on one core.

`python bench/breakdown.py [ASSIGNMENT ...] [--submissions N]` grades each assignment's reference N times as a slot of a
large class does, with a watch around the steps, and prints medians. A step's time is what it takes beyond the steps
inside it, so that they add up. The watch itself costs about a microsecond a step.

Runs what the slot's process and the command's do in one process, so that both can be watched; judges and student
processes are forked from it and from the sandbox as ever.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before torch, as in a slot
    os.environ[variable] = "1"

import pytest  # noqa: E402

from grader import pipeline  # noqa: E402
from grader.batch import slot  # noqa: E402
from grader.batch.slot_messages import FromSlot, Job, Task  # noqa: E402
from grader.content import load_assignment, reference_submission, templates_folders  # noqa: E402
from grader.judge.conversation import Conversation  # noqa: E402
from grader.judge.diagnosis import Misconceptions, diagnose  # noqa: E402
from grader.judge.plugin import JudgePlugin  # noqa: E402
from grader.judge.session import Judge, collect_checks  # noqa: E402
from grader.sandbox.modes import choose  # noqa: E402
from grader.sandbox.process import ConnectedProcess  # noqa: E402
from grader.sandbox.zygote import ZygoteSandbox  # noqa: E402
from grader.store import Run  # noqa: E402

ROOT = Path(__file__).parent.parent
MANY = 1000
JUDGE_FORK, JUDGE_END = "judge: fork", "judge: its end, the result sent"
SPAWN, LOAD = "student process: fork and confinement", "student process: import of the submission"
RESET, END = "student process: a fresh one for a check", "student process: its end"
CHECKS, PYTEST = "checks' own compute, reference included", "pytest"
WIRE, STUDENT = "wire: pack, parse, verify", "student code, and the switch to it and back"
REST, SWEEP = "judge: the rest", "sweep"
DIAGNOSIS, HTML, WRITING = "diagnosis", "HTML report", "writing result and report"
ORDER = (
    JUDGE_FORK, SPAWN, LOAD, RESET, STUDENT, WIRE, CHECKS, PYTEST,
    REST, END, JUDGE_END, SWEEP, DIAGNOSIS, HTML, WRITING,
)  # fmt: skip
WHOLE = {SPAWN, LOAD, RESET, END}
"""Steps that keep what is inside them."""


class Watch:
    """Seconds by step, each without the steps inside it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._steps: list[str] = []
        self._since = 0.0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """What runs inside is this step's, unless it is inside one that keeps it."""
        if self._steps and self._steps[-1] in WHOLE and name != SPAWN:
            yield
            return
        self._turn()
        self._steps.append(name)
        try:
            yield
        finally:
            self._turn()
            self._steps.pop()

    def around(self, owner: Any, method: str, name: str) -> None:
        """Watch every call of a method."""
        original: Callable[..., Any] = getattr(owner, method)

        @functools.wraps(original)
        def watched(*arguments: Any, **keywords: Any) -> Any:
            with self.step(name):
                return original(*arguments, **keywords)

        setattr(owner, method, watched)

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._steps:
            self.seconds[self._steps[-1]] += now - self._since
        self._since = now


class Breakdown:
    """Grades one assignment's reference again and again."""

    def __init__(self, name: str, submissions: int) -> None:
        self._assignment = load_assignment(ROOT, name)
        self._count = submissions
        self._watch = Watch()
        self._reader, self._writer = os.pipe()
        self.found: list[dict[str, float]] = []

    def measure(self) -> None:
        """Fill `found` with the seconds of each submission by step."""
        self._put_watches()
        collect_checks(self._assignment, False, self._serve)

    def _put_watches(self) -> None:
        for owner, method, step in (
            (ZygoteSandbox, "spawn", SPAWN),
            (Conversation, "load", LOAD),
            (Conversation, "begin_check", RESET),
            (Conversation, "end", END),
            (Conversation, "ask", WIRE),
            (ConnectedProcess, "ask", STUDENT),
            (JudgePlugin, "run", PYTEST),
            (pytest.Function, "runtest", CHECKS),
            (pipeline, "student_html", HTML),
        ):
            self._watch.around(owner, method, step)
        judge = Judge.judge

        def judged(*arguments: Any) -> Any:
            began = time.perf_counter()
            self._watch.seconds.clear()
            with self._watch.step(REST):
                result = judge(*arguments)
            told = {"began": began, "ended": time.perf_counter(), **self._watch.seconds}
            os.write(self._writer, json.dumps(told).encode() + b"\n")
            return result

        Judge.judge = judged  # type: ignore[method-assign]

    def _serve(self, judge: Judge) -> None:
        mode = choose("auto", "confined")
        holder = slot._SandboxHolder(Job(str(ROOT), self._assignment.id, mode, 0), self._assignment)
        slot._warm_up(judge, holder, MANY)
        os.read(self._reader, 1 << 16)  # of the rehearsal
        quiet, _ = os.pipe()
        submission = reference_submission(self._assignment)
        with tempfile.TemporaryDirectory() as folder:
            run = Run(Path(folder) / "out")
            run.prepare()
            for number in range(self._count + 2):
                began = time.perf_counter()
                answer = slot._judge_in_fork(judge, holder.sandbox, Task(submission), quiet, 60)
                ended = time.perf_counter()
                steps = json.loads(os.read(self._reader, 1 << 16))
                steps[JUDGE_FORK] = steps.pop("began") - began
                steps[JUDGE_END] = ended - steps.pop("ended")
                steps |= self._command(answer, holder, run)
                if number >= 2:  # the first ones touch every page for the first time
                    self.found.append(steps)
        holder.close()

    def _command(self, answer: FromSlot, holder: Any, run: Run) -> dict[str, float]:
        """What is done outside the judge, by step."""
        assert answer.result is not None, answer.lost
        self._watch.seconds.clear()
        with self._watch.step(SWEEP):
            holder.clean()
        with self._watch.step(DIAGNOSIS):
            result = diagnose(answer.result, Misconceptions(self._assignment.fingerprint, []))
        with self._watch.step(WRITING):
            pipeline.publish(result, run, templates_folders(ROOT))
        return dict(self._watch.seconds)


def table(name: str, found: list[dict[str, float]]) -> str:
    """Medians in milliseconds, and each step's share of their sum."""
    medians = {step: statistics.median(steps.get(step, 0.0) for steps in found) for step in ORDER}
    total = sum(medians.values())
    lines = [f"{name}: {1000 * total:.1f} ms a submission, in milliseconds, medians of {len(found)}"]
    lines += [f"  {1000 * seconds:7.1f}  {seconds / total:4.0%}  {step}" for step, seconds in medians.items()]
    return "\n".join(lines)


def main() -> None:
    """Measure and print; each assignment in a process of its own, since pytest collects once in a process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT")
    parser.add_argument("--submissions", type=int, default=30)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name in options.assignments or ("attention", "corruption", "mlm_loss", "tiny_bert"):
        if (pid := os.fork()) == 0:
            breakdown = Breakdown(name, options.submissions)
            breakdown.measure()
            print(table(name, breakdown.found), flush=True)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0, f"{name} could not be measured"


if __name__ == "__main__":
    main()
