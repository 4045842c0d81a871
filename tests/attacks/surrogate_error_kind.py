"""A metaclass whose `__name__` is half a surrogate pair names the exception: the result that quotes the
type can't be encoded, three times, and the submission became `ungraded`.

Verdict: error
Class K.
"""


class _Named(type):
    @property
    def __name__(cls):
        return "\ud800"


class Odd(Exception, metaclass=_Named):
    pass


import torch
from torch import nn


def full_visibility(nonpadding):
    raise Odd


def causal_visibility(nonpadding):
    raise Odd


def attention_weights(query, key, visible=None):
    raise Odd


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise Odd
