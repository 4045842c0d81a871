"""Puts HTML, terminal escapes, bidirectional marks and spreadsheet formulas into texts that people will read.

Verdict: error RuntimeError
Class K.
"""

import torch
from torch import nn


def full_visibility(nonpadding):
    raise RuntimeError(_TEXT)


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError


_TEXT = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\x1b]0;owned\x07\x1b[2J\u202e=cmd|'/c calc'!A1"
print(_TEXT)
