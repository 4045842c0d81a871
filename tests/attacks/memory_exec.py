"""Runs a program that no disk holds: it copies an interpreter into a file in memory, or into its own folder, and executes
that.

Verdict: error PermissionError or error FileNotFoundError or error OSError
Class I.
"""

import contextlib
import glob
import os
import shutil
import sys
import tempfile


SHELL = ["sh", "-c", "echo BREACH: a shell runs"]


def _program():
    for name in (sys.executable, sys._base_executable, "/bin/sh", "/usr/bin/true", *glob.glob("/usr/bin/python3*")):
        with contextlib.suppress(OSError, TypeError), open(name, "rb") as file:
            return file.read()
    with open("/proc/self/exe", "rb") as file:
        return file.read()


def full_visibility(nonpadding):
    arguments = ["python3", "-S", "-c", "print('BREACH: another program runs', flush=True)"]
    for name in ("/proc/self/exe", *glob.glob("/lib*/ld-linux*"), *glob.glob("/lib/*/ld-linux*")):
        with contextlib.suppress(OSError):
            os.execv(name, arguments)
    program = _program()
    with contextlib.suppress(OSError):
        number = os.memfd_create("program")
        os.write(number, program)
        os.execve(number, arguments, {})
    with contextlib.suppress(OSError):
        copy = os.path.join(tempfile.gettempdir(), "python3")
        with open(copy, "wb") as file:
            file.write(program)
        os.chmod(copy, 0o755)
        os.execv(copy, arguments)
    os.execv(shutil.which("sh") or "/bin/sh", SHELL)
