"""`grader.check(…)` in a notebook: what the session has run is checked in a process of its own, and shown inline.

`check_running_notebook` runs in the student's kernel, which imports neither torch nor pytest for it and keeps nothing:
the session's code goes as a notebook into a private folder, `grader check` runs there in an interpreter of its own
(`serve`), and its page and text come back as the output of the cell. An interrupt of the kernel ends that process; on
Linux so does the kernel's end. Nobody is protected from anybody: all of it is the student's own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import grader
from grader.errors import GraderError, MachineProblem, UsageProblem
from grader.intake.live import Run, counting_runs, session_notebook
from grader.render.inline import Inline

_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from grader.cli.notebook import serve; serve()"
_PRINTED = ("text.txt", "talk.txt")
"""What the command prints to standard output and to standard error."""
_GRACE_SECONDS = 10.0
_PAUSE_SECONDS = 0.02  # a wait of the operating system's own cannot be interrupted everywhere
_COLOURS = ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
_PR_SET_PDEATHSIG = 1
"""prctl(2)"""


def check_running_notebook(assignment_id: str, course: str | Path | None, lang: str | None = None) -> None:
    """Check the session that this is called in and display its report, or print in a sentence why that cannot be."""
    try:
        report = _report(assignment_id, course, lang)
    except GraderError as problem:
        print(problem, file=sys.stderr)
        return
    except KeyboardInterrupt:
        raise KeyboardInterrupt("The check was interrupted.") from None  # its place in our code is no news
    from IPython.display import display

    shown: Any = display
    shown(report)


def _report(assignment_id: str, course: str | Path | None, lang: str | None) -> Inline:
    shell = _shell()
    if shell is None:
        raise UsageProblem("grader.check is for notebooks; to check a file, run `grader check FILE` in a terminal.")
    if not isinstance(assignment_id, str) or not assignment_id:
        raise UsageProblem('Name the assignment in quotes, as in grader.check("attention").')
    options = ["--assignment", assignment_id, *([] if course is None else ["--course", os.fspath(course)])]
    options += [] if lang is None else ["--lang", lang]
    notebook = session_notebook(counting_runs(session_runs(shell)))
    with tempfile.TemporaryDirectory(prefix="grader-") as private:
        folder = Path(private)
        file, page = folder / "notebook.ipynb", folder / "report.html"
        try:
            file.write_bytes(notebook)
            status = _run(["check", str(file), "--beside", os.getcwd(), "--html", str(page), *options], folder)
        except OSError as error:
            raise MachineProblem(f"The check could not start: {error.strerror}.") from None
        text, talk = ((folder / name).read_text("utf-8", "replace") for name in _PRINTED)
        if page.is_file():
            return Inline(page.read_text("utf-8"), text)
    told = talk.strip().removeprefix("grader: ") or f"The check ended without a result (status {status}); try again."
    raise UsageProblem(told)


def _shell() -> Any:
    """The IPython that runs this, if one does."""
    ipython: Any = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def session_runs(shell: Any) -> list[Run]:
    """Every run of a cell since the kernel started, in order; the last one is the one that is going on."""
    history = shell.history_manager
    raised: Mapping[int, Any] = getattr(history, "exceptions", {})  # which older versions of IPython do not keep
    texts: Sequence[str] = history.input_hist_raw
    return [Run(number, text, number in raised) for number, text in enumerate(texts) if number and text.strip()]


def _run(arguments: list[str], folder: Path) -> int:
    """Run a command of ours in an interpreter of its own, which prints into files in `folder`; its exit status.

    No process is left behind, however this ends. Raises OSError if it cannot be started.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _COLOURS}
    environment |= {"MPLBACKEND": "Agg", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    package = str(Path(grader.__file__).resolve().parent.parent)
    with (folder / _PRINTED[0]).open("wb") as text, (folder / _PRINTED[1]).open("wb") as talk:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, package, *arguments],  # -P: a torch.py beside the notebook is no torch
            stdin=subprocess.DEVNULL,
            stdout=text,
            stderr=talk,
            env=environment,
            process_group=0 if os.name == "posix" else None,  # an interrupt is ours to hand on, once
        )
    try:
        while process.poll() is None:
            time.sleep(_PAUSE_SECONDS)
    except BaseException:
        _end(process)
        raise
    return process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to end, as Ctrl-C does, so that it ends its own; then make it."""
    process.terminate()
    try:
        process.wait(_GRACE_SECONDS)
    except BaseException:  # too slow, or a second interrupt
        process.kill()
        process.wait()


def serve() -> None:
    """What the interpreter of a check starts with: the command line, for as long as the kernel lives."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    from grader.cli.main import main

    main()
