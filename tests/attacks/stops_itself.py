"""Stops its own process, so that it uses no processor time and never answers.

Verdict: timeout
Class E.
"""

import os
import signal
import threading
import time


import torch
from torch import nn


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    os.kill(os.getpid(), signal.SIGSTOP)
    threading.Event().wait()


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
