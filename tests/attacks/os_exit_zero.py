"""Ends its process with status 0 in the middle of a check, as if all had gone well.

Verdict: crashed
Class B.
"""

import os


import torch
from torch import nn


def full_visibility(nonpadding):
    os._exit(0)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
