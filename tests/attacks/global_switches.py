"""Changes every global setting that it knows, whenever it is called: number type, device, gradients, determinism,
rounding, locale, umask, folder, signals, recursion. Its own answers are right.

Verdict: passed
Class D.
"""

import contextlib
import decimal
import gc
import locale
import math
import os
import random
import signal
import sys
import warnings

import torch
from torch import nn


def _switch():
    torch.set_default_dtype(torch.float16)
    torch.set_grad_enabled(False)
    torch.set_flush_denormal(True)
    torch.set_num_threads(2)
    torch.set_printoptions(precision=1)
    torch.autograd.set_detect_anomaly(True)
    torch.manual_seed(0)
    torch.set_default_device("meta")
    random.seed(0)
    decimal.getcontext().prec = 1
    warnings.simplefilter("error")
    sys.setrecursionlimit(200)
    gc.disable()
    os.umask(0)
    os.chdir("/")
    with contextlib.suppress(Exception):
        torch.use_deterministic_algorithms(True)
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "C")
    for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)


def full_visibility(nonpadding):
    result = nonpadding[:, None, :].repeat(1, nonpadding.shape[1], 1)
    _switch()
    return result


def causal_visibility(nonpadding):
    return full_visibility(nonpadding).tril()


def attention_weights(query, key, visible=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    result = torch.nan_to_num(scores.softmax(-1), nan=0.0)
    _switch()
    return result
