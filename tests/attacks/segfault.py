"""Reads address 0, which ends the process with SIGSEGV.

Verdict: crashed
Class E.
"""

import ctypes


import torch
from torch import nn


def full_visibility(nonpadding):
    return ctypes.string_at(0)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
