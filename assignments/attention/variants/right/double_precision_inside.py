# CANARY-PRIVATE-attention-right-double_precision_inside
"""Computes in float64 and rounds to the caller's precision at the end."""

import torch
from torch import Tensor, nn


def full_visibility(nonpadding: Tensor) -> Tensor:
    return nonpadding[:, None, :] | torch.zeros(nonpadding.shape[1], 1, dtype=torch.bool)  # (B, T, T)


def causal_visibility(nonpadding: Tensor) -> Tensor:
    length = nonpadding.shape[1]
    rows, columns = torch.tril_indices(length, length)
    visible = torch.zeros(len(nonpadding), length, length, dtype=torch.bool)  # (B, T, T)
    visible[:, rows, columns] = nonpadding[:, columns]
    return visible  # (B, T, T)


def attention_weights(query: Tensor, key: Tensor, visible: Tensor | None = None) -> Tensor:
    scores = query.double() @ key.double().transpose(-2, -1)  # (..., T, S)
    scores = scores / torch.tensor(query.shape[-1], dtype=torch.float64).sqrt()  # (..., T, S)
    if visible is not None:
        bias = torch.zeros(visible.shape, dtype=torch.float64).masked_fill(~visible, -1e300)  # as visible
        scores = scores + bias  # (..., T, S)
    weights = scores.softmax(dim=-1)  # (..., T, S)
    if visible is not None:
        weights = weights * visible  # (..., T, S)
    return weights.to(query.dtype)  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"a hidden size of {hidden} cannot be shared by {heads} heads")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x: Tensor, nonpadding: Tensor | None = None) -> Tensor:
        batch, length, hidden = x.shape
        weight = self.qkv.weight.double().view(3, self.heads, hidden // self.heads, hidden)  # (3, heads, d, H)
        q, k, v = torch.einsum("bti,chdi->cbhtd", x.double(), weight)  # each (B, heads, T, d)
        visible = None if nonpadding is None else full_visibility(nonpadding).unsqueeze(1)  # (B, 1, T, T)
        mixed = attention_weights(q, k, visible) @ v  # (B, heads, T, d)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, hidden).to(x.dtype))  # (B, T, H)
