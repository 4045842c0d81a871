"""Replaces its process by a shell, and tries subprocess; both are refused.

Verdict: error PermissionError
Class I.
"""

import os
import subprocess
import sys


import torch
from torch import nn


SHELL = ["/bin/sh", "-c", "echo BREACH: a shell ran >&2"]
PROGRAM = ["python3", "-c", "print('BREACH: another program ran')"]


def full_visibility(nonpadding):
    try:
        subprocess.run(SHELL, check=True)
    finally:
        os.execv(sys.executable or "/usr/bin/python3", PROGRAM)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
