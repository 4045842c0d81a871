"""Bidirectional self-attention: fill in the four bodies below.

Work from top to bottom; each part uses the ones above it. README.md beside this file explains the ideas.

Shape letters: B batch, T queries (the length of the sequence), S keys, H hidden width, d width of one head (H / heads).
"""

from __future__ import annotations

import torch
from torch import nn


def full_visibility(nonpadding: torch.Tensor) -> torch.Tensor:
    """Say which keys each query of an encoder may use: all of them but the padding.

    Arguments:
        nonpadding: (B, T) bool, True where a real token stands, False where there is padding.

    Returns:
        (B, T, T) bool. Entry [b, q, k] is True if query q of sequence b may use key k.

    Padding hides key *columns*. The row of a query that is padding stays as it is: like any other query, it sees the
    real keys.

    Example: nonpadding [[True, True, False]] gives [[[True, True, False], [True, True, False], [True, True, False]]].
    """
    raise NotImplementedError("full_visibility is not written yet")


def causal_visibility(nonpadding: torch.Tensor) -> torch.Tensor:
    """Say which keys each query of a decoder may use: real tokens at its own position or before it.

    Arguments:
        nonpadding: (B, T) bool, True where a real token stands, False where there is padding.

    Returns:
        (B, T, T) bool. As `full_visibility`, and also k <= q: a query sees itself and what is to its left.

    Example: nonpadding [[True, True, False]] gives [[[True, False, False], [True, True, False], [True, True, False]]].
    """
    raise NotImplementedError("causal_visibility is not written yet")


def attention_weights(query: torch.Tensor, key: torch.Tensor, visible: torch.Tensor | None = None) -> torch.Tensor:
    """Turn queries and keys into attention weights: softmax(Q Kᵀ / sqrt(d)) over the visible keys.

    Arguments:
        query: (..., T, d), float32 or float64, with any number of leading axes, none included. T may be 1.
        key: (..., S, d), with the same leading axes. S may differ from T.
        visible: bool, broadcastable to (..., T, S); True means that the query may use the key. None hides nothing.

    Returns:
        (..., T, S), in the dtype and on the device of the query.

    - Each row (the last axis) sums to 1.
    - A hidden key gets exactly 0.
    - A row with no visible key is all zeros. It is never NaN.
    - Scores up to 10 000 in size give finite weights.
    - Gradients reach query and key and are finite. The arguments themselves are not changed.
    """
    raise NotImplementedError("attention_weights is not written yet")


class TinySelfAttn(nn.Module):
    """Multi-head self-attention: no causal mask, no dropout.

    Its parameters, and no others:
        qkv.weight  (3H, H)   the query, key and value projections in one matrix without a bias, in the order Q, K, V
        out.weight  (H, H)    the output projection ...
        out.bias    (H,)      ... which has a bias
    """

    def __init__(self, hidden: int, heads: int) -> None:
        """Make the two layers.

        Arguments:
            hidden: H, the width of a token's vector.
            heads: the number of heads; each is H / heads wide.

        Raises:
            ValueError: if `hidden` cannot be divided by `heads`. The message names the value.
        """
        super().__init__()
        raise NotImplementedError("TinySelfAttn.__init__ is not written yet")

    def forward(self, x: torch.Tensor, nonpadding: torch.Tensor | None = None) -> torch.Tensor:
        """Mix each position with the positions that it may see.

        Arguments:
            x: (B, T, H).
            nonpadding: (B, T) bool, True where a real token stands. None means that every token is real.

        Returns:
            (B, T, H). A sequence that is nothing but padding gives finite numbers, whatever they are.

        The road: (B, T, H) -> qkv -> (B, T, 3H) -> three times (B, T, H) -> each (B, T, heads, d) -> transposed to
        (B, heads, T, d) -> weights (B, heads, T, T) -> mixed values (B, heads, T, d) -> back to (B, T, H) -> out.
        """
        raise NotImplementedError("TinySelfAttn.forward is not written yet")
