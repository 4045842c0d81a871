"""Sends a dict with the keys of a recorded tensor, but a number as its data, in place of an argument: the
command asked for its length while it wrote the result, and the whole batch ended with a TypeError.

Verdict: failed
Class H.
"""

import sys

import torch
from torch import nn


def full_visibility(nonpadding):
    sys._getframe(1).f_locals["args"][:] = ({"dtype": "x", "shape": 1, "data": 5},)
    return nonpadding[:, None, :].repeat(1, nonpadding.shape[1], 1)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
