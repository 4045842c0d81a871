"""Reads the processor clocks of other processes, by which it could see how long the judge thinks about an answer.

Verdict: failed
Class A.
"""

import contextlib
import ctypes
import os


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    space = ctypes.create_string_buffer(16)
    for number in {1, os.getppid(), *range(max(2, os.getpid() - 30), os.getpid())} - {os.getpid(), 0}:
        clock = ~number << 3 | 2  # of a process, as clock_getcpuclockid makes it
        if libc.syscall({"x86_64": 228}.get(os.uname().machine, 113), ctypes.c_long(clock), space) == 0:
            print("BREACH: read the clock of", number)
    return nonpadding
