"""Opens a connection to the internet, to loopback and to an abstract UNIX name to fetch the solution.

Verdict: error RuntimeError
Class I.
"""

import socket


import torch
from torch import nn


def full_visibility(nonpadding):
    for family, address in (
        (socket.AF_INET, ("93.184.216.34", 80)),
        (socket.AF_INET, ("127.0.0.1", 80)),
        (socket.AF_UNIX, "\0grader"),
    ):
        try:
            out = socket.socket(family)
            print("BREACH: a socket of family", int(family))
            out.settimeout(0.5)
            out.connect(address)
            print("BREACH: connected", address)
        except OSError:
            pass
    raise RuntimeError("no network")


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
