"""Lifts the limit on recursion and calls itself through C until the stack is used up.

Verdict: crashed or error RecursionError or memory
Class E.
"""

import sys


class _Deep:
    def __repr__(self):
        return repr([self])

    __call__ = __str__ = __repr__


def full_visibility(nonpadding):
    sys.setrecursionlimit(10**9)
    return repr(_Deep())
