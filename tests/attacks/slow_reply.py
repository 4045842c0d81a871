"""Sends its reply one byte at a time, so that the grader waits for the rest for ever.

Verdict: protocol or timeout
Class H.
"""

import os
import time


import torch
from torch import nn


def full_visibility(nonpadding):
    for byte in b"GRW1" + bytes(8) * 10_000:
        os.write(3, bytes([byte]))
        time.sleep(0.01)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
