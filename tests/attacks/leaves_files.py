"""Leaves files in every writable folder, after it looked for what an earlier process left there.

Verdict: crashed
Class J.
"""

import contextlib
import glob
import os

_places = ("/tmp", "/box", "/dev/shm", ".")
for _place in _places:
    for _name in glob.glob(f"{_place}/left*"):
        print("BREACH: something was left", _name)
for _place in _places:
    with contextlib.suppress(OSError), open(f"{_place}/left", "w") as _file:
        _file.write("here")


import torch
from torch import nn


def full_visibility(nonpadding):
    os._exit(1)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
