"""Grading on a Dask cluster: a real scheduler, real workers, some of which die, come late or cannot be used."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import LocalCluster, cluster_of

from grader.batch.dask_engine import DaskEngine, Wanted
from grader.content import load_assignment
from grader.errors import GraderError, MachineProblem
from grader.model.submission import Submission
from grader.pipeline import judged

ROOT = Path(__file__).parent.parent
COURSE = ROOT / "tests" / "course"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
SLOW = RIGHT.replace("return 2", "import time\n    time.sleep(0.3)\n    return 2")
DIES_OF_POISON = """
import os, signal
from grader.batch import dask_worker
if "judge_or_die" not in str(dask_worker.SlotsPlugin.judge):  # a preload is run twice
    judge = dask_worker.SlotsPlugin.judge
    def judge_or_die(self, task):
        if b"poison" in task:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(self, task)
    dask_worker.SlotsPlugin.judge = judge_or_die
"""
OTHER_TORCH = """
from grader.batch import dask_worker
from grader.batch.cluster_messages import versions_here
dask_worker.versions_here = lambda: {**versions_here(), "torch": "1.0"}
"""
FAILS = """
from grader.batch import dask_worker
def fail(self, task):
    raise RuntimeError("no luck")
dask_worker.SlotsPlugin.judge = fail
"""
UNCONFINED = """
from grader.batch import dask_worker
from grader.errors import MachineProblem
def choose(*_):
    raise MachineProblem("Student code can't be confined on this machine, so nothing was graded.")
dask_worker.choose = choose
"""
ONE_SLOT = """
from grader.batch import dask_worker
dask_worker.slots_at_once = lambda *_: 1
"""
NO_GRADER = """
import sys
sys.modules["grader.batch.dask_worker"] = None
"""
Command = Callable[..., subprocess.CompletedProcess[str]]
Results = Callable[[Path], dict[str, Any]]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """A cluster of two workers that nobody kills."""
    with cluster_of(tmp_path_factory.mktemp("pair"), "one", "two") as cluster:
        yield cluster


def arguments(source: Path, out: Path, course: Path, address: str | None = None, assignment: str = "tiny") -> list[str]:
    """`grade …`, on a cluster if there is an address."""
    cluster = ["--engine", "dask", "--scheduler", address] if address else []
    return ["grade", str(source), "--assignment", assignment, "--out", str(out), "--course", str(course), *cluster]


def class_of(folder: Path, count: int, text: str = SLOW) -> Path:
    """A folder of `count` submissions, s00 and so on."""
    folder.mkdir()
    for number in range(count):
        (folder / f"s{number:02}.py").write_text(text)
    return folder


def contents(out: Path) -> dict[str, Any]:
    """Everything that a run wrote, by path, without times and without the class page, which shows them."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: timeless(v) for k, v in value.items() if k not in ("seconds", "graded_at")}
        return [timeless(item) for item in value] if isinstance(value, list) else value

    found = {}
    for path in sorted(path for path in out.rglob("*") if path.is_file() and path.name != "index.html"):
        content = path.read_bytes()
        found[str(path.relative_to(out))] = timeless(json.loads(content)) if path.suffix == ".json" else content
    return found


def started(command: list[str], cache: Path) -> subprocess.Popen[str]:
    """A `grader` command that is running."""
    return subprocess.Popen(
        [sys.executable, "-m", "grader.cli.main", *command],
        cwd=ROOT,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "NO_COLOR": "1"},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for_results(out: Path, count: int, running: subprocess.Popen[str]) -> None:
    """Wait until a running command has written so many."""
    deadline = time.monotonic() + 120
    while len(list((out / "results").glob("*.json"))) < count:
        assert time.monotonic() < deadline
        assert running.poll() is None, running.communicate()
        time.sleep(0.05)


def wait_until(reached: Callable[[], bool]) -> None:
    """Wait until another thread has come so far."""
    deadline = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def waits(told: list[str]) -> int:
    """How often a run said that it has no worker and waits for one."""
    return sum("no worker; waiting 20 s" in text for text in told)


def test_results_are_those_of_the_local_engine(
    pair: LocalCluster, grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path
) -> None:
    here = grader(*arguments(tiny_class, tmp_path / "here", tiny_course))
    there = grader(*arguments(tiny_class, tmp_path / "there", tiny_course, pair.address))
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    assert "Worker tcp://" in there.stderr
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert {name for name in contents(tmp_path / "there") if name.startswith(("results", "reports", "grades"))} == {
        *(f"results/{name}.json" for name in ("ada", "bob", "cyd")),
        *(f"reports/{name}.html" for name in ("ada", "bob", "cyd")),
        "grades.csv",
    }
    again = grader(*arguments(tiny_class, tmp_path / "there", tiny_course, pair.address))
    assert "Nothing new to grade" in again.stderr
    assert pair.unpacked() == []


@pytest.mark.full
def test_results_of_the_example_class_are_those_of_the_local_engine(
    pair: LocalCluster, grader: Command, tmp_path: Path
) -> None:
    source = ROOT / "examples" / "class"
    for name, address in (("here", None), ("there", pair.address)):
        ran = grader(*arguments(source, tmp_path / name, ROOT, address, "attention"), seconds=400)
        assert ran.returncode == 0, ran.stderr
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert len(contents(tmp_path / "there")) > 36


@pytest.mark.full
def test_hidden_files_lie_on_workers_only_while_a_run_lasts(pair: LocalCluster, tmp_path: Path) -> None:
    assignment = load_assignment(COURSE, "tiny")
    told: list[str] = []
    with DaskEngine(Wanted(pair.address, COURSE, assignment, "auto", told.append), 4) as engine:
        work = [lambda name=f"s{n}": Submission(name, name, (), "tiny.py", {"tiny.py": RIGHT}) for n in range(4)]
        results = list(engine.grade_all(work, lambda submission, judge: judge.judge(submission)))
        unpacked = pair.unpacked()
        assert unpacked
        for folder in unpacked:
            assert folder.stat().st_mode & 0o777 == 0o700
            assert sorted(path.name for path in (folder / "assignments" / "tiny").iterdir()) == [
                "assignment.toml",
                "handout",
                "hidden",
            ]
    assert sorted((result.submission.id, result.score) for result in results) == [(f"s{n}", 100) for n in range(4)]
    assert pair.unpacked() == []
    assert told


@pytest.mark.full
def test_broken_checks_are_the_authors_problem(
    pair: LocalCluster, grader: Command, tiny_class: Path, tiny_course: Path, tmp_path: Path
) -> None:
    path = tiny_course / "assignments" / "tiny" / "hidden" / "test_tiny.py"
    path.write_text(path.read_text().replace("import torch", "import no_such_module"))
    ran = grader(*arguments(tiny_class, tmp_path / "out", tiny_course, pair.address))
    assert ran.returncode == 2
    assert "no_such_module" in ran.stderr
    assert "Traceback (most" not in ran.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.full
def test_an_interrupt_keeps_what_is_done_and_frees_the_workers(
    pair: LocalCluster, grader: Command, cache: Path, tmp_path: Path, read_results: Results
) -> None:
    source, out = class_of(tmp_path / "class", 24), tmp_path / "out"
    running = started(arguments(source, out, COURSE, pair.address), cache)
    wait_for_results(out, 3, running)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "run the same command again" in said
    done = read_results(out)
    assert 3 <= len(done) < 24
    assert (out / "index.html").is_file()
    assert pair.unpacked() == []
    ran = grader(*arguments(source, out, COURSE, pair.address))
    assert ran.returncode == 0, ran.stderr
    found = read_results(out)
    assert {name: result["score"] for name, result in found.items()} == {f"s{n:02}": 100 for n in range(24)}
    assert {name: found[name]["graded_at"] for name in done} == {name: done[name]["graded_at"] for name in done}


@pytest.mark.full
def test_a_worker_that_is_killed_costs_no_result(
    grader: Command, cache: Path, tmp_path: Path, read_results: Results
) -> None:
    source, out = class_of(tmp_path / "class", 30), tmp_path / "out"
    with cluster_of(tmp_path / "cluster", "one", "two") as cluster:
        running = started(arguments(source, out, COURSE, cluster.address), cache)
        wait_for_results(out, 4, running)
        cluster.workers["one"].kill()
        cut = len(list((out / "results").glob("*.json")))
        _, said = running.communicate(timeout=120)
    assert cut < 30
    assert running.returncode == 0, said
    assert "is gone" in said
    assert "Graded 30 in" in said
    assert all(result["score"] == 100 for result in read_results(out).values())
    assert grader(*arguments(source, tmp_path / "here", COURSE)).returncode == 0
    assert contents(out) == contents(tmp_path / "here")


@pytest.mark.full
def test_a_submission_that_kills_workers_is_set_aside(cache: Path, tmp_path: Path, read_results: Results) -> None:
    source, out = class_of(tmp_path / "class", 12, RIGHT), tmp_path / "out"
    shutil.copy(source / "s00.py", source / "poison.py")
    cluster = LocalCluster(tmp_path / "cluster")
    try:
        for name in ("one", "two"):
            cluster.add_worker(name, "--nthreads", "2", preload=DIES_OF_POISON, nanny=True)
        cluster.wait_for_workers()
        running = started(arguments(source, out, COURSE, cluster.address), cache)
        _, said = running.communicate(timeout=240)
    finally:
        cluster.end()
    assert running.returncode == 3, said
    found = read_results(out)
    poison = found.pop("poison")
    assert (poison["status"], poison["score"]) == ("ungraded", None)
    assert "3 workers of the cluster ended while they judged it: tcp://" in poison["reason"]
    assert said.count("is gone; what it was at is tried on others") == 3
    assert {name: result["score"] for name, result in found.items()} == {f"s{n:02}": 100 for n in range(12)}


@pytest.mark.full
def test_workers_that_cannot_be_used_are_named_and_others_come_in_time(
    cache: Path, tmp_path: Path, tiny_class: Path, read_results: Results
) -> None:
    out = tmp_path / "out"
    cluster = LocalCluster(tmp_path / "cluster")
    try:
        cluster.add_worker("old", preload=OTHER_TORCH)
        cluster.add_worker("open", preload=UNCONFINED)
        cluster.add_worker("bare", preload=NO_GRADER)
        cluster.wait_for_workers()
        refused = started(arguments(tiny_class, out, COURSE, cluster.address), cache)
        _, said = refused.communicate(timeout=120)
        assert refused.returncode == 3, said
        for words in ("torch 1.0 instead of", "can't be confined", "does not have this grader", "No worker of the"):
            assert words in said
        assert said.count("is left out") == 3
        assert not out.exists()
        cluster.add_worker("good")
        cluster.wait_for_workers()
        running = started(arguments(tiny_class, out, COURSE, cluster.address), cache)
        _, said = running.communicate(timeout=120)
        assert running.returncode == 0, said
        assert said.count("is left out") == 3
        assert len(read_results(out)) == 3
    finally:
        cluster.end()


@pytest.mark.full
def test_where_one_slot_at_a_time_can_be_confined_one_worker_is_used(tmp_path: Path) -> None:
    told: list[str] = []
    cluster = LocalCluster(tmp_path / "cluster")
    try:
        for name in ("one", "two"):
            cluster.add_worker(name, "--nthreads", "2", preload=ONE_SLOT)
        cluster.wait_for_workers()
        wanted = Wanted(cluster.address, COURSE, load_assignment(COURSE, "tiny"), "auto", told.append)
        with DaskEngine(wanted, 12) as engine:
            work = [lambda n=n: Submission(f"s{n}", "s", (), "tiny.py", {"tiny.py": SLOW}) for n in range(12)]
            results = list(engine.grade_all(work, lambda submission, judge: judge.judge(submission)))
    finally:
        cluster.end()
    assert [result.score for result in results] == [100] * 12
    assert sum(": 1 slots; isolation" in text for text in told) == 1
    assert sum("is left out: In mode" in text for text in told) == 1


@pytest.mark.full
def test_a_worker_that_fails_is_not_the_students_fault(tmp_path: Path) -> None:
    assignment = load_assignment(COURSE, "tiny")
    cluster = LocalCluster(tmp_path / "cluster")
    try:
        cluster.add_worker("bad", preload=FAILS)
        cluster.wait_for_workers()
        with DaskEngine(Wanted(cluster.address, COURSE, assignment, "auto", lambda _: None), 1) as engine:
            work = [lambda: Submission("s", "s", (), "tiny.py", {"tiny.py": RIGHT})]
            (result,) = engine.grade_all(work, lambda submission, judge: judged(submission, judge, assignment, ""))
    finally:
        cluster.end()
    assert result.status == "ungraded"
    assert "RuntimeError: no luck" in (result.reason or "")


@pytest.mark.full
def test_a_run_without_workers_waits_and_then_stops(tmp_path: Path) -> None:
    assignment = load_assignment(COURSE, "tiny")
    told: list[str] = []
    work = [lambda name=f"s{n}": Submission(name, name, (), "tiny.py", {"tiny.py": SLOW}) for n in range(30)]
    with cluster_of(tmp_path / "cluster", "one") as cluster:
        wanted = Wanted(cluster.address, COURSE, assignment, "auto", told.append, patience=20)
        with DaskEngine(wanted, 30) as engine:
            graded = engine.grade_all(work, lambda submission, judge: judge.judge(submission))
            found = [next(graded).submission.id]
            cluster.workers["one"].kill()
            wait_until(lambda: waits(told) == 1)  # the run looks once a second who is there
            cluster.add_worker("two")
            found += [next(graded).submission.id for _ in range(6)]  # more than can have been ready before
            cluster.workers["two"].kill()
            with pytest.raises(MachineProblem, match="No worker came within 20 s"):
                found += [result.submission.id for result in graded]
    assert 7 <= len(found) < 30
    assert len(set(found)) == len(found)
    assert waits(told) == 2


@pytest.mark.full
def test_a_scheduler_that_goes_ends_the_run(cache: Path, tmp_path: Path, read_results: Results) -> None:
    source, out = class_of(tmp_path / "class", 30), tmp_path / "out"
    with cluster_of(tmp_path / "cluster", "one", "two") as cluster:
        running = started(arguments(source, out, COURSE, cluster.address), cache)
        wait_for_results(out, 2, running)
        cluster.scheduler.kill()
        _, said = running.communicate(timeout=120)
    assert running.returncode == 3, said
    assert "does not answer any more" in said
    assert "Traceback (most" not in said
    assert all(result["status"] == "graded" for result in read_results(out).values())


def test_nobody_answers(grader: Command, tiny_class: Path, tmp_path: Path) -> None:
    ran = grader(*arguments(tiny_class, tmp_path / "out", COURSE, "nonsense://x"))
    assert (ran.returncode, "nonsense" in ran.stderr) == (2, True), ran.stderr
    assert "Traceback (most" not in ran.stderr


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--engine", "dask"], "needs --scheduler ADDRESS"),
        (["--scheduler", "tcp://127.0.0.1:1"], "goes with --engine dask"),
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"], "a slot for each of its threads"),
    ],
)
def test_options_that_do_not_go_together(
    grader: Command, tiny_class: Path, tmp_path: Path, more: list[str], words: str
) -> None:
    ran = grader(*arguments(tiny_class, tmp_path / "out", COURSE), *more)
    assert ran.returncode == 2
    assert words in ran.stderr
    assert not (tmp_path / "out").exists()


def test_without_dask_a_sentence_says_what_to_install(tiny_class: Path, tmp_path: Path) -> None:
    command = ["grader", *arguments(tiny_class, tmp_path / "out", COURSE, "tcp://127.0.0.1:1")]
    code = f"import sys; sys.modules['distributed'] = None; sys.argv = {command!r}\n"
    code += "from grader.cli.main import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "pip install distributed" in ran.stderr


def test_the_local_engine_does_not_load_dask() -> None:
    code = "import sys, grader.cli.grade; print(sorted({'dask', 'distributed'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_run_that_fails_to_start_leaves_nothing(pair: LocalCluster, tiny_course: Path) -> None:
    (tiny_course / "reference" / "tiny.py").write_text("raise ValueError\n")
    wanted = Wanted(pair.address, tiny_course, load_assignment(tiny_course, "tiny"), "auto", lambda _: None)
    with pytest.raises(GraderError), DaskEngine(wanted, 1):
        pass
    assert pair.unpacked() == []
