import torch
import torch.nn as nn
import torch.nn.functional as F


def full_visibility(nonpadding):
    b, t = nonpadding.shape
    return nonpadding.view(b, 1, t).expand(b, t, t)


def causal_visibility(nonpadding):
    b, t = nonpadding.shape
    causal = torch.ones(t, t, dtype=torch.bool).tril()
    return full_visibility(nonpadding).logical_and(causal)


def masked_softmax(scores, visible):
    if visible is None:
        return F.softmax(scores, dim=-1)
    scores = scores.masked_fill(~visible, float("-inf"))
    return F.softmax(scores, dim=-1).nan_to_num(0.0)


def attention_weights(query, key, visible=None):
    scores = query @ key.transpose(-2, -1)
    scores = scores / query.shape[-1] ** 0.5
    return masked_softmax(scores, visible)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError("hidden %% heads != 0 (hidden = %d)" % hidden)
        self.hidden = hidden
        self.heads = heads
        self.dk = hidden // heads
        self.qkv = nn.Linear(hidden, hidden * 3, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        B, T, _ = x.shape
        q, k, v = torch.chunk(self.qkv(x), 3, dim=-1)
        q = q.reshape(B, T, self.heads, self.dk).permute(0, 2, 1, 3)
        k = k.reshape(B, T, self.heads, self.dk).permute(0, 2, 1, 3)
        v = v.reshape(B, T, self.heads, self.dk).permute(0, 2, 1, 3)
        scores = torch.matmul(q, k.permute(0, 1, 3, 2)) / self.hidden ** 0.5   # scale by sqrt of the dimension
        vis = None
        if nonpadding is not None:
            vis = full_visibility(nonpadding).unsqueeze(1)
        weights = masked_softmax(scores, vis)
        mixed = torch.matmul(weights, v).permute(0, 2, 1, 3).reshape(B, T, self.hidden)
        return self.out(mixed)
