"""Names that act on a terminal and in a browser: of a class, a function, an exception, a parameter, a global: escapes that
clear the screen and retitle it, a carriage return, a backspace, text that runs backwards, letters without width.

Verdict: failed
Class K.
"""

import torch
from torch import nn

ACT = "\x1b[2J\x1b[32m\x1b]0;FORGED\x07\x1b]8;;http://example.com\x07\r100/100\x08\x08\u202e\u2066\u200b\x9b31m\x00"


class _Error(Exception):
    pass


_Error.__name__ = _Error.__qualname__ = f"ValueError{ACT[:-1]}"
globals()[f"name{ACT}"] = globals()[f"attention_weights{ACT}"] = 1
print(ACT)


def full_visibility(nonpadding):
    found = type(f"Tensor{ACT[:-1]}", (), {})()
    return found


def causal_visibility(nonpadding):
    raise _Error(ACT)


causal_visibility.__name__ = ACT


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self._parameters[f"qkv.weight{ACT}"] = nn.Parameter(torch.zeros(96, 32))
        if hidden % heads:
            raise _Error(f"{hidden} {heads} {ACT}")
