"""Every mode on the kind of machine that it is for: the doctor finds it, its promises hold, and marks are the same.

The kinds and what they need are in `machines.py`. Root has all of them; an ordinary user those that are not root's.
"""

from __future__ import annotations

import json
import re
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from machines import MACHINES, Machine, Place

from grader.sandbox.contract import PROMISES

Command = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parent.parent
INNER = {"rlimits", "no capabilities", "no_new_privs", "seccomp"}
LAYERS = {
    "B": INNER | {"bubblewrap", "PID, mount, network, IPC and UTS namespaces", "sized tmpfs", "own /proc", "own uid"},
    "A1": INNER | {"bubblewrap", "PID, mount, network, IPC and UTS namespaces", "sized tmpfs", "own /proc"},
    "A2": INNER | {"bubblewrap: PID, mount, network, IPC and UTS namespaces for each submission"},
    "C": INNER,
}
MULTI = """
import torch
from torch.utils.data import DataLoader, TensorDataset


def double(x):
    loaded = DataLoader(TensorDataset(x), batch_size=2, num_workers=2)
    return torch.cat([2 * batch for (batch,) in loaded])


def total(x):
    return x.sum()
"""
HONEST = """
import tempfile
import threading

import torch

tempfile.gettempdir()
torch.use_deterministic_algorithms(True)


def double(x):
    model = torch.nn.Linear(2, 1)
    optimiser = torch.optim.Adam(model.parameters())
    model(torch.ones(3, 2)).sum().backward()
    optimiser.step()
    thread = threading.Thread(target=torch.ones, args=(3,))
    thread.start()
    thread.join()
    return 2 * x


def total(x):
    return x.sum()
"""

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", params=list(MACHINES))
def machine(request: pytest.FixtureRequest) -> Machine:
    """Each kind of machine that can be had here."""
    machine = MACHINES[request.param]
    if reason := machine.reason_missing():
        pytest.skip(f"needs the layer: {reason}")
    return machine


@pytest.fixture(scope="module")
def place(machine: Machine) -> Iterator[Place]:
    """A place to work on that machine."""
    with machine.open() as place:
        yield place


def results(out: Path) -> dict[str, Any]:
    """Result files by id."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((out / "results").glob("*.json"))}


def test_its_user_can_work_there(machine: Machine, place: Place) -> None:
    if machine.as_user:
        for path in [place.folder, *place.folder.parents]:
            assert path.stat().st_mode & stat.S_IXOTH, path
    who = place.run(place.python, "-c", "import os\nprint(os.geteuid())")
    assert who.returncode == 0, who.stderr
    assert (int(who.stdout) != 0) == machine.as_user


def test_the_doctor_finds_its_mode_and_every_promise_is_kept(machine: Machine, place: Place) -> None:
    ran = place.grader("doctor")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"`grade` takes mode {machine.mode}" in ran.stdout
    assert ran.stdout.count("  kept  ") == len(PROMISES)
    assert "broken" not in ran.stdout


@pytest.fixture(scope="module")
def marks_here(grader: Command, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the example class gets on this machine as it is."""
    out = tmp_path_factory.mktemp("here") / "out"
    ran = grader("grade", ROOT / "examples" / "class-mlm", "--assignment", "mlm_loss", "--out", out)
    assert ran.returncode == 0, ran.stderr
    return marks(results(out))


def marks(found: dict[str, Any]) -> dict[str, Any]:
    """Of each result its status and score, and what each check came to."""
    return {
        name: [
            result["status"],
            result["score"],
            {check["id"]: (check["status"], check["points"]) for check in result["checks"]},
        ]
        for name, result in found.items()
    }


def test_marks_are_those_of_any_other_machine(machine: Machine, place: Place, marks_here: dict[str, Any]) -> None:
    source, out = place.checkout / "examples" / "class-mlm", place.folder / "out"
    ran = place.grader("grade", source, "--assignment", "mlm_loss", "--out", out, "--jobs", "2")
    assert ran.returncode == 0, ran.stderr
    found = results(out)
    assert found["m01"]["score"] == 100
    assert marks(found) == marks_here
    for result in found.values():
        assert result["isolation"]["mode"] == machine.mode
    layers = set(found["m01"]["isolation"]["layers"])
    assert LAYERS[machine.mode] <= layers
    assert ("own uid" in layers) == (not machine.as_user)
    assert any(layer.startswith("Landlock") for layer in layers)


def test_strict_allows_namespaces_alone(machine: Machine, place: Place) -> None:
    source, out = place.checkout / "examples" / "class-mlm" / "m01", place.folder / "strict"
    ran = place.grader("grade", source, "--assignment", "mlm_loss", "--out", out, "--isolation", "strict")
    assert ran.returncode == (3 if machine.mode == "C" else 0), ran.stderr
    assert out.exists() == (machine.mode != "C")


def test_below_the_minimum_nothing_is_graded(machine: Machine, place: Place) -> None:
    course = course_with(place, "minimum", '\n[isolation]\nminimum = "A1"\n')
    arguments = ("grade", small_class(place), "--assignment", "tiny", "--course", course)
    ran = place.grader(*arguments, "--out", place.folder / "minimum-out")
    assert ran.returncode == (0 if machine.mode == "A1" else 3), ran.stderr
    if machine.mode != "A1":
        assert "can't be confined on this machine, so nothing was graded" in ran.stderr
        assert not (place.folder / "minimum-out").exists()


def test_workers_of_a_data_loader_where_they_can_be_held(machine: Machine, place: Place) -> None:
    course = course_with(place, "multi", '\n[sandbox]\nprofile = "multi"\npreload = ["torch.utils.data"]\n')
    arguments = ("grade", small_class(place), "--assignment", "tiny", "--course", course)
    ran = place.grader(*arguments, "--out", place.folder / "multi-out")
    if machine.mode in ("A2", "C"):
        assert ran.returncode == 3
        assert "only modes A1 and B can hold" in ran.stderr
        assert not (place.folder / "multi-out").exists()
    else:
        assert ran.returncode == 0, ran.stderr
        assert results(place.folder / "multi-out")["ada"]["score"] == 100


def test_honest_code_finds_what_it_needs(machine: Machine, place: Place) -> None:
    """An optimiser's first step, which imports torch's compiler; settings that import it; the name of a folder."""
    source = place.folder / "honest"
    source.mkdir(mode=0o755)
    (source / "tiny.py").write_text(HONEST)
    course = course_with(place, "honest-course", "")
    about = course / "assignments" / "tiny" / "assignment.toml"
    about.write_text(re.sub(r"(import|check)_seconds = .*", r"\1_seconds = 30", about.read_text()))
    arguments = ("grade", source, "--assignment", "tiny", "--course", course, "--out", place.folder / "honest-out")
    ran = place.grader(*arguments)
    assert ran.returncode == 0, ran.stderr
    (result,) = results(place.folder / "honest-out").values()
    assert result["score"] == 100, [result["reason"], result["checks"]]


def course_with(place: Place, name: str, settings: str) -> Path:
    """A copy of the tiny course with more in its assignment's description."""
    course = place.folder / name
    copied = place.run("cp", "-r", place.checkout / "tests" / "course", course)
    assert copied.returncode == 0, copied.stderr
    with (course / "assignments" / "tiny" / "assignment.toml").open("a") as file:
        file.write(settings)
    return course


def small_class(place: Place) -> Path:
    """A class of one, whose solution loads its data in workers."""
    source = place.folder / "class"
    (source / "ada").mkdir(parents=True, exist_ok=True)
    (source / "ada" / "tiny.py").write_text(MULTI)
    for path in (source, source / "ada"):
        path.chmod(0o755)
    return source
