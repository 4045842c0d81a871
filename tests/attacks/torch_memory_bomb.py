"""Asks torch for terabytes, then keeps every tensor it gets.

Verdict: memory
Class F.
"""

import torch
from torch import nn


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    kept = []
    while True:
        kept.append(torch.empty(1 << 26))


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
