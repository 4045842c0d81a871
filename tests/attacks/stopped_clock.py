"""Stops the clocks of Python, disarms every timer, and then takes as long as it likes.

Verdict: timeout
Class C.
"""

import signal
import time

time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0
time.monotonic_ns = time.perf_counter_ns = lambda: 0
signal.setitimer(signal.ITIMER_REAL, 0)
signal.setitimer = signal.alarm = signal.signal = lambda *more: None


def full_visibility(nonpadding):
    if nonpadding.shape == (1, 6):
        while True:
            time.sleep(1000)
    return nonpadding
