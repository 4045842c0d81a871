import torch
import torch.nn as nn
import math


def full_visibility(nonpadding):
    # padding should not look at anything and nobody should look at padding
    return nonpadding.unsqueeze(1) & nonpadding.unsqueeze(2)


def causal_visibility(nonpadding):
    T = nonpadding.shape[1]
    causal = torch.tril(torch.ones(T, T)).bool()
    return full_visibility(nonpadding) & causal


def attention_weights(query, key, visible=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
    if visible is not None:
        scores = scores.masked_fill(~visible, -math.inf)
    return torch.softmax(scores, dim=-1)


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        if hidden % heads != 0:
            raise ValueError(f"{hidden} % {heads} != 0")
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x, nonpadding=None):
        B, T, H = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)

        def heads(t):
            return t.view(B, T, self.heads, H // self.heads).transpose(1, 2)

        mask = None if nonpadding is None else full_visibility(nonpadding)[:, None, :, :]
        out = attention_weights(heads(q), heads(k), mask) @ heads(v)
        return self.out(out.transpose(1, 2).reshape(B, T, H))
