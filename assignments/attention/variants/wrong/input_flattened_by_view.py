# CANARY-PRIVATE-attention-wrong-input_flattened_by_view
"""You flatten the batch with view(), which fails for an input that was transposed or sliced before: its numbers do not
lie in a row in memory. Linear takes any number of leading axes, and reshape() takes any tensor.

Read on: What may go wrong, A view that fails."""

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
    nothing = ~visible.any(dim=-1, keepdim=True)  # (..., T, 1)
    visible = visible | nothing
    weights = scores.masked_fill(~visible, -math.inf).softmax(dim=-1)  # (..., T, S)
    return weights.masked_fill(nothing, 0.0)  # (..., T, S)


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
        flat = self.qkv(x.view(batch * length, hidden))  # (B * T, 3 * H)
        query, key, value = flat.view(batch, length, 3 * hidden).chunk(3, dim=-1)  # each (B, T, H)
        query, key, value = self.split(query), self.split(key), self.split(value)  # each (B, heads, T, d)
        visible = None if nonpadding is None else full_visibility(nonpadding).unsqueeze(1)  # (B, 1, T, T)
        weights = attention_weights(query, key, visible)  # (B, heads, T, T)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, hidden)  # (B, T, H)
        return self.out(mixed)  # (B, T, H)
