import math


def scale(width):
    return 1 / math.sqrt(width)
