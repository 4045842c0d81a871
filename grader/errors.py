"""Errors that end a command, each a plain sentence for the person who typed it.

Used in every process. An error raised here never carries a traceback to the user: the command line prints its
sentence and exits with its status.
"""

from __future__ import annotations


class GraderError(Exception):
    """Something that a person has to change; `str(error)` is one sentence: what happened, where, what to do."""

    exit_status = 2


class UsageProblem(GraderError):
    """Unreadable input or a wrong argument (exit status 2); nothing has been written."""


class MachineProblem(GraderError):
    """This machine, not the student, keeps us from grading (exit status 3)."""

    exit_status = 3
