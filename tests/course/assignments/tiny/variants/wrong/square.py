# CANARY-PRIVATE-tiny-wrong-square
"""You square; double means times two."""


def double(x):
    return x * x


def total(x):
    return x.sum()
