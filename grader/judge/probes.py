"""Probes: how a check looks at what no return value shows.

Runs in the judge, called by checks. A probe asks for no extra methods: it reads the inside of an ordinary module from
the outside, by inputs and weights chosen so that the output shows it, or looks at the process in which student code
runs. What that process answers is the student's word.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.judge.student import Remote, Student
from grader.sandbox.base import StudentLied
from grader.wire import calls

GENERATORS = ("torch", "numpy", "Python")
"""The libraries whose global generators `global_generators` looks at."""


def global_generators(student: Student, seed: int | None = None) -> dict[str, str]:
    """Digests of the states of the global generators where student code runs, by library; seeded first, if told.

    Two equal digests are the same state. Before every check all three are seeded alike for every submission.
    """
    found = student._ask(calls.GLOBALS, {"seed": seed}).value
    if not isinstance(found, dict) or any(type(found.get(name)) is not str for name in GENERATORS):
        raise StudentLied("its answer holds no states of the global generators")
    return {name: found[name] for name in GENERATORS}


def attention_weights_probe(
    attention: Remote, heads: int, content: Tensor, projection: Tensor, nonpadding: Tensor | None = None
) -> Any:
    """The attention weights of a `TinySelfAttn`, read from its output.

    Each token carries a one-hot code of its position in front of its content. The value weights copy that code into
    every head and the output layer is the identity, so that what head h returns at query q *is* its row of weights.

    Arguments:
        attention: a handle with parameters `qkv.weight` (3H, H), `out.weight` (H, H), `out.bias` (H,).
        content: (B, T, C) with T <= H / heads, where C = H - T.
        projection: (2H, C), the weights of Q and K on the content; on the position code they are zero.
        nonpadding: (B, T) bool, passed on if given.

    Returns:
        (B, heads, T, T) if the module returned a tensor of shape (B, T, H), else what it returned.
    """
    batch, length, width = content.shape
    hidden = length + width
    head_dim = hidden // heads
    code = torch.eye(length).expand(batch, length, length)  # (B, T, T)
    x = torch.cat([code, content], dim=-1)  # (B, T, H)
    value = torch.zeros(hidden, hidden)  # (H, H)
    for head in range(heads):
        value[head * head_dim : head * head_dim + length, :length] = torch.eye(length)  # (T, T)
    query_key = torch.cat([torch.zeros(2 * hidden, length), projection], dim=-1)  # (2H, H)
    state = {
        "qkv.weight": torch.cat([query_key, value]),  # (3H, H)
        "out.weight": torch.eye(hidden),  # (H, H)
        "out.bias": torch.zeros(hidden),  # (H,)
    }
    attention.load_state_dict(state)
    output = attention(x) if nonpadding is None else attention(x, nonpadding)
    if not isinstance(output, Tensor) or output.shape != x.shape:
        return output
    by_head = output.reshape(batch, length, heads, head_dim).transpose(1, 2)  # (B, heads, T, d)
    return by_head[..., :length]  # (B, heads, T, T)
