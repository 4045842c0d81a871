"""Matches a regular expression that takes longer than the universe lasts, inside one call that Python can't interrupt.

Verdict: timeout
Class F.
"""

import re


def full_visibility(nonpadding):
    if nonpadding.shape == (1, 6):
        re.match(r"(a|a)*(a|aa)*b", "a" * 60)
    return nonpadding
