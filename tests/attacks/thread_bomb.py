"""Starts threads with tiny stacks until the machine refuses, and goes on trying: the limit on processes of the user who
grades is used up, and nothing else of that user's can start. In mode A1 10 400 threads were seen.

Verdict: timeout
Class F.
"""

import threading
import time

threading.stack_size(32768)
_never = threading.Event()


def _grab():
    while True:
        try:
            threading.Thread(target=_never.wait, daemon=True).start()
        except RuntimeError:
            time.sleep(0.0002)


threading.Thread(target=_grab, daemon=True).start()


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    time.sleep(60)
