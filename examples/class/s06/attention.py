# attention homework
# TODO: clean up

import numpy as np
import torch
from torch import nn


def full_visibility(nonpadding):
    B, T = nonpadding.shape
    result = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for q in range(T):
            result[b, q] = nonpadding[b]
    return result


def causal_visibility(nonpadding):
    B, T = nonpadding.shape
    result = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for q in range(T):
            for k in range(q + 1):
                result[b, q, k] = nonpadding[b, k]
    return result


def attention_weights(query, key, visible=None):
    scores = query @ key.transpose(-2, -1) / np.sqrt(query.shape[-1])
    if visible is not None:
        scores = scores.masked_fill(~visible, -1e30)
    w = scores.softmax(dim=-2)    # normalise
    if visible is not None:
        w = w.masked_fill(~visible, 0.0)
    return w


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"cannot divide {hidden} by {heads}")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        B, T, H = x.shape
        d = H // self.heads
        q, k, v = self.qkv(x).chunk(3, -1)
        q = q.view(B, T, self.heads, d).transpose(1, 2)
        k = k.view(B, T, self.heads, d).transpose(1, 2)
        v = v.view(B, T, self.heads, d).transpose(1, 2)
        visible = full_visibility(nonpadding)[:, None] if nonpadding is not None else None
        z = attention_weights(q, k, visible) @ v
        return self.out(z.transpose(1, 2).reshape(B, T, H))
