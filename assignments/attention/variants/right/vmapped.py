# CANARY-PRIVATE-attention-right-vmapped
"""Writes everything for one row, one sequence and one head, and lets vmap add the axes."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.func import vmap


def _row(real):
    return real.expand(len(real), -1)  # (T, T)


full_visibility = vmap(_row)
causal_visibility = vmap(lambda real: _row(real).tril())


def attention_weights(query, key, visible=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., T, S)
    if visible is not None:
        scores = scores - torch.where(visible, 0.0, torch.inf).to(scores.dtype)  # (..., T, S)
    weights = scores.softmax(dim=-1)  # (..., T, S), NaN in rows that see nothing
    return weights if visible is None else torch.where(visible, weights, 0.0).to(query.dtype)  # (..., T, S)


@dataclass(frozen=True)
class Shape:
    """Widths of the module, checked when they are made."""

    hidden: int
    heads: int

    def __post_init__(self):
        if self.hidden % self.heads:
            raise ValueError(f"no equal heads: {self}")

    @property
    def head_dim(self):
        return self.hidden // self.heads


def one_head(query, key, value, visible):
    """(T, d) three times, (T, T) -> (T, d)"""
    return attention_weights(query, key, visible) @ value


class Attention(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.add_module("qkv", nn.Linear(shape.hidden, 3 * shape.hidden, bias=False))
        self.add_module("out", nn.Linear(shape.hidden, shape.hidden))

    def forward(self, x, nonpadding=None):
        batch, length, _ = x.shape
        if nonpadding is None:
            nonpadding = torch.ones(batch, length, dtype=torch.bool, device=x.device)  # (B, T)
        parts = self.qkv(x).view(batch, length, 3, self.shape.heads, self.shape.head_dim)  # (B, T, 3, heads, d)
        q, k, v = parts.permute(2, 0, 3, 1, 4)  # each (B, heads, T, d)
        over_heads = vmap(one_head, in_dims=(0, 0, 0, None))
        mixed = vmap(over_heads)(q, k, v, full_visibility(nonpadding))  # (B, heads, T, d)
        return self.out(mixed.transpose(1, 2).reshape(x.shape))  # (B, T, H)


def TinySelfAttn(hidden, heads):
    """A function in place of the class: what it returns is the module."""
    return Attention(Shape(hidden, heads))
