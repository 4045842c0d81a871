# CANARY-PRIVATE-attention-right-row_by_row
"""Slow and plain: one query at a time, a softmax over just the keys that it may see."""

import torch
from torch import nn


def full_visibility(nonpadding):
    rows = [[mask.tolist() for _ in mask] for mask in nonpadding]
    return torch.tensor(rows, dtype=torch.bool).reshape(*nonpadding.shape, nonpadding.shape[1])  # (B, T, T)


def causal_visibility(nonpadding):
    rows = [[[bool(real) and k <= q for k, real in enumerate(mask)] for q in range(len(mask))] for mask in nonpadding]
    return torch.tensor(rows, dtype=torch.bool).reshape(*nonpadding.shape, nonpadding.shape[1])  # (B, T, T)


def one_row(query, keys, visible):
    """(d,), (S, d), (S,) -> (S,)"""
    if not visible.any():
        return (keys @ query) * 0.0  # (S,)
    scores = (keys[visible] * query).sum(dim=-1) / len(query) ** 0.5  # (number of visible keys,)
    return query.new_zeros(len(keys)).masked_scatter(visible, scores.softmax(dim=0))  # (S,)


def attention_weights(query, key, visible=None):
    *leading, length, width = query.shape
    keys = key.shape[-2]
    if visible is None:
        visible = torch.tensor(True)
    visible = visible.expand(*leading, length, keys).reshape(-1, length, keys)  # (N, T, S)
    keys_per_table = key.reshape(-1, keys, width)  # (N, S, d)
    tables = [
        torch.stack([one_row(q, k, v) for q, v in zip(queries, visibles, strict=True)])  # (T, S)
        for queries, k, visibles in zip(query.reshape(-1, length, width), keys_per_table, visible, strict=True)
    ]
    return torch.stack(tables).reshape(*leading, length, keys)  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden / heads != hidden // heads:
            raise ValueError(f"{hidden} / {heads} is not a whole number")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        outputs = []
        for index, states in enumerate(x):
            q, k, v = self.qkv(states).chunk(3, dim=-1)  # each (T, H)
            visible = None if nonpadding is None else nonpadding[index]  # (T,), the same keys for every query
            heads = zip(*(part.chunk(self.heads, dim=-1) for part in (q, k, v)), strict=True)
            mixed = [attention_weights(q, k, visible) @ v for q, k, v in heads]  # heads times (T, d)
            outputs.append(self.out(torch.cat(mixed, dim=-1)))  # (T, H)
        return torch.stack(outputs)  # (B, T, H)
