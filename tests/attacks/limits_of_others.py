"""Lowers limits, priority and processors of its parent and of the processes around it, so that they starve instead.

Verdict: error LookupError
Class E.
"""

import contextlib
import ctypes
import os
import resource


def full_visibility(nonpadding):
    own = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True)
    old = (ctypes.c_ulonglong * 2)()
    for number in sorted({os.getppid(), 1, *range(max(2, own - 5), own)} - {own, 0}):
        with contextlib.suppress(OSError):
            resource.prlimit(number, resource.RLIMIT_CORE, (0, 0))
            print("BREACH: set a limit of", number)
        if libc.prlimit64(number, 7, None, ctypes.byref(old)) == 0:
            print("BREACH: read a limit of", number, old[0])
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, number, 19)
            print("BREACH: set the priority of", number)
        with contextlib.suppress(OSError):
            os.sched_setaffinity(number, {0})
            print("BREACH: set the processors of", number)
        with contextlib.suppress(OSError):
            os.sched_setscheduler(number, os.SCHED_IDLE, os.sched_param(0))
            print("BREACH: set the scheduler of", number)
    raise LookupError("nobody near")
