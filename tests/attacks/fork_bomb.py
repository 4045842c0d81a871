"""Forks without end; refused, since the sandbox allows no process but the first.

Verdict: error PermissionError or error BlockingIOError
Class F.
"""

import os


import torch
from torch import nn


def full_visibility(nonpadding):
    while True:
        os.fork()


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
