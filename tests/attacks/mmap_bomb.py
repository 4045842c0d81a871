"""Touches shared anonymous memory, which a limit on the data segment does not count, until it is stopped.

Verdict: memory or error OSError
Class F.
"""

import mmap


import torch
from torch import nn


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    blocks, ones = [], b"1" * (1 << 20)
    while True:
        block = mmap.mmap(-1, 1 << 28)
        for _ in range(64):
            block.write(ones)
        blocks.append(block)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
