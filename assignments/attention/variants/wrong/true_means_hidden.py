# CANARY-PRIVATE-attention-wrong-true_means_hidden
"""You use True for "hidden" throughout. Here True means "may be used", both in what the two visibility functions
return and in what attention_weights is given.

Read on: Visibility, True means yes"""

import math

import torch
from torch import nn


def full_visibility(nonpadding):
    length = nonpadding.shape[1]
    return ~nonpadding[:, None, :].repeat(1, length, 1)  # (B, T, T)


def causal_visibility(nonpadding):
    position = torch.arange(nonpadding.shape[1], device=nonpadding.device)  # (T,)
    return ~nonpadding[:, None, :] | (position[None, :] > position[:, None])  # (B, T, T)


def attention_weights(query, key, visible=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., T, S)
    if visible is None:
        return scores.softmax(dim=-1)  # (..., T, S)
    lowest = torch.finfo(scores.dtype).min
    visible = ~visible  # (..., T, S)
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
        visible = None if nonpadding is None else full_visibility(nonpadding).unsqueeze(1)  # (B, 1, T, T)
        weights = attention_weights(query, key, visible)  # (B, heads, T, T)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, hidden)  # (B, T, H)
        return self.out(mixed)  # (B, T, H)
