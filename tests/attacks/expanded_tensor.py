"""Blows one number up to a million millions, and keeps a graph of all of them: little code, much memory, from inside
torch.

Verdict: memory
Class F.
"""

import torch


def full_visibility(nonpadding):
    return torch.ones(1).expand(1 << 40).contiguous()


def causal_visibility(nonpadding):
    kept = torch.ones(1 << 20, requires_grad=True)
    for _ in range(30):
        kept = torch.cat([kept, kept])
    return kept


def attention_weights(query, key, visible=None):
    return [[0] * 10**9 for _ in range(1000)]
