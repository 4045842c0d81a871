# CANARY-PRIVATE-attention-wrong-three_axes_only
"""Your attention_weights works only for tensors with exactly three axes. There may be any number of leading axes,
heads among them or none: use @ or torch.matmul and transpose(-2, -1).

Read on: Weights, Any leading axes."""

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
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[-1])  # (B, T, S)
    if visible is None:
        return scores.softmax(dim=-1)  # (..., T, S)
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~visible, lowest).softmax(dim=-1)  # (..., T, S)
    return weights.masked_fill(~visible, 0.0)  # (..., T, S)


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
        query, key, value = query.flatten(0, 1), key.flatten(0, 1), value.flatten(0, 1)  # each (B * heads, T, d)
        visible = None
        if nonpadding is not None:
            visible = full_visibility(nonpadding).repeat_interleave(self.heads, dim=0)  # (B * heads, T, T)
        weights = attention_weights(query, key, visible)  # (B * heads, T, T)
        mixed = (weights @ value).view(batch, self.heads, length, self.head_dim)  # (B, heads, T, d)
        mixed = mixed.transpose(1, 2).reshape(batch, length, hidden)  # (B, T, H)
        return self.out(mixed)  # (B, T, H)
