"""A class graded while whatever takes part in it is killed at random moments: nothing is lost, nothing is left behind.

The command is interrupted, told to end or killed, and its judges, sandboxes and children are killed, a hundred times;
the same command is run again until it is through. In the end results must be those of a run that nobody disturbed.
This process adopts what the command leaves behind (a subreaper, prctl(2)), so that no process can be missed.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
COURSE = ROOT / "tests" / "course"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
TEXTS = {
    "right": RIGHT,
    "wrong": RIGHT.replace("2 * x", "x * x"),
    "raises": RIGHT.replace("2 * x", "x[10**6]"),
    "prints": f"print('hello')\n{RIGHT}",
    "slow": f"import time\ntime.sleep(0.3)\n{RIGHT}",
    "broken": "def double(x:\n",
    "leaves": RIGHT.replace("return 2 * x", "__import__('os')._exit(3)"),
}
COPIES = 4
KILLS = 100
SIZE_OF_FULL_DISK = 60 << 10
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and a subreaper")


@pytest.fixture
def adopting() -> Iterator[None]:
    """Whatever a child of this process leaves behind becomes a child of this process."""
    from grader.sandbox.backends import kernel

    set_child_subreaper = 36  # linux/prctl.h
    kernel.prctl(set_child_subreaper, 1)
    yield
    kernel.prctl(set_child_subreaper, 0)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A class of a few kinds of submissions."""
    folder = tmp_path / "class"
    for copy in range(COPIES):
        for name, text in TEXTS.items():
            place = folder / f"{name}-{copy}"
            place.mkdir(parents=True)
            (place / "tiny.py").write_text(text)
    return folder


class Runs:
    """Starts `grader grade` into one folder, again and again, with a temporary folder of its own."""

    def __init__(self, source: Path, out: Path, place: Path, *options: str) -> None:
        self.out = out
        self.temporary = place / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self._log = place / "log.txt"
        self._command = [sys.executable, "-m", "grader.cli.main", "grade", str(source), "--assignment", "tiny"]
        self._command += ["--course", str(COURSE), "--out", str(out), *options]
        self._environment = {**os.environ, "TMPDIR": str(self.temporary), "XDG_CACHE_HOME": str(place / "cache")}

    def start(self) -> subprocess.Popen[bytes]:
        """The command, running."""
        with self._log.open("wb") as log:
            return subprocess.Popen(
                self._command, stdout=log, stderr=log, env=self._environment, start_new_session=True
            )

    def through(self) -> int:
        """Run to the end; the exit status."""
        return self.start().wait(300)

    @property
    def said(self) -> str:
        """What the last run printed."""
        return self._log.read_text("utf-8")

    def results(self) -> dict[str, Any]:
        """The results that are there, without times, by id."""
        return {path.stem: timeless(json.loads(path.read_bytes())) for path in (self.out / "results").glob("*.json")}


def timeless(value: Any) -> Any:
    """A result without what differs from run to run: times, and addresses of lines in torch."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if key not in ("seconds", "graded_at")}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def finished(results: dict[str, Any]) -> dict[str, Any]:
    """Those that a further run leaves alone: whoever's judge was killed three times is set aside and graded again."""
    return {name: result for name, result in results.items() if result["status"] != "ungraded"}


def children(pid: int) -> list[int]:
    """Processes whose parent is `pid`, in order (proc(5)); those that have ended and wait for their parent are none."""
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            state, parent = Path(f"/proc/{int(entry)}/stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(entry))
    return sorted(found)


def family(pid: int) -> list[int]:
    """All processes below `pid`."""
    below = children(pid)
    return below + [further for child in below for further in family(child)]


def name_of(pid: int) -> str:
    """The command line of a process, empty if it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def called(text: str, pids: list[int]) -> list[int]:
    """Those of the processes whose command line holds a text."""
    return [pid for pid in pids if text in name_of(pid)]


def judges(command: int) -> list[int]:
    """Processes that judge a submission now: forks of the slots."""
    slots = called("grader.batch.slot", children(command))
    return called("grader.batch.slot", [pid for slot in slots for pid in children(slot)])


def victim(kind: str, command: int, rng: random.Random) -> int | None:
    """A process of that kind, if there is one now."""
    if kind.startswith("command"):
        return command
    slots = called("grader.batch.slot", children(command))
    groups = {
        "slot": slots,
        "judge": judges(command),
        "sandbox": called("bwrap", [pid for slot in slots for pid in children(slot)]),
        "anything": family(command),
    }
    return rng.choice(groups[kind]) if groups[kind] else None


KINDS = ("command INT", "command TERM", "command KILL", "slot", "judge", "sandbox", "anything")


def strike(command: subprocess.Popen[bytes], rng: random.Random, struck: list[str]) -> str | None:
    """Kill something of a running command; what it was. What was never struck is waited for, as long as that runs."""
    missing = [kind for kind in KINDS if kind not in struck]
    kind = rng.choice(missing or KINDS)
    while (pid := victim(kind, command.pid, rng)) is None and missing and command.poll() is None:
        time.sleep(0.01)
    if pid is None:
        return None
    number = signal.Signals[f"SIG{kind.split()[1]}"] if kind.startswith("command") else signal.SIGKILL
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
        return kind
    return None


def wait_until_alone(before: list[int]) -> None:
    """Until this process has no more children than before; fails after a while."""
    deadline = time.monotonic() + 20
    while extra := [pid for pid in children(os.getpid()) if pid not in before]:
        assert time.monotonic() < deadline, [name_of(pid) for pid in extra]
        time.sleep(0.05)


@linux_only
@pytest.mark.full
def test_a_hundred_kills_lose_and_duplicate_nothing(source: Path, tmp_path: Path, adopting: None) -> None:
    undisturbed = Runs(source, tmp_path / "undisturbed", tmp_path)
    assert undisturbed.through() == 0, undisturbed.said
    expected = undisturbed.results()
    assert len(expected) == COPIES * len(TEXTS)
    before = children(os.getpid())
    rng = random.Random(20261130)
    struck: list[str] = []
    while len(struck) < KILLS:
        disturbed = Runs(source, tmp_path / f"out{len(struck)}", tmp_path)
        status = None
        while status != 0:
            there = disturbed.results()
            running = disturbed.start()
            while running.poll() is None and len(struck) < KILLS:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(rng.uniform(0.1, 4.0))
                kind = None if running.poll() is not None else strike(running, rng, struck)
                struck += [kind] if kind else []
            status = running.wait(300)
            now = disturbed.results()
            assert [name for name in there if there[name] != now.get(name)] == [], (struck[-1], disturbed.said)
            assert status in (0, 130, -signal.SIGKILL, -signal.SIGINT, -signal.SIGTERM, 3), (status, disturbed.said)
        assert disturbed.results() == expected, struck[-10:]
        assert {path.name for path in disturbed.out.iterdir()} == {"results", "reports", "index.html", "grades.csv"}
        names = {path.name for path in (disturbed.out / "results").iterdir()}
        assert names == {path.name for path in (undisturbed.out / "results").iterdir()}
        wait_until_alone(before)
    assert set(struck) == set(KINDS)
    assert list(undisturbed.temporary.iterdir()) == []


@linux_only
@pytest.mark.full
def test_a_submission_that_takes_its_judge_down_three_times_is_set_aside(tmp_path: Path) -> None:
    source = tmp_path / "class"
    texts = {"a-right": RIGHT, "b-taken-down": f"import time\ntime.sleep(3)\n{RIGHT}", "c-right": RIGHT}
    for name, text in texts.items():
        (source / name).mkdir(parents=True)
        (source / name / "tiny.py").write_text(text)
    runs = Runs(source, tmp_path / "out", tmp_path, "--jobs", "1")
    running = runs.start()
    while not (runs.out / "results" / "a-right.json").is_file():
        assert running.poll() is None, runs.said
        time.sleep(0.01)
    killed: set[int] = set()
    while len(killed) < 3:  # while it is judged: it takes seconds, and nothing else is judged beside it
        assert running.poll() is None, runs.said
        for judge in set(judges(running.pid)) - killed:
            os.kill(judge, signal.SIGKILL)
            killed.add(judge)
        time.sleep(0.01)
    assert running.wait(300) == 3, runs.said
    found = runs.results()
    assert {name: result["status"] for name, result in found.items()} == {
        "a-right": "graded",
        "b-taken-down": "ungraded",
        "c-right": "graded",
    }
    assert "the judge ended with status -9" in found["b-taken-down"]["reason"]
    assert "b-taken-down" in runs.said
    assert runs.through() == 0, runs.said
    assert {result["score"] for result in runs.results().values()} == {100}


@linux_only
@pytest.mark.full
def test_a_full_disk_keeps_what_was_finished(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "small"
    out.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE_OF_FULL_DISK}", "tmpfs", str(out)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"only root can mount a small disk here: {mounted.stderr.decode().strip()}")
    try:
        runs = Runs(source, out / "run", tmp_path)
        assert runs.through() == 3, runs.said
        assert "No space left on device" in runs.said
        assert "run the same command again" in runs.said
        kept = runs.results()
        assert 0 < len(kept) < COPIES * len(TEXTS)
        assert not list(out.rglob("*.grader-tmp"))
        subprocess.run(["mount", "-o", "remount,size=64m", str(out)], check=True)
        assert runs.through() == 0, runs.said
        assert kept.items() <= runs.results().items()
        assert len(runs.results()) == COPIES * len(TEXTS)
        subprocess.run(["mount", "-o", "remount,ro", str(out)], check=True)
        shutil.copytree(source / "right-0", source / "right-new")
        assert runs.through() == 2
        assert "cannot be written to: Read-only file system" in runs.said
    finally:
        subprocess.run(["umount", str(out)], check=True)


@linux_only
def test_a_result_half_written_by_another_tool_is_graded_again(tmp_path: Path) -> None:
    source = tmp_path / "class" / "ann"
    source.mkdir(parents=True)
    (source / "tiny.py").write_text(RIGHT)
    runs = Runs(source.parent, tmp_path / "out", tmp_path)
    assert runs.through() == 0, runs.said
    whole = runs.results()
    file = runs.out / "results" / "ann.json"
    file.write_bytes(file.read_bytes()[:200])
    assert runs.through() == 0, runs.said
    assert runs.results() == whole
