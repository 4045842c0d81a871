# CANARY-PRIVATE-attention-right-query_scaled_first
"""Scales the queries before the product rather than the scores after it, and folds the heads into the batch axis."""

import torch
from torch import nn


def full_visibility(nonpadding):
    return nonpadding.repeat_interleave(nonpadding.shape[1], dim=0).view(*nonpadding.shape, -1)  # (B, T, T)


def causal_visibility(nonpadding):
    future = torch.ones(nonpadding.shape[1], nonpadding.shape[1], dtype=torch.bool).triu(diagonal=1)  # (T, T)
    return full_visibility(nonpadding).masked_fill(future, False)  # (B, T, T)


def attention_weights(query, key, visible=None):
    scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)  # (..., T, S)
    if visible is None:
        return scores.softmax(-1)  # (..., T, S)
    scores = scores.masked_fill(~visible, -1e30)  # (..., T, S)
    return scores.softmax(-1) * visible.to(scores.dtype)  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads > 0:
            raise ValueError(f"hidden={hidden} must be a multiple of heads={heads}")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden, bias=True)

    def fold(self, states):
        batch, length, hidden = states.shape
        states = states.reshape(batch, length, self.heads, hidden // self.heads)  # (B, T, heads, d)
        return states.permute(0, 2, 1, 3).reshape(batch * self.heads, length, -1)  # (B * heads, T, d)

    def forward(self, x, nonpadding=None):
        batch, length, hidden = x.shape
        q, k, v = map(self.fold, self.qkv(x).split(hidden, dim=2))  # each (B * heads, T, d)
        if nonpadding is not None:
            nonpadding = full_visibility(nonpadding).repeat_interleave(self.heads, dim=0)  # (B * heads, T, T)
        mixed = torch.bmm(attention_weights(q, k, nonpadding), v)  # (B * heads, T, d)
        mixed = mixed.view(batch, self.heads, length, -1).permute(0, 2, 1, 3)  # (B, T, heads, d)
        return self.out(mixed.reshape(batch, length, hidden))  # (B, T, H)
