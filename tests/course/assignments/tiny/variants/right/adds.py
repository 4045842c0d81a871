# CANARY-PRIVATE-tiny-right-adds
def double(x):
    return x + x


def total(x):
    return sum(x)
