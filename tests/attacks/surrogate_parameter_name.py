"""Names a parameter with half a surrogate pair: the name comes back in `parameters()`, is recorded by
`expect.same`, and the judge's own result can no longer be encoded. No forging; a zero became `ungraded`.

Verdict: failed
Class H.
"""

import torch
from torch import nn


def full_visibility(nonpadding):
    raise NotImplementedError


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self._parameters["\ud800"] = nn.Parameter(torch.zeros(2))
