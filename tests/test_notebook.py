"""`grader.check(…)` in a real kernel: what is checked, what is shown, and that nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parent.parent
CLASS = ROOT / "examples" / "class"
RIGHT = "def double(x):\n    return 2 * x\n\n\ndef total(x):\n    return x.sum()\n"
CHECK = "import grader\ngrader.check('tiny')\nprint('the cell goes on')"
WRONG = RIGHT.replace("2 * x", "x * x")
Session = Callable[..., list[Any]]


@pytest.fixture
def environment(tiny_course: Path, tmp_path: Path) -> dict[str, str]:
    """What a kernel of a test starts with: the tiny course, its own folder for what is temporary, and a mark."""
    (tmp_path / "temporary").mkdir()
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "GRADER_COURSE": str(tiny_course),
        "TMPDIR": str(tmp_path / "temporary"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "GRADER_TEST_MARK": str(tmp_path),
    }


@pytest.fixture
def session(environment: dict[str, str], tmp_path: Path) -> Iterator[Session]:
    """Runs cells in a kernel, one after the other; the outputs of each. Nothing may be left behind."""
    folder = tmp_path / "work"
    folder.mkdir()

    def run(*cells: str) -> list[Any]:
        notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
        client = NotebookClient(notebook, timeout=180, kernel_name="python3", allow_errors=True)
        client.resources = {"metadata": {"path": str(folder)}}
        client.execute(env=environment)
        return [cell.outputs for cell in notebook.cells]

    yield run
    assert processes(environment) == []
    assert not list((tmp_path / "temporary").glob("grader-*"))


def shown(outputs: list[Any]) -> tuple[str, str]:
    """The report that a cell displayed, which must be one: its page and its text."""
    (report,) = [output.data for output in outputs if output.output_type == "display_data"]
    found = re.search(r'<iframe srcdoc="([^"]*)"', report["text/html"])
    assert found is not None
    return unescape(found[1]), report["text/plain"]


def printed(outputs: list[Any]) -> str:
    return "".join(output.text for output in outputs if output.output_type == "stream")


def processes(environment: dict[str, str]) -> list[int]:
    """Processes that live with this environment, the kernel among them."""
    mark = f"GRADER_TEST_MARK={environment['GRADER_TEST_MARK']}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def test_what_was_run_is_checked_and_shown_and_the_kernel_stays_as_it_was(session: Session) -> None:
    loaded = "import sys\nprint(sorted({'torch', 'pytest', '_pytest', 'jinja2', 'rich'} & set(sys.modules)))"
    tried, _, check, after, _ = session(WRONG, "%matplotlib inline\ndisplay(total)", f"{RIGHT}\n{CHECK}", loaded, WRONG)
    page, text = shown(check)
    assert text.startswith("Tiny: 40 of 40 public points, 1 of 1 checks passed")
    assert "double(x) is twice x." in page
    assert "[7] is cell 7" in page
    assert "cells 1 and" not in text
    assert printed(check) == "the cell goes on\n"
    assert printed(after) == "[]\n"
    assert not tried


def test_wrong_work_reads_what_is_wrong_and_hostile_output_stays_text(session: Session, tmp_path: Path) -> None:
    (tmp_path / "work" / "torch.py").write_text("raise SystemExit('no torch')")
    hostile = "print('</pre></iframe>\"><script>alert(1)</script>\\x1b[31m')"
    _, _, _, first, unknown, number = session(
        f"{WRONG}\n{hostile}", "1 / 0", "def double(x:", CHECK, "grader.check('tinny')", "grader.check(3)"
    )
    page, text = shown(first)
    assert text.startswith("Tiny: 0 of 40 public points")
    assert "first at [0]: yours 1, expected 2" in " ".join(text.split())
    assert "Twice two is four." in page
    assert "<script" not in page
    assert "</pre></iframe>" not in page
    assert "\x1b" not in page + text
    assert printed(unknown) == "There is no assignment 'tinny'; this course has: tiny. Did you mean tiny?\n"
    assert printed(number) == 'Name the assignment in quotes, as in grader.check("attention").\n'
    assert [output.output_type for output in unknown + number] == ["stream", "stream"]


@pytest.mark.full
def test_lines_are_told_by_the_number_in_the_brackets_and_helpers_are_found(session: Session, tmp_path: Path) -> None:
    (tmp_path / "work" / "helper.py").write_text("FACTOR = 2\n")
    uses = (
        "from helper import FACTOR\n\n\ndef double(x):\n    return FACTOR * x\n\n\ndef total(x):\n    return x.summ()"
    )
    broken = "\ndef double(x):\n    return MISSING * x"
    results = session("x = 1", uses, CHECK, broken, "print(x)", CHECK)
    assert shown(results[2])[1].startswith("Tiny: 40 of 40")
    text = shown(results[5])[1]
    assert "NameError at tiny.ipynb, cell 4, line 3, in double" in text
    assert "Cell 4, line 3 uses `MISSING`, which no cell defines" in " ".join(text.split())


@pytest.mark.full
def test_a_cell_that_raised_and_was_mended(session: Session) -> None:
    raising = f"assert undefined\n{WRONG}"
    results = session(raising, RIGHT, "plot(3)", "for epoch in range(10**9):\n    raise KeyError(epoch)", CHECK)
    text = shown(results[4])[1]
    assert text.startswith("Tiny: 40 of 40")
    assert "cell 1" not in text
    assert "plot" not in text


@pytest.mark.full
def test_training_again_and_again_does_not_push_out_what_comes_after(session: Session) -> None:
    trains = "import time\nfor epoch in range(4):\n    time.sleep(0.2)\nmodel = time.sleep(0.2)"
    results = session(WRONG, *[trains] * 12, RIGHT, CHECK)
    text = shown(results[-1])[1]
    assert text.startswith("Tiny: 40 of 40")


@pytest.mark.full
@pytest.mark.parametrize(("student", "told"), [("s01", "30 of 30"), ("s06", "softmax over the queries")])
def test_attention(session: Session, environment: dict[str, str], student: str, told: str) -> None:
    del environment["GRADER_COURSE"]
    parts = re.split(r"\n{2,}(?=def |class )", (CLASS / student / "attention.py").read_text("utf-8"))
    plot = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nplt.show()"
    results = session(*parts, plot, "import grader\nif True:\n    grader.check('attention')")
    page, text = shown(results[-1])
    assert told in " ".join(text.split())
    assert student == "s01" or told in page


@pytest.mark.full
def test_the_commands_of_the_documentation_with_the_kit_that_was_handed_out(
    session: Session, environment: dict[str, str], grader: Any, tmp_path: Path
) -> None:
    environment["GRADER_COURSE"] = ""
    assert grader("release", "attention", "--out", tmp_path / "work" / "kit").returncode == 0
    documented = (ROOT / "docs" / "notebooks.md").read_text("utf-8")
    cells = re.findall(r"```python\n(.*?)```", documented, re.DOTALL)
    (load,) = re.findall(r"`(%load .*?)`", documented)
    solution = (CLASS / "s01" / "attention.py").read_text("utf-8")
    results = session(load, solution, *cells, cells[1].partition(",")[0] + ")")
    for outputs in (results[2], results[3], results[5]):
        assert shown(outputs)[1].startswith("Attention: 30 of 30")
        assert "Not run" not in shown(outputs)[1]


@pytest.mark.full
def test_a_notebook_that_checks_itself_can_be_handed_in(grader: Any, tiny_course: Path, tmp_path: Path) -> None:
    from notebooks import notebook

    for number, check in enumerate((CHECK, "from grader import check\ncheck('tiny', course='x')\nprint('goes on')")):
        file = tmp_path / f"class{number}" / "ada" / "tiny.ipynb"
        file.parent.mkdir(parents=True)
        file.write_bytes(notebook(check, f"{check}\n{RIGHT}"))
        out = tmp_path / f"out{number}"
        ran = grader("grade", file.parent.parent, "--assignment", "tiny", "--out", out, "--course", tiny_course)
        assert ran.returncode == 0, ran.stderr
        assert "100" in (out / "grades.csv").read_text()
        assert "notebooks" not in (out / "reports" / "ada.html").read_text()


LONG = "import sys, time\nif 'ipykernel' not in sys.modules:\n    open({marker!r}, 'w').close()\n    time.sleep(300)"
Checking = tuple[KernelManager, BlockingKernelClient]


@pytest.fixture
def checking(environment: dict[str, str], tiny_course: Path, tmp_path: Path) -> Iterator[Checking]:
    """A kernel in the middle of a check, whose process of student code waits for five minutes."""
    toml = tiny_course / "assignments" / "tiny" / "assignment.toml"
    toml.write_text(toml.read_text().replace("import_seconds = 2", "import_seconds = 1000"))
    marker = tmp_path / "running"
    manager, client = start_new_kernel(env=environment)
    try:
        client.execute(f"{RIGHT}\n{LONG.format(marker=str(marker))}")
        client.execute(CHECK)
        wait_until(marker.exists)
        assert len(processes(environment)) >= 3
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_an_interrupt_ends_the_check_and_the_kernel_goes_on(
    checking: Checking, environment: dict[str, str], tmp_path: Path
) -> None:
    manager, client = checking
    manager.interrupt_kernel()
    while (reply := client.get_shell_msg(timeout=60))["content"].get("ename") is None:
        assert reply["content"]["status"] == "ok"
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert reply["content"]["evalue"] == "The check was interrupted."
    wait_until(lambda: len(processes(environment)) == 1)
    assert not list((tmp_path / "temporary").glob("grader-*"))
    answer = client.execute_interactive("print('alive')", timeout=60)
    assert answer["content"]["status"] == "ok"


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="only there does the kernel's end reach the check")
def test_a_kernel_that_is_killed_takes_the_check_along(checking: Checking, environment: dict[str, str]) -> None:
    manager, _ = checking
    assert manager.provisioner is not None
    os.kill(manager.provisioner.pid, signal.SIGKILL)  # type: ignore[attr-defined]
    wait_until(lambda: processes(environment) == [])


def test_outside_of_a_notebook_it_names_the_command() -> None:
    code = "import sys, grader; grader.check('attention'); print(sorted({'torch', 'IPython'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stderr == "grader.check is for notebooks; to check a file, run `grader check FILE` in a terminal.\n"
    assert ran.stdout == "[]\n"


@pytest.mark.full
def test_in_a_terminal_it_prints_the_text(environment: dict[str, str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors", "nocolor"],
        input="def double(x): return 2 * x\n\nimport grader\ngrader.check('tiny')\n",
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=180,
    )
    assert "Tiny: 40 of 40 public points" in ran.stdout
    assert "<iframe" not in ran.stdout


def wait_until(happened: Callable[[], bool]) -> None:
    """Fails after two minutes."""
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)
