# CANARY-PRIVATE-tiny-wrong-absolute
"""You double the absolute value; the sign must stay."""


def double(x):
    return 2 * abs(x)


def total(x):
    return x.sum()
