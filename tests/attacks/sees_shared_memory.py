"""Looks for the memory, the semaphores and the queues that a submission before it left, and takes them away.

Verdict: error LookupError
Class J.
"""

import contextlib
import ctypes
import os


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    for kind, found, remove in (
        ("segment", libc.shmget(0x5EED, ctypes.c_size_t(0), 0), lambda n: libc.shmctl(n, 0, None)),
        ("queue", libc.msgget(0x5EED, 0), lambda n: libc.msgctl(n, 0, None)),
        ("semaphore", libc.semget(0x5EED, 0, 0), lambda n: libc.semctl(n, 0, 0)),
    ):
        if found >= 0:
            print("BREACH: another's", kind)
            remove(found)
    with contextlib.suppress(OSError), open("/proc/sysvipc/shm") as file:
        for line in file.readlines()[1:]:
            print("BREACH: sees a segment", line.split()[:3])
    with contextlib.suppress(OSError):
        for name in os.listdir("/dev/shm"):
            print("BREACH: found", name)
            with contextlib.suppress(OSError):
                os.unlink(f"/dev/shm/{name}")
    raise LookupError("nothing shared")
