"""Computes a number with millions of millions of digits: one instruction that nothing in Python can interrupt.

Verdict: timeout or memory
Class F.
"""


def full_visibility(nonpadding):
    if nonpadding.shape == (1, 6):
        return 7 ** nonpadding.shape[1] ** 9
    return nonpadding
