# CANARY-PRIVATE-attention-right-manual_softmax
"""Writes the softmax out: subtract the largest visible score, exponentiate, drop the hidden, divide by the sum."""

import torch
from torch import nn


def full_visibility(nonpadding):
    return nonpadding[:, None].repeat_interleave(nonpadding.shape[1], dim=1)  # (B, T, T)


def causal_visibility(nonpadding):
    length = nonpadding.shape[1]
    return full_visibility(nonpadding) * torch.ones(length, length, dtype=torch.bool).tril()  # (B, T, T)


def masked_softmax(scores, visible):
    highest = scores.detach().masked_fill(~visible, -torch.inf).amax(dim=-1, keepdim=True)  # (..., T, 1)
    highest = highest.masked_fill(highest == -torch.inf, 0.0)  # (..., T, 1)
    shifted = (scores - highest).masked_fill(~visible, -torch.inf)  # (..., T, S)
    exponentials = shifted.exp()  # (..., T, S), exactly 0 where hidden
    total = exponentials.sum(dim=-1, keepdim=True)  # (..., T, 1), at least 1 where any key is visible
    return exponentials / total.clamp(min=0.5)  # (..., T, S)


def attention_weights(query, key, visible=None):
    scores = query.matmul(key.transpose(-2, -1)).div(query.shape[-1] ** 0.5)  # (..., T, S)
    if visible is None:
        visible = torch.ones_like(scores, dtype=torch.bool)  # (..., T, S)
    return masked_softmax(scores, visible)  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError("hidden must be divisible by heads", hidden, heads)
        self.heads, self.head_dim = heads, hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        batch, length, hidden = x.shape
        projected = self.qkv(x)  # (B, T, 3H)
        q = projected[..., :hidden].view(batch, length, self.heads, self.head_dim).transpose(1, 2)  # (B, heads, T, d)
        k = projected[..., hidden : 2 * hidden].view(batch, length, self.heads, self.head_dim).transpose(1, 2)
        v = projected[..., 2 * hidden :].view(batch, length, self.heads, self.head_dim).transpose(1, 2)
        if nonpadding is None:
            nonpadding = torch.ones(batch, length, dtype=torch.bool, device=x.device)  # (B, T)
        weights = attention_weights(q, k, full_visibility(nonpadding).unsqueeze(1))  # (B, heads, T, T)
        return self.out((weights @ v).transpose(1, 2).contiguous().view(batch, length, hidden))  # (B, T, H)
