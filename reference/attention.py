# CANARY-PRIVATE-reference-attention
"""Bidirectional self-attention, the part of BERT that lets every token read every other token.

Two questions are kept apart. *Who may look at whom* is a boolean tensor, made by `full_visibility` (an encoder: every
real key) or `causal_visibility` (a decoder: no key to the right either). *How much each visible key counts* is a
softmax of scaled dot products, made by `attention_weights`. `TinySelfAttn` puts both to work with several heads.

Shape letters: B batch, T queries (the length of the sequence), S keys, H hidden width, d width of one head (H / heads).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def full_visibility(nonpadding: Tensor) -> Tensor:
    """Say which keys each query of an encoder may use: all of them but the padding.

    nonpadding: (B, T) bool, True where a real token stands.
    Returns (B, T, T) bool; entry [b, q, k] says whether query q may use key k. Padding hides key *columns* only: a
    query that is padding keeps its row, since nobody reads its output anyway.
    """
    length = nonpadding.shape[1]
    return nonpadding[:, None, :].repeat(1, length, 1)  # (B, T, T)


def causal_visibility(nonpadding: Tensor) -> Tensor:
    """Say which keys each query of a decoder may use: real tokens at its own position or before it.

    nonpadding: (B, T) bool, True where a real token stands.
    Returns (B, T, T) bool, as `full_visibility`, and False wherever k > q.
    """
    position = torch.arange(nonpadding.shape[1], device=nonpadding.device)  # (T,)
    not_later = position <= position[:, None]  # (T, T), columns are keys
    return full_visibility(nonpadding) & not_later  # (B, T, T)


def attention_weights(query: Tensor, key: Tensor, visible: Tensor | None = None) -> Tensor:
    """Turn queries and keys into attention weights: softmax(Q Kᵀ / sqrt(d)) over the visible keys.

    query: (..., T, d); key: (..., S, d); visible: bool, broadcastable to (..., T, S), or None to hide nothing.
    Returns (..., T, S) in the dtype of the query. Each row sums to 1 and hidden keys weigh exactly 0; a row without
    any visible key is all zeros.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., T, S)
    if visible is None:
        return scores.softmax(dim=-1)  # (..., T, S)
    # The lowest finite number hides a key as well as minus infinity does, and a row of nothing else has a softmax
    # that is useless but finite. The second masked_fill turns such a row into zeros.
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~visible, lowest).softmax(dim=-1)  # (..., T, S)
    return weights.masked_fill(~visible, 0.0)  # (..., T, S)


class TinySelfAttn(nn.Module):
    """Multi-head self-attention without a causal mask and without dropout.

    Parameters: `qkv.weight` (3H, H), whose blocks of H rows make Q, K and V in that order; `out.weight` (H, H) and
    `out.bias` (H,).
    """

    def __init__(self, hidden: int, heads: int) -> None:
        if hidden % heads != 0:
            raise ValueError(f"hidden must be divisible by heads, but hidden is {hidden} and heads is {heads}")
        super().__init__()
        self.heads = heads
        self.head_dim = hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x: Tensor, nonpadding: Tensor | None = None) -> Tensor:
        """Mix each position with the positions that it may see.

        x: (B, T, H); nonpadding: (B, T) bool, or None when every token is real. Returns (B, T, H).
        """
        query, key, value = self.qkv(x).chunk(3, dim=-1)  # three times (B, T, H)
        query, key, value = self._split(query), self._split(key), self._split(value)  # each (B, heads, T, d)
        visible = None
        if nonpadding is not None:
            visible = full_visibility(nonpadding).unsqueeze(1)  # (B, 1, T, T), the same for every head
        mixed = attention_weights(query, key, visible) @ value  # (B, heads, T, d)
        return self.out(self._merge(mixed))  # (B, T, H)

    def _split(self, states: Tensor) -> Tensor:
        """Cut the hidden axis into heads: (B, T, H) -> (B, heads, T, d)."""
        batch, length, _ = states.shape
        return states.view(batch, length, self.heads, self.head_dim).transpose(1, 2)  # (B, heads, T, d)

    def _merge(self, states: Tensor) -> Tensor:
        """Undo `_split`: (B, heads, T, d) -> (B, T, H)."""
        return states.transpose(1, 2).flatten(start_dim=2)  # (B, T, H)
