"""Ignores every signal that can be ignored, catches every exception, and never returns.

Verdict: timeout
Class E.
"""

import contextlib
import signal

for _signal in signal.valid_signals():
    with contextlib.suppress(OSError, ValueError):
        signal.signal(_signal, signal.SIG_IGN)


import torch
from torch import nn


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
