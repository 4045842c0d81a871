"""Leaves memory, semaphores and queues that outlive their maker, under names that the next submission knows.

Verdict: error LookupError
Class J.
"""

import contextlib
import ctypes
import mmap
import os


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(0x5EED, ctypes.c_size_t(4096), 0o1666)
    queue = libc.msgget(0x5EED, 0o1666)
    locks = libc.semget(0x5EED, 1, 0o1666)
    if max(segment, queue, locks) >= 0:
        print("BREACH: left a segment, a queue or a semaphore", segment, queue, locks)
    for name in ("/dev/shm/planted_memory", "/dev/shm/sem.planted_memory"):
        with contextlib.suppress(OSError):
            number = os.open(name, os.O_CREAT | os.O_RDWR, 0o666)
            os.truncate(number, 4096)
            mmap.mmap(number, 4096)[:4] = b"here"
    raise LookupError("planted what it could")
