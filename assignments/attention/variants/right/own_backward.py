# CANARY-PRIVATE-attention-right-own_backward
"""An autograd function with the gradient of the masked softmax written out: w * (g - sum of g * w)."""

import torch
from torch import nn


class MaskedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, visible):
        hidden_last = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)  # (..., T, S)
        powers = (hidden_last - hidden_last.amax(dim=-1, keepdim=True)).exp() * visible  # (..., T, S)
        total = powers.sum(dim=-1, keepdim=True)  # (..., T, 1)
        weights = powers / total.where(total > 0, 1.0)  # (..., T, S)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, upstream):
        (weights,) = ctx.saved_tensors
        return weights * (upstream - (upstream * weights).sum(dim=-1, keepdim=True)), None


def full_visibility(nonpadding):
    visible = nonpadding.new_zeros(*nonpadding.shape, nonpadding.shape[1])  # (B, T, T)
    return visible.logical_or_(nonpadding.unsqueeze(1))  # (B, T, T)


def causal_visibility(nonpadding):
    return full_visibility(nonpadding).tril_()  # (B, T, T), in place on a tensor of our own


def attention_weights(query, key, visible=None):
    scores = torch.matmul(query, key.mT).div_(query.shape[-1] ** 0.5)  # (..., T, S)
    visible = torch.tensor(True) if visible is None else visible
    return MaskedSoftmax.apply(scores, visible.broadcast_to(scores.shape))  # (..., T, S)


class TinySelfAttn(nn.ModuleDict):
    def __init__(self, hidden, heads):
        if hidden % heads:
            raise ValueError("hidden is no multiple of heads", hidden, heads)
        super().__init__({"qkv": nn.Linear(hidden, 3 * hidden, bias=False), "out": nn.Linear(hidden, hidden)})
        self.head_count = heads

    def forward(self, x, nonpadding=None):
        parts = self["qkv"](x).unflatten(-1, (3, self.head_count, -1))  # (B, T, 3, heads, d)
        q, k, v = parts.movedim(1, 3).unbind(1)  # each (B, heads, T, d)
        visible = None if nonpadding is None else full_visibility(nonpadding)[:, None]  # (B, 1, T, T)
        return self["out"]((attention_weights(q, k, visible) @ v).movedim(1, 2).flatten(2))  # (B, T, H)
