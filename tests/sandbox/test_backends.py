"""Backends with real processes: how far apart judge and student are, what is left, what a death costs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import grader
from grader.content import assignment_ids, check_files, course_folder, load_assignment, variant_files
from grader.model.assignment import SandboxNeeds
from grader.sandbox.backends.plain import PlainBackend
from grader.sandbox.base import Sandbox, SandboxBroken, StudentGone, StudentTimeout
from grader.sandbox.contract import LIMITS, PROMISES, Promise
from grader.sandbox.modes import backend_for
from grader.sandbox.running import answer_of, run_code
from grader.sandbox.zygote import ZygoteSandbox

CONFINED = "B" if os.geteuid() == 0 else "A1"
SLOT = 7
NAMESPACES = ("pid", "mnt", "net", "ipc", "uts")
LINKS = f"""
import os
answer = [os.getpid(), os.getppid(), {{name: os.readlink("/proc/self/ns/" + name) for name in {NAMESPACES}}}]
"""


def opened(mode: str) -> Iterator[Sandbox]:
    """A sandbox of a mode, closed afterwards."""
    sandbox = backend_for(mode).open(LIMITS, SandboxNeeds(), SLOT)
    sandbox.wait_ready()
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def confined() -> Iterator[Sandbox]:
    """The mode that confines on this machine."""
    yield from opened(CONFINED)


@pytest.fixture(scope="module", params=[CONFINED, "plain"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Either mode."""
    yield from opened(request.param)


@pytest.fixture(scope="module")
def spawning() -> Iterator[Sandbox]:
    """The plain mode as it is where there is no fork."""
    sandbox = PlainBackend(fork=False).open(LIMITS, SandboxNeeds(), SLOT)
    sandbox.wait_ready()
    yield sandbox
    sandbox.close()


def test_judge_and_student_are_apart_in_every_namespace(confined: Sandbox) -> None:
    _, parent, links = run_code(confined, LINKS)
    ours = {name: os.readlink(f"/proc/self/ns/{name}") for name in NAMESPACES}
    assert parent == 0  # it sees none
    for name in NAMESPACES:
        assert re.fullmatch(rf"{name}:\[\d+\]", links[name])
        assert links[name] != ours[name]


def test_two_students_are_apart_too(confined: Sandbox) -> None:
    idle = family(confined)
    processes = [confined.spawn(5), confined.spawn(5)]
    spaces = [set(namespaces_of(pid)) for pid in family(confined) - idle]
    for process in processes:
        process.end()
    assert [len(space) for space in spaces] == [len(NAMESPACES)] * 2
    assert not spaces[0] & spaces[1]


def test_plain_processes_are_other_processes(sandbox: Sandbox) -> None:
    pid, parent, _ = run_code(sandbox, LINKS)
    assert os.getpid() not in (pid, parent)


def test_spawned_processes_are_other_processes(spawning: Sandbox) -> None:
    pids = {run_code(spawning, LINKS, seconds=20)[0] for _ in range(2)}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_a_spawned_process_serves_and_ends(spawning: Sandbox) -> None:
    process = spawning.spawn(5)
    assert process.layers == ["time limits"]
    assert answer_of(process, "import os\nprint('x')\nanswer = [os.getpid(), os.getcwd(), os.listdir()]", 20.0)[2] == []
    pid, scratch, _ = answer_of(process, "import os\nanswer = [os.getpid(), os.getcwd(), 0]", 20.0)
    assert status_of(pid)
    assert os.path.isdir(scratch)
    assert process.end().signal_name in ("SIGKILL", "SIGTERM")
    assert not status_of(pid)
    assert not os.path.exists(scratch)


def test_a_spawned_process_that_dies_or_hangs(spawning: Sandbox) -> None:
    with pytest.raises(StudentGone):
        run_code(spawning, "import ctypes\nctypes.string_at(0)", seconds=20)
    with pytest.raises(StudentTimeout):
        run_code(spawning, "while True: pass", seconds=0.3)
    assert run_code(spawning, "answer = 6 * 7", seconds=20) == 42


def test_a_spawned_process_that_cannot_start_is_the_machines_fault() -> None:
    sandbox = PlainBackend(fork=False).open(LIMITS, SandboxNeeds(["no_such_module"]), SLOT)
    try:
        with pytest.raises(SandboxBroken):
            sandbox.spawn(5)
    finally:
        sandbox.close()


def test_sweeping_ends_spawned_processes(spawning: Sandbox) -> None:
    pid = answer_of(spawning.spawn(5), "import os\nanswer = os.getpid()", 20.0)
    spawning.sweep()
    assert not status_of(pid)


def test_four_descriptors_and_no_more(sandbox: Sandbox) -> None:
    code = """
import os
def is_open(number):
    try:
        os.fstat(number)
        return True
    except OSError:
        return False
answer = [[number for number in range(4096) if is_open(number)], os.read(0, 1), os.readlink("/proc/self/fd/3")]
"""
    numbers, stdin, connection = run_code(sandbox, code)
    assert numbers == [0, 1, 2, 3]
    assert stdin == b""
    assert connection.startswith("socket:")


def test_an_empty_scratch_folder_that_takes_files(sandbox: Sandbox) -> None:
    code = """
import os, tempfile
answer = [os.listdir("."), os.listdir(os.environ["HOME"])]
open("mine", "w").write("x")
answer += [os.listdir("."), os.path.dirname(tempfile.mkdtemp()) == os.environ["TMPDIR"]]
"""
    for _ in range(2):
        assert run_code(sandbox, code) == [[], [], ["mine"], True]


def test_no_private_file_is_in_sight(confined: Sandbox) -> None:
    course = course_folder()
    known = [load_assignment(course, name) for name in assignment_ids(course)]
    paths = [path for about in known for path in [*check_files(about, False), *variant_files(about, "wrong")]]
    # By name, without those that a library happens to use too.
    private = {path.name for path in paths} - {path.name for path in Path(torch.__file__).parent.rglob("*.py")}
    assert len(private) > 10
    here = [str(course), str(Path(grader.__file__).parent), str(Path.home()), __file__, *map(str, paths)]
    code = f"""
import os
answer = [[path for path in {here!r} if os.path.exists(path)], [], []]
worker = ["/opt/worker/grader", "/opt/worker/grader/wire", "/opt/worker/grader/sandbox"]
for root in ("/", "/opt", "/opt/worker", *worker, "/etc", "/tmp", "/box", "/dev/shm", "/var", "/srv", "/mnt"):
    for folder, _, names in os.walk(root):
        answer[1] += [os.path.join(folder, name) for name in names]
for number in range(9):
    for folder, _, names in os.walk(f"/opt/packages{{number}}"):
        answer[2] += [name for name in names if name in {private!r}]
"""
    reachable, files, among_packages = run_code(confined, code, seconds=60)
    assert reachable == []
    assert among_packages == []
    package = Path(grader.__file__).parent
    worker = {
        path.relative_to(package).as_posix() for name in ("wire", "sandbox") for path in (package / name).rglob("*.*")
    }
    assert {path.removeprefix("/opt/worker/grader/") for path in files} <= worker | {"__init__.py", "errors.py"}
    assert "/opt/worker/grader/wire/frames.py" in files


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.title)
def test_promises(confined: Sandbox, promise: Promise) -> None:
    assert promise.attempt(confined) is None
    confined.sweep()


def test_layers_are_told(sandbox: Sandbox) -> None:
    process = sandbox.spawn(5)
    process.end()
    wanted = {"seccomp", "no capabilities", "rlimits", "own /proc"} if sandbox.mode == CONFINED else {"rlimits"}
    assert wanted <= set(process.layers)
    assert ("seccomp" in process.layers) == (sandbox.mode == CONFINED)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import ctypes\nctypes.string_at(0)", {-11}),
        ("import sys\nsys.modules['grader.sandbox.worker'].flush_output = sys.modules['posix']._exit", {-9, 0, 1}),
        ("import os\nos.close(3)", {-9, 0}),
        ("import os\nos.abort()", {-6, -11}),  # the first process of a namespace cannot be aborted
    ],
)
def test_a_death_costs_the_next_one_nothing(sandbox: Sandbox, code: str, status: set[int]) -> None:
    with pytest.raises(StudentGone) as gone:
        run_code(sandbox, code)
    assert gone.value.facts.status in status
    assert run_code(sandbox, "answer = 6 * 7") == 42


@pytest.mark.parametrize("code", ["while True: pass", "import time\ntime.sleep(1000)", "import signal\nsignal.pause()"])
def test_a_hang_costs_the_next_one_nothing(sandbox: Sandbox, code: str) -> None:
    with pytest.raises(StudentTimeout):
        run_code(sandbox, code, seconds=0.3)
    assert run_code(sandbox, "answer = 6 * 7") == 42


def test_ends_are_facts_of_the_kernel(sandbox: Sandbox) -> None:
    process = sandbox.spawn(5)
    facts = process.end()
    assert facts.signal_name == "SIGKILL"
    assert facts.peak_kb > 1000
    assert 0 <= facts.cpu_seconds < 5


def test_what_is_printed(sandbox: Sandbox) -> None:
    code = "import os, sys\nprint('out')\nprint('\\ud800', file=sys.stderr)\nos.write(2, b'raw')\nanswer = 1"
    process = sandbox.spawn(5)
    assert process.printed() == (b"", b"")
    assert answer_of(process, code, 5.0) == 1
    output, errors = process.printed()
    process.end()
    assert output == b"out\n"
    assert sorted([errors[:3], errors[-3:]]) == [b"\\ud", b"raw"] or errors == b"raw\\ud800\n"
    assert process.printed() == (b"", b"")


def status_of(pid: int) -> dict[str, str]:
    """What /proc tells of a process; nothing of one that is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def family(sandbox: Sandbox) -> set[int]:
    """The sandbox's own process and everything below it."""
    assert isinstance(sandbox, ZygoteSandbox)
    everyone = {int(name): status_of(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    parents = {pid: int(status["PPid"]) for pid, status in everyone.items() if "PPid" in status}
    found = {sandbox._process.pid}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def namespaces_of(pid: int) -> list[str]:
    """Links of a process's namespaces, as seen from here."""
    return [os.readlink(f"/proc/{pid}/ns/{name}") for name in NAMESPACES]


def of_its_uids(sandbox: Sandbox) -> list[int]:
    """Processes of a sandbox's uids, wherever they are."""
    assert isinstance(sandbox, ZygoteSandbox)
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and (uids := status_of(int(name)).get("Uid")) and int(uids.split()[0]) in sandbox.uids:
            found.append(int(name))
    return found


@pytest.mark.parametrize("code", [None, "import time\ntime.sleep(1000)", "while True: pass"])
def test_after_a_sweep_nothing_is_left(sandbox: Sandbox, code: str | None) -> None:
    sandbox.sweep()
    idle = family(sandbox)
    processes = [sandbox.spawn(5) for _ in range(3)]
    for process in processes:
        if code is not None:
            with pytest.raises(StudentTimeout):
                answer_of(process, code, 0.1)
    assert len(family(sandbox) - idle) == 3
    assert len(of_its_uids(sandbox)) == (3 if sandbox.mode == "B" else 0)
    sandbox.sweep()
    assert family(sandbox) == idle
    assert of_its_uids(sandbox) == []
    assert run_code(sandbox, "answer = 1") == 1


def test_each_submission_has_its_own_uid(confined: Sandbox) -> None:
    code = "import os\nanswer = [os.getuid(), os.geteuid(), os.getgid(), os.getgroups()]"
    first = run_code(confined, code)
    assert run_code(confined, code) == first
    confined.sweep()
    second = run_code(confined, code)
    if CONFINED == "B":
        assert isinstance(confined, ZygoteSandbox)
        assert {first[0], second[0]} <= set(confined.uids)
        assert first[0] != second[0]
        assert first[3] == []
    assert first[0] == first[1] != 0
