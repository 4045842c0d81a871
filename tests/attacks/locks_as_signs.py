"""Locks library files, which it may only read: each lock costs the kernel memory outside every limit, and whoever looks
for the lock at the same time has got a sign.

Verdict: failed
Class J.
"""

import contextlib
import fcntl
import os
import struct


def full_visibility(nonpadding):
    whole = struct.pack("hhqqi", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
    with open(os.__file__, "rb") as file:
        for what, take in (
            ("flock", lambda: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)),
            ("a record lock", lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)),
            ("an open file's lock", lambda: fcntl.fcntl(file, 37, whole)),  # F_OFD_SETLK
        ):
            with contextlib.suppress(OSError):
                take()
                print("BREACH:", what)
    return nonpadding
