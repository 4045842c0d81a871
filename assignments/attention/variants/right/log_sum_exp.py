# CANARY-PRIVATE-attention-right-log_sum_exp
"""Divides in the logarithm: weight = exp(score - logsumexp of the visible scores)."""

import torch
from torch import nn


class QueryKeyValue(nn.Linear):
    """One bias-free matrix for queries, keys and values that hands out the heads already cut."""

    def __init__(self, hidden, heads):
        super().__init__(hidden, 3 * hidden, bias=False)
        self.heads = heads

    def forward(self, x):
        batch, length, hidden = x.shape
        parts = super().forward(x).view(batch, length, 3, self.heads, hidden // self.heads)  # (B, T, 3, heads, d)
        return parts.permute(2, 0, 3, 1, 4)  # (3, B, heads, T, d)


def full_visibility(nonpadding):
    return torch.broadcast_to(nonpadding.unsqueeze(1), (*nonpadding.shape, nonpadding.shape[1]))  # (B, T, T)


def causal_visibility(nonpadding):
    length = nonpadding.shape[1]
    past = torch.full((length, length), True).tril()  # (T, T)
    return torch.logical_and(past, full_visibility(nonpadding))  # (B, T, T)


def attention_weights(query, key, visible=None):
    scores = torch.matmul(query, key.swapaxes(-1, -2)) / query.shape[-1] ** 0.5  # (..., T, S)
    if visible is not None:
        scores = scores.where(visible, -torch.inf)  # (..., T, S)
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()  # (..., T, S)
    return weights.where(~weights.isnan(), 0.0)  # (..., T, S), without the NaN of rows that see nothing


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden {hidden}, heads {heads}: the first must be a multiple of the second")
        self.qkv = QueryKeyValue(hidden, heads)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        query, key, value = self.qkv(x)  # each (B, heads, T, d)
        visible = None if nonpadding is None else full_visibility(nonpadding).unsqueeze(1)  # (B, 1, T, T)
        weights = attention_weights(query, key, visible)  # (B, heads, T, T)
        return self.out((weights @ value).permute(0, 2, 1, 3).reshape(x.shape))  # (B, T, H)
