# CANARY-PRIVATE-attention-right-only_real_keys
"""No mask inside the module: each sequence attends to its real tokens alone, which are picked out first."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def full_visibility(nonpadding):
    return torch.einsum("bq,bk->bqk", torch.ones_like(nonpadding).int(), nonpadding.int()).bool()  # (B, T, T)


def causal_visibility(nonpadding):
    rows = [full_visibility(nonpadding[:, : q + 1])[:, -1] for q in range(nonpadding.shape[1])]  # each (B, q + 1)
    return torch.stack([F.pad(row, (0, nonpadding.shape[1] - row.shape[1])) for row in rows], dim=1)  # (B, T, T)


def attention_weights(query, key, visible=None):
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / math.sqrt(query.shape[-1])  # (..., T, S)
    if visible is None:
        return scores.softmax(dim=-1)  # (..., T, S)
    # The mean of no numbers is NaN: rows without a visible key are set apart before the softmax, not after it.
    some = visible.any(dim=-1, keepdim=True)  # (..., T, 1)
    safe = torch.where(some, torch.where(visible, scores, -math.inf), 0.0)  # (..., T, S)
    return torch.where(some, safe.softmax(dim=-1), 0.0).to(query.dtype)  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden {hidden} over heads {heads} leaves {hidden % heads}")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        if nonpadding is None:
            nonpadding = x.new_ones(x.shape[:2]).bool()  # (B, T)
        return torch.stack([self.sequence(states, states[real]) for states, real in zip(x, nonpadding)])  # (B, T, H)

    def sequence(self, states, real):
        """(T, H) and its R real tokens (R, H) -> (T, H)"""
        if len(real) == 0:
            return self.out(torch.zeros_like(states))  # (T, H)
        to_query, to_key, to_value = self.qkv.weight.chunk(3)  # each (H, H)
        q, k, v = (self.cut(a @ w.T) for a, w in ((states, to_query), (real, to_key), (real, to_value)))
        mixed = attention_weights(q, k) @ v  # (heads, T, d)
        return self.out(mixed.transpose(0, 1).flatten(1))  # (T, H)

    def cut(self, rows):
        """(N, H) -> (heads, N, d)"""
        return rows.unflatten(1, (self.heads, -1)).transpose(0, 1)
