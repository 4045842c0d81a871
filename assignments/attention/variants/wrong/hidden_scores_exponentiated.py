# CANARY-PRIVATE-attention-wrong-hidden_scores_exponentiated
"""You exponentiate the hidden scores too and drop the results with torch.where. A hidden score that is far above the
visible ones becomes infinity there, and its gradient is zero times infinity, NaN: hide the scores before you
exponentiate.

Read on: What may go wrong, NaN in the gradient alone."""

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
    highest = scores.detach().masked_fill(~visible, -math.inf).amax(dim=-1, keepdim=True)  # (..., T, 1)
    highest = highest.masked_fill(highest == -math.inf, 0.0)  # (..., T, 1)
    powers = torch.where(visible, (scores - highest).exp(), 0.0)  # (..., T, S)
    return powers / powers.sum(dim=-1, keepdim=True).clamp(min=0.5)  # (..., T, S)


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
