"""Watches folders that others use, and is told by the kernel whenever somebody there makes, opens or removes a file: names,
times and habits of the grader and of its neighbours.

Verdict: error PermissionError or error OSError
Class J.
"""

import ctypes
import os


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    own = os.path.realpath(os.getcwd())
    number = libc.inotify_init1(os.O_NONBLOCK)
    for name in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/", os.path.dirname(own), "/opt", "/usr/lib", "/proc"):
        if os.path.realpath(name).startswith(own):
            continue
        if number >= 0 and libc.inotify_add_watch(number, name.encode(), 0xFFF) >= 0:
            print("BREACH: watches", name)
        seen = libc.fanotify_init(0, 0)
        if seen >= 0:
            print("BREACH: fanotify")
            os.close(seen)
    raise PermissionError("blind")
