"""Waits for somebody to type, and then for a lock that it holds itself, with no processor time used.

Verdict: timeout
Class F.
"""

import contextlib
import sys
import threading


def full_visibility(nonpadding):
    if nonpadding.shape == (1, 6):
        with contextlib.suppress(EOFError):
            input("How many points? ")
        sys.stdin.read()
        lock = threading.Lock()
        with lock, lock:
            pass
    return nonpadding
