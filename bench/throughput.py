"""Throughput of grading, as ratios measured side by side in one run.

`python bench/throughput.py [ASSIGNMENT] [--rounds N]` grades the well-behaved submissions of the example class in four
ways, in turn, each way pinned to one core but the last:

    cold      a new `python -m pytest` for each submission, checks and student code in one process
    fork      pytest warm and collected once, a fork for each submission, checks and student code in one process
    slot      ours: one slot, student code confined in a process of its own, results and reports written
    2 slots   ours on two cores

Examples that end or hang the process that imports them (an endless loop, os._exit, abort) are left out, since the
first two ways cannot grade them at all. Seconds per submission, medians over rounds.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sized
from pathlib import Path
from typing import Any

import pytest

from grader.batch.local import Slots
from grader.batch.variants import known_misconceptions
from grader.content import check_files, load_assignment, templates_folders
from grader.intake.source import find_submissions
from grader.pipeline import Course, grade, publish
from grader.sandbox.modes import choose
from grader.store import Run

ROOT = Path(__file__).parent.parent
SOURCES = {
    "attention": "examples/class",
    "corruption": "examples/class-corruption",
    "mlm_loss": "examples/class-mlm",
    "tiny_bert": "examples/class-bert",
}
LEFT_OUT = {"s09", "s11", "s12", "s13", "s14", "s16"}
WORK = 60
"""Submissions that the warm ways grade in one round at least: the class again and again."""


def repeats(names: Sized) -> int:
    """How often a class of this size is graded in a round."""
    return -(-WORK // len(names))


def pin(cores: set[int]) -> None:
    """Let this process and its children run on these cores only."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def cold(assignment: Any, files: list[Path]) -> float:
    """Seconds a submission with a new pytest for each."""
    checks = [str(path) for path in check_files(assignment, False)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "inprocess", "-p", "no:cacheprovider", "--noconftest"]
    command += ["--import-mode=importlib", "-c", os.devnull, "--rootdir", str(assignment.folder), *checks]
    base = {**os.environ, "PYTHONPATH": str(ROOT / "bench"), "REFERENCE": str(assignment.reference_file)}
    base |= {"OMP_NUM_THREADS": "1"}
    started = time.monotonic()
    for file in files:
        ran = subprocess.run(command, env={**base, "SUBMISSION": str(file)}, capture_output=True, check=False)
        assert ran.returncode in (0, 1), ran.stdout.decode() + ran.stderr.decode()
    return (time.monotonic() - started) / len(files)


def fork(assignment: Any, files: list[Path]) -> float:
    """Seconds a submission with a warm pytest that forks; measured in a process of its own."""
    command = [sys.executable, str(Path(__file__)), "--fork", assignment.id, *map(str, files)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bench"), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(ran.stdout.split()[-1])


class Forking:
    """The pytest plugin of `fork`: takes over the loop and forks for each submission."""

    def __init__(self, files: list[str]) -> None:
        self._files = files
        self.seconds = 0.0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Fork, run every check, end; for each submission."""
        gc.collect()
        gc.freeze()
        started = time.monotonic()
        for _ in range(repeats(self._files)):
            for file in self._files:
                pid = os.fork()
                if pid == 0:
                    gc.disable()
                    os.environ["SUBMISSION"] = file
                    items = session.items
                    for index, item in enumerate(items):
                        following = items[index + 1] if index + 1 < len(items) else None
                        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                    os._exit(0)
                os.waitpid(pid, 0)
        self.seconds = (time.monotonic() - started) / len(self._files) / repeats(self._files)
        return True


def run_forking(name: str, files: list[str]) -> None:
    """The process of `fork`: prints the seconds a submission."""
    import inprocess
    import torch.fx.experimental.symbolic_shapes

    torch.set_num_threads(1)
    assignment = load_assignment(ROOT, name)
    os.environ["REFERENCE"] = str(assignment.reference_file)
    plugin = Forking(files)
    options = ["-p", "no:cacheprovider", "-p", "no:terminal", "--capture=no", "--noconftest", "--assert=plain"]
    options += ["--import-mode=importlib", "-c", os.devnull, "--rootdir", str(assignment.folder)]
    checks = [str(path) for path in check_files(assignment, False)]
    with open(os.devnull, "w") as nowhere:
        real, sys.stdout = sys.stdout, nowhere
        status = pytest.main([*options, *checks], plugins=[inprocess, plugin])
        sys.stdout = real
    assert status == 0, status
    assert plugin.seconds > 0, "no check ran"
    print(plugin.seconds)


def slots(assignment: Any, source: Path, names: set[str], count: int) -> float:
    """Seconds a submission through the product, writing included."""
    found = find_submissions(source, assignment.main_file)
    work = [read for name, read in found.submissions if name in names] * repeats(names)
    mode = choose("auto", "confined")
    with tempfile.TemporaryDirectory() as folder, Slots(ROOT, assignment.id, mode, count, len(work)) as running:
        run = Run(Path(folder) / "out")
        run.prepare()
        course = Course(assignment, mode, known_misconceptions(running, assignment, lambda: None))
        once: Callable[..., Any] = lambda submission, slot: grade(submission, slot, course)  # noqa: E731
        list(running.grade_all(work[: 2 * count], once))  # first touch of every page
        started = time.monotonic()
        for result in running.grade_all(work, once):
            publish(result, run, templates_folders(ROOT))
        return (time.monotonic() - started) / len(work)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("assignment", nargs="?", default="attention", choices=SOURCES)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    name = options.assignment
    assignment = load_assignment(ROOT, name)
    source = ROOT / SOURCES[name]
    files = [f for f in sorted(source.glob(f"*/{assignment.main_file}")) if f.parent.name not in LEFT_OUT]
    names = {file.parent.name for file in files}
    every = os.sched_getaffinity(0)
    one = {min(every)}
    measured: dict[str, list[float]] = {"cold": [], "fork": [], "slot": [], "2 slots": []}
    for _ in range(options.rounds):
        pin(one)
        measured["cold"].append(cold(assignment, files))
        measured["fork"].append(fork(assignment, files))
        measured["slot"].append(slots(assignment, source, names, 1))
        pin(every)
        measured["2 slots"].append(slots(assignment, source, names, 2))
    medians = {way: statistics.median(times) for way, times in measured.items()}
    print(f"{name}: {len(files)} submissions, {options.rounds} rounds, seconds per submission (median)")
    for way, seconds in medians.items():
        print(f"  {way:8} {seconds:7.3f}")
    print(f"  one slot is {medians['cold'] / medians['slot']:.1f} x as fast as a cold pytest")
    print(f"  one slot takes {medians['slot'] / medians['fork']:.2f} x the time of a warm fork without isolation")
    print(f"  two slots are {medians['slot'] / medians['2 slots']:.2f} x as fast as one")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fork"]:
        run_forking(sys.argv[2], sys.argv[3:])
    else:
        main()
