"""Asks for memory in ways that belong to no process: files that exist in memory alone, segments that outlive their maker,
large files in the folder for shared memory.

Verdict: error OSError or error PermissionError or error FileNotFoundError
Class F.
"""

import contextlib
import ctypes
import os


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(0, ctypes.c_size_t(1 << 28), 0o1600)
    if segment >= 0:
        print("BREACH: a segment of 256 MB")
        libc.shmctl(segment, 0, None)
    with contextlib.suppress(OSError):
        number = os.memfd_create("hoard")
        os.truncate(number, 1 << 32)
        print("BREACH: a file in memory")
    with open("/dev/shm/hoard", "wb") as file:
        try:
            for _ in range(512):
                file.write(b"x" * (1 << 20))
            print("BREACH: 512 MB of shared memory")
        finally:
            os.unlink("/dev/shm/hoard")
