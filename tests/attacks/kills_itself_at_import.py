"""Sends itself every deadly signal while it is imported, so that the process that should be examined is never there.

Verdict: invalid or crashed or failed
Class E.
"""

import os
import signal

for _number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGSYS, signal.SIGBUS, signal.SIGKILL):
    os.kill(os.getpid(), _number)
    signal.raise_signal(_number)


def full_visibility(nonpadding):
    os.kill(os.getpid(), signal.SIGKILL)
    return nonpadding
