# CANARY-PRIVATE-tiny-wrong-square
"""You square; double means times two.

Read on: Tiny, Double a tensor"""


def double(x):
    return x * x


def total(x):
    return x.sum()
