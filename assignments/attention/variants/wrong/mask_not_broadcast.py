# CANARY-PRIVATE-attention-wrong-mask_not_broadcast
"""You use `visible` as an index, which works only when it has exactly the shape of the scores. It may be smaller,
such as (T, S) or (B, 1, 1, S), and must be broadcast: masked_fill and torch.where do that.

Read on: Weights, may be smaller"""

import math

import torch
from torch import nn


def full_visibility(nonpadding):
    length = nonpadding.shape[1]
    return nonpadding[:, None, :].repeat(1, length, 1)  # (B, T, T)


def causal_visibility(nonpadding):
    position = torch.arange(nonpadding.shape[1], device=nonpadding.device)  # (T,)
    return nonpadding[:, None, :] & (position[None, :] <= position[:, None])  # (B, T, T)


def attention_weights(query, key, visible=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., T, S)
    if visible is None:
        return scores.softmax(dim=-1)  # (..., T, S)
    hidden = ~visible  # (..., T, S)
    scores[hidden] = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim=-1)  # (..., T, S)
    return torch.where(hidden, 0.0, weights)  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"hidden ({hidden}) must be divisible by heads ({heads})")
        self.heads = heads
        self.head_dim = hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def split(self, states):
        batch, length, _ = states.shape
        return states.view(batch, length, self.heads, self.head_dim).transpose(1, 2)  # (B, heads, T, d)

    def forward(self, x, nonpadding=None):
        batch, length, hidden = x.shape
        query, key, value = self.qkv(x).chunk(3, dim=-1)  # each (B, T, H)
        query, key, value = self.split(query), self.split(key), self.split(value)  # each (B, heads, T, d)
        visible = None
        if nonpadding is not None:
            visible = full_visibility(nonpadding).unsqueeze(1).repeat(1, self.heads, 1, 1)  # (B, heads, T, T)
        weights = attention_weights(query, key, visible)  # (B, heads, T, T)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, hidden)  # (B, T, H)
        return self.out(mixed)  # (B, T, H)
