"""Looks for tokens, paths and names of the grader in environment variables, in the environment that the process was
started with, in its arguments and in the name of the machine.

Verdict: error LookupError
Class A.
"""

import contextlib
import os
import sys

WORDS = ("TOKEN", "SECRET", "KEY", "PASSW", "SSH", "PYTEST", "VIRTUAL_ENV", "OLDPWD", "SUDO", "AWS", "DBUS", "XDG_RUN")


def full_visibility(nonpadding):
    found = [f"{name}={value}" for name, value in os.environ.items()]
    for name in ("environ", "cmdline"):
        with contextlib.suppress(OSError):
            with open(f"/proc/self/{name}", "rb") as file:
                found += file.read().decode("utf-8", "replace").split("\0")
    for entry in found:
        if any(word in entry.partition("=")[0].upper() for word in WORDS if "=" in entry):
            print("BREACH: environment", entry)
        if any(word in entry for word in ("--assignment", "--out", "/hidden", "pytest-of-")):
            print("BREACH: a path or an argument of the grader", entry)
    for entry in (*sys.argv, *sys.orig_argv):
        if "assignments" in entry or "hidden" in entry:
            print("BREACH: an argument", entry)
    raise LookupError("neutral")
