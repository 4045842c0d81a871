"""Looks through /proc for other processes, their command lines, environments and open files.

Verdict: error RuntimeError or error PermissionError
Class A.
"""

import os


import torch
from torch import nn


def full_visibility(nonpadding):
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            print("BREACH: a process", name)
    for number in range(1, 5000):
        if number != os.getpid() and os.path.exists(f"/proc/{number}/cmdline"):
            print("BREACH: a process", number)
    raise RuntimeError("alone")


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
