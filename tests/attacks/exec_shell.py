"""Replaces its process by a shell, and tries subprocess; both are refused."""

import os
import subprocess


import torch
from torch import nn


def full_visibility(nonpadding):
    try:
        subprocess.run(["/bin/sh", "-c", "id"], check=True)
    finally:
        os.execv("/usr/bin/python3.11", ["python3", "-c", "print(1)"])


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
