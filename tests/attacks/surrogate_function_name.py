"""Raises from a function whose code object is named with half a surrogate pair, in a file so named: both are
quoted in the error's place.

Verdict: protocol or error RuntimeError
Class K.
"""

import torch
from torch import nn


def full_visibility(nonpadding):
    raise NotImplementedError


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError


import linecache

_source = "raise RuntimeError('x')"
_code = compile(_source, "odd.py", "exec").replace(co_name="\ud800", co_filename="od\udc80.py")
linecache.cache["od\udc80.py"] = (len(_source), None, [_source], "od\udc80.py")


def full_visibility(nonpadding):
    exec(_code)
