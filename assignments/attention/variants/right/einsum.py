# CANARY-PRIVATE-attention-right-einsum
"""Names every axis with einsum, so that nothing has to be transposed."""

from math import sqrt

import torch
from torch import einsum, nn


def full_visibility(nonpadding):
    every_query = torch.ones_like(nonpadding)  # (B, T)
    return every_query[:, :, None] & nonpadding[:, None, :]  # (B, T, T)


def causal_visibility(nonpadding):
    steps = torch.arange(nonpadding.size(1), device=nonpadding.device)  # (T,)
    return full_visibility(nonpadding) & (steps.unsqueeze(1) - steps.unsqueeze(0) >= 0)  # (B, T, T)


def attention_weights(query, key, visible=None):
    scores = einsum("...td,...sd->...ts", query, key) / sqrt(query.size(-1))  # (..., T, S)
    if visible is None:
        visible = torch.ones((), dtype=torch.bool, device=query.device)  # ()
    visible = visible.expand_as(scores)  # (..., T, S)
    nothing = ~visible.any(dim=-1, keepdim=True)  # (..., T, 1)
    scores = torch.where(visible | nothing, scores, float("-inf"))  # (..., T, S)
    return torch.softmax(scores, -1) * visible  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        if hidden != heads * (hidden // heads):
            raise ValueError(f"hidden size {hidden} does not split into {heads} heads")
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        b, t, h = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, h // self.heads).unbind(2)  # each (B, T, heads, d)
        visible = None if nonpadding is None else nonpadding.view(b, 1, 1, t)  # (B, 1, 1, T)
        weights = attention_weights(q.movedim(2, 1), k.movedim(2, 1), visible)  # (B, heads, T, T)
        return self.out(einsum("bhts,bshd->bthd", weights, v).reshape(b, t, h))  # (B, T, H)
