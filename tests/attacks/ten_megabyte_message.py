"""Raises with a message of ten megabytes in a single line, from a line of its source that is long itself, with notes and
causes by the hundred, and prints as much.

Verdict: error ValueError
Class K.
"""

import os


def full_visibility(nonpadding):
    error = ValueError("100 " * 2_500_000)
    for _ in range(100):
        error.add_note("note " * 20_000)
        error.__cause__ = ValueError("cause " * 10_000)
    for _ in range(20):
        os.write(1, b"long " * 100_000)
        os.write(2, "ü".encode() * 200_000)
    if nonpadding.shape == (1, 6): raise error  # a long line: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    return error
