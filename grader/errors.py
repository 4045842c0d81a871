"""Errors that end a command, each a plain sentence for the person who typed it.

Used in every process. An error raised here never carries a traceback to the user: the command line prints its
sentence and exits with its status.
"""

from __future__ import annotations

from pathlib import Path


class GraderError(Exception):
    """Something that a person has to change; `str(error)` is one sentence: what happened, where, what to do."""

    exit_status = 2


class UsageProblem(GraderError):
    """Unreadable input or a wrong argument (exit status 2); nothing has been written."""


class MachineProblem(GraderError):
    """This machine, not the student, keeps us from grading (exit status 3)."""

    exit_status = 3


def unwritable(error: OSError, folder: Path) -> MachineProblem:
    """That a run stopped since something in `folder` cannot be written."""
    return MachineProblem(
        f"{error.filename or folder} cannot be written: {error.strerror}. What was finished is in place; run the "
        "same command again to go on."
    )
