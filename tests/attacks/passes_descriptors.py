"""Sends open descriptors along with its reply, until the grader has none left.

Verdict: error PermissionError or protocol
Class H.
"""

import array
import os
import socket


import torch
from torch import nn


def full_visibility(nonpadding):
    channel = socket.socket(fileno=os.dup(3))
    for _ in range(100):
        channel.sendmsg([b"G"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 50))])


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
