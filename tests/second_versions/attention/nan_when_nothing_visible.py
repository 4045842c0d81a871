import torch as th
from torch import nn
import torch.nn.functional as f


def full_visibility(nonpadding):
    n = nonpadding.size(1)
    return th.stack([nonpadding for _ in range(n)], dim=1)


def causal_visibility(nonpadding):
    n = nonpadding.size(1)
    past = th.tril(th.ones((n, n))).to(th.bool)
    return th.logical_and(full_visibility(nonpadding), past)


def attention_weights(query, key, visible=None):
    scale = query.size(-1) ** -0.5
    logits = th.einsum("...qd,...kd->...qk", query, key) * scale
    if visible is None:
        return f.softmax(logits, dim=-1)
    logits = th.where(visible, logits, th.full_like(logits, -float('inf')))
    p = f.softmax(logits, dim=-1)
    return p


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super(TinySelfAttn, self).__init__()
        if hidden % heads != 0:
            raise ValueError("hidden {} heads {}".format(hidden, heads))
        self.n, self.d = heads, hidden // heads
        self.qkv = nn.Linear(hidden, hidden * 3, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        b, t, c = x.size()
        q, k, v = self.qkv(x).split(c, dim=-1)
        q = q.unflatten(-1, (self.n, self.d)).permute(0, 2, 1, 3)
        k = k.unflatten(-1, (self.n, self.d)).permute(0, 2, 1, 3)
        v = v.unflatten(-1, (self.n, self.d)).permute(0, 2, 1, 3)
        m = nonpadding[:, None, None] if nonpadding is not None else None
        p = attention_weights(q, k, m)
        y = th.einsum("bhqk,bhkd->bqhd", p, v).flatten(2)
        return self.out(y)
