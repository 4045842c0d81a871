# Homework: attention
import math
import torch
import torch.nn as nn


def full_visibility(nonpadding):
    B, T = nonpadding.shape
    # every query may look at all real keys
    return nonpadding.unsqueeze(1).expand(B, T, T).clone()


def causal_visibility(nonpadding):
    T = nonpadding.shape[1]
    tri = torch.tril(torch.ones(T, T, dtype=torch.bool, device=nonpadding.device))
    return full_visibility(nonpadding) & tri


def attention_weights(query, key, visible=None):
    d = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d)
    if visible is not None:
        scores = scores.masked_fill(~visible, float("-inf"))
    w = torch.softmax(scores, dim=-1)
    # rows without any key are nan here -> make them 0
    return torch.nan_to_num(w, nan=0.0)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"hidden ({hidden}) has to be divisible by heads ({heads})")
        self.heads = heads
        self.head_dim = hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        B, T, H = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.heads, self.head_dim).transpose(1, 2)
        k = k.view(B, T, self.heads, self.head_dim).transpose(1, 2)
        v = v.view(B, T, self.heads, self.head_dim).transpose(1, 2)

        visible = None
        if nonpadding is not None:
            visible = full_visibility(nonpadding).unsqueeze(1)

        w = attention_weights(q, k, visible)
        y = (w @ v).transpose(1, 2).contiguous().view(B, T, H)
        return self.out(y)


# second attempt
