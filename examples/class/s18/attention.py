"""attention"""
from math import sqrt
from torch import nn, einsum
import torch


def full_visibility(nonpadding):
    q = torch.ones_like(nonpadding)
    return einsum("bq,bk->bqk", q.int(), nonpadding.int()).bool()


def causal_visibility(nonpadding):
    # one table for all lengths that I will ever need, cut to size afterwards
    n = 1_000_000
    table = torch.zeros(n * n)          # 10**12 entries
    table = table.view(n, n).tril_().bool()
    t = nonpadding.shape[1]
    return full_visibility(nonpadding) & table[:t, :t]


def attention_weights(query, key, visible=None):
    s = einsum("...td,...sd->...ts", query / sqrt(query.shape[-1]), key)
    if visible is None:
        visible = torch.ones(s.shape, dtype=torch.bool)
    s = torch.where(visible, s, torch.tensor(torch.finfo(s.dtype).min, dtype=s.dtype))
    s = s - s.max(dim=-1, keepdim=True)[0].detach()
    e = torch.exp(s) * visible          # hidden keys: exactly zero
    z = e.sum(-1, keepdim=True)
    return e / torch.where(z > 0, z, torch.ones_like(z))


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super(TinySelfAttn, self).__init__()
        if hidden % heads:
            raise ValueError("hidden=%d cannot be split into %d heads" % (hidden, heads))
        self.h, self.d = heads, hidden // heads
        self.qkv = nn.Linear(hidden, hidden * 3, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        b, t, _ = x.shape
        qkv = self.qkv(x).reshape(b, t, 3, self.h, self.d)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]          # (b, t, h, d)
        vis = None if nonpadding is None else nonpadding[:, None, None, :]
        a = attention_weights(q.transpose(1, 2), k.transpose(1, 2), vis)   # (b, h, t, s)
        return self.out(einsum("bhts,bshd->bthd", a, v).reshape(b, t, -1))
