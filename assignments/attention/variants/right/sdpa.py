# CANARY-PRIVATE-attention-right-sdpa
"""Lets torch's fused scaled_dot_product_attention do the work; an identity matrix as values reads the weights out."""

import torch
from torch import nn
from torch.nn import functional as F


def full_visibility(nonpadding):
    batch, length = nonpadding.shape
    return nonpadding.unsqueeze(1).expand(batch, length, length)  # (B, T, T), a view


def causal_visibility(nonpadding):
    return torch.tril(full_visibility(nonpadding))  # (B, T, T)


def attention_weights(query, key, visible=None):
    shape = query.shape[:-1] + key.shape[-2:-1]
    codes = torch.eye(shape[-1], dtype=query.dtype, device=query.device)  # (S, S)
    codes = codes.expand(*query.shape[:-2], -1, -1)  # (..., S, S)
    if visible is None:
        return F.scaled_dot_product_attention(query, key, codes)  # (..., T, S)
    visible = visible.broadcast_to(shape)  # (..., T, S)
    weights = F.scaled_dot_product_attention(query, key, codes, attn_mask=visible)  # (..., T, S)
    return torch.where(visible, weights, torch.zeros_like(weights))  # (..., T, S)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads:
            raise ValueError(f"cannot cut {hidden} hidden units into {heads} equal heads")
        self.heads = heads
        self.qkv = nn.Linear(hidden, hidden * 3, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)  # each (B, heads, T, d)
        mask = None if nonpadding is None else nonpadding[:, None, None, :]  # (B, 1, 1, T)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # (B, heads, T, d)
        return self.out(torch.nan_to_num(mixed).transpose(1, 2).flatten(2))  # (B, T, H)
