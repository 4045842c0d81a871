# CANARY-PRIVATE-attention-right-loop_over_heads
"""One head after the other, each with its own rows of the projection matrix."""

import torch
from torch import nn
from torch.nn import functional as F


def full_visibility(nonpadding):
    return torch.stack([nonpadding] * nonpadding.shape[1], dim=1)  # (B, T, T)


def causal_visibility(nonpadding):
    visible = torch.zeros(nonpadding.shape[0], nonpadding.shape[1], nonpadding.shape[1], dtype=torch.bool)  # (B, T, T)
    for q in range(nonpadding.shape[1]):
        visible[:, q, : q + 1] = nonpadding[:, : q + 1]
    return visible  # (B, T, T)


def attention_weights(query, key, visible=None):
    scores = torch.matmul(query, key.mT) * query.size(-1) ** -0.5  # (..., T, S)
    if visible is not None:
        scores = scores.masked_fill(visible.logical_not(), -torch.inf)  # (..., T, S)
    weights = F.softmax(scores, dim=-1)  # (..., T, S), NaN in rows of nothing but minus infinity
    return torch.nan_to_num(weights, nan=0.0)  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.head_dim, rest = divmod(hidden, heads)
        if rest != 0:
            raise ValueError(f"{hidden=} is not a multiple of {heads=}")
        self.hidden = hidden
        self.out = nn.Linear(hidden, hidden)
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)

    def forward(self, x, nonpadding=None):
        visible = full_visibility(nonpadding) if nonpadding is not None else None
        results = []
        for start in range(0, self.hidden, self.head_dim):
            q, k, v = (
                F.linear(x, self.qkv.weight[first + start : first + start + self.head_dim])  # (B, T, d)
                for first in (0, self.hidden, 2 * self.hidden)
            )
            results.append(attention_weights(q, k, visible).bmm(v))  # (B, T, d)
        return self.out(torch.cat(results, dim=-1))  # (B, T, H)
