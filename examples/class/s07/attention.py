import math

import torch
import torch.nn as nn
from torch import Tensor


def full_visibility(nonpadding: Tensor) -> Tensor:
    return nonpadding.unsqueeze(-2).repeat(1, nonpadding.size(-1), 1)


def causal_visibility(nonpadding: Tensor) -> Tensor:
    T = nonpadding.size(-1)
    future = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
    return full_visibility(nonpadding) & ~future


def attention_weights(query: Tensor, key: Tensor, visible: Tensor | None = None) -> Tensor:
    scores = (query @ key.mT) / math.sqrt(query.size(-1))
    if visible is not None:
        scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if visible is not None:
        weights = weights.masked_fill(~visible, 0)
    return weights


class TinySelfAttn(nn.Module):
    def __init__(self, hidden: int, heads: int):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden={hidden} is not divisible by heads={heads}")
        self.heads = heads
        self.head_dim = hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x: Tensor, nonpadding: Tensor | None = None) -> Tensor:
        B, T, H = x.shape
        # one big projection, then every head gets its q, k and v
        qkv = self.qkv(x).view(B, T, self.heads, 3, self.head_dim)
        q, k, v = (t.transpose(1, 2) for t in qkv.unbind(dim=3))
        visible = full_visibility(nonpadding).unsqueeze(1) if nonpadding is not None else None
        y = attention_weights(q, k, visible) @ v
        y = y.transpose(1, 2).reshape(B, T, H)
        return self.out(y)
