"""Gives the module a `__getattr__` that answers every name, and names that are no strings.

Verdict: failed
Class C.
"""

import torch
from torch import nn


def full_visibility(nonpadding):
    return nonpadding


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError


def __getattr__(name):
    return lambda *a, **k: torch.zeros(1)


globals()[1] = "a name that is no string"
