# CANARY-PRIVATE-tiny-reference
"""The reference of the tiny course."""


def double(x):
    return 2 * x


def total(x):
    return x.sum()
