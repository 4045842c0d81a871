import sys

# usage: python attention.py --run
if "--run" not in sys.argv:
    print("nothing to do")
    sys.exit()

import math
import torch
from torch import nn


def full_visibility(nonpadding):
    T = nonpadding.size(1)
    return nonpadding[:, None, :].repeat(1, T, 1)


def causal_visibility(nonpadding):
    T = nonpadding.size(1)
    return full_visibility(nonpadding) & torch.tril(torch.ones(T, T)).bool()


def attention_weights(query, key, visible=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if visible is None:
        return torch.softmax(scores, dim=-1)
    scores = scores.masked_fill(visible == False, -1e9)
    return torch.softmax(scores, dim=-1) * visible


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"hidden {hidden} not divisible by {heads}")
        self.n_head = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        if nonpadding is None:
            nonpadding = torch.ones(B, T, dtype=torch.bool)
        mask = full_visibility(nonpadding)[:, None]
        att = attention_weights(q, k, mask)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.out(y)
