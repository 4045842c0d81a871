# CANARY-PRIVATE-tiny-wrong-mean
"""You take the mean; the total is the sum."""


def double(x):
    return x + x


def total(x):
    return x.mean()
