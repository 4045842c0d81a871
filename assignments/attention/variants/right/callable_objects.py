# CANARY-PRIVATE-attention-right-callable_objects
"""Callable objects and a partial in place of functions, parameter holders in place of Linear, a buffer, extras."""

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F


def _visibility(nonpadding, causal):
    length = nonpadding.shape[-1]
    visible = nonpadding.unsqueeze(-2).expand(*nonpadding.shape, length).clone()  # (B, T, T)
    return visible.tril() if causal else visible  # (B, T, T)


full_visibility = partial(_visibility, causal=False)
causal_visibility = partial(_visibility, causal=True)


class Weigher:
    """Attention weights as an object that remembers how to fill hidden scores."""

    def __init__(self, fill=-torch.inf):
        self.fill = fill

    def __call__(self, query, key, visible=None, scale=None):
        scale = query.shape[-1] ** -0.5 if scale is None else scale
        scores = torch.matmul(query, key.transpose(-2, -1)) * scale  # (..., T, S)
        if visible is None:
            return scores.softmax(dim=-1)  # (..., T, S)
        empty = visible.logical_not().all(dim=-1, keepdim=True)  # (..., T, 1)
        scores = torch.where(visible, scores, self.fill)  # (..., T, S)
        return scores.masked_fill(empty, 0).softmax(dim=-1).masked_fill(empty, 0)  # (..., T, S)


attention_weights = Weigher()


class Matrix(nn.Module):
    """Holds a weight, and a bias if asked to."""

    def __init__(self, rows, columns, bias=False):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rows, columns).normal_(std=0.02))
        self.register_parameter("bias", nn.Parameter(torch.zeros(rows)) if bias else None)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads, std=0.02, name="attention"):
        super().__init__()
        self._check(hidden, heads)
        self.name, self.heads = name, heads
        self.qkv = Matrix(3 * hidden, hidden)
        self.out = Matrix(hidden, hidden, bias=True)
        self.register_buffer("scale", torch.tensor((hidden // heads) ** -0.5, dtype=torch.float64))
        nn.init.normal_(self.qkv.weight, std=std)

    @staticmethod
    def _check(hidden, heads):
        if hidden % heads:
            raise ValueError(f"heads ({heads}) must divide hidden ({hidden})")

    def forward(self, x, nonpadding=None, return_weights=False):
        q, k, v = F.linear(x, self.qkv.weight).tensor_split(3, dim=-1)  # each (B, T, H)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(-3, -2) for part in (q, k, v))  # (B, heads, T, d)
        visible = None if nonpadding is None else full_visibility(nonpadding)[:, None]  # (B, 1, T, T)
        weights = attention_weights(q, k, visible, scale=self.scale)  # (B, heads, T, T)
        output = F.linear((weights @ v).transpose(-3, -2).flatten(-2), self.out.weight, self.out.bias)  # (B, T, H)
        return (output, weights) if return_weights else output
