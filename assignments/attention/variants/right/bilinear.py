# CANARY-PRIVATE-attention-right-bilinear
"""Never makes queries, keys or values: multiplies the weight matrices of a head with each other and with the input."""

import torch
from torch import nn


def full_visibility(nonpadding):
    return (nonpadding.unsqueeze(1) + torch.zeros(nonpadding.shape[1], 1)).bool()  # (B, T, T)


def causal_visibility(nonpadding):
    length = nonpadding.shape[1]
    past = torch.ones(length, length).cumsum(1) <= torch.arange(1, length + 1)[:, None]  # (T, T)
    return full_visibility(nonpadding).logical_and(past)  # (B, T, T)


def normalised(scores, visible):
    weights = torch.log_softmax(torch.where(visible, scores, -1e9), dim=-1).exp()  # (..., T, S)
    return weights * visible  # (..., T, S)


def attention_weights(query, key, visible=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5  # (..., T, S)
    return scores.softmax(dim=-1) if visible is None else normalised(scores, visible)  # (..., T, S)


class Weight(nn.Module):
    """Parameters made by hand, without a Linear."""

    def __init__(self, *shape, bias=None):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(*shape) / shape[-1] ** 0.5)
        self.bias = bias if bias is None else nn.Parameter(torch.zeros(bias))


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.head_dim, left = divmod(hidden, heads)
        if left:
            raise ValueError(f"{hidden} units, {heads} heads, {left} left over")
        self.heads = heads
        self.qkv, self.out = Weight(3 * hidden, hidden), Weight(hidden, hidden, bias=hidden)

    def forward(self, x, nonpadding=None):
        hidden = x.shape[-1]
        to_query, to_key, to_value = self.qkv.weight.view(3, self.heads, self.head_dim, hidden)  # each (heads, d, H)
        form = torch.einsum("hdi,hdj->hij", to_query, to_key) / self.head_dim**0.5  # (heads, H, H)
        scores = torch.einsum("bti,hij,bsj->bhts", x, form, x)  # (B, heads, T, T)
        visible = torch.tensor(True) if nonpadding is None else nonpadding[:, None, None, :]  # (B, 1, 1, T)
        back = self.out.weight.view(hidden, self.heads, self.head_dim)  # (H, heads, d)
        move = torch.einsum("ohd,hdj->hoj", back, to_value)  # (heads, H, H)
        weights = normalised(scores, visible)  # (B, heads, T, T)
        return torch.einsum("bhts,hoj,bsj->bto", weights, move, x) + self.out.bias  # (B, T, H)
