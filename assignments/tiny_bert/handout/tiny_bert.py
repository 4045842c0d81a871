"""A tiny BERT for classification, and its fine-tuning: fill in the bodies below.

Work from top to bottom; each part uses the ones above it. README.md beside this file explains the ideas.

Shape letters: B batch, T length (number of tokens), H hidden width, d width of one head (H / heads), K classes.
"""

from __future__ import annotations

import torch
from torch import nn


class TinySelfAttn(nn.Module):
    """Multi-head self-attention: no mask, no dropout.

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

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Mix each position with all positions, those on its right included.

        Arguments:
            x: (B, T, H).

        Returns:
            (B, T, H).

        The road: (B, T, H) -> qkv -> (B, T, 3H) -> three times (B, T, H) -> each (B, T, heads, d) -> transposed to
        (B, heads, T, d) -> weights softmax(Q Kᵀ / sqrt(d)), (B, heads, T, T) -> mixed values (B, heads, T, d) -> back
        to (B, T, H) -> out.
        """
        raise NotImplementedError("TinySelfAttn.forward is not written yet")


class TinyLayer(nn.Module):
    """One encoder layer with its LayerNorms in front (pre-LayerNorm), and no dropout.

    Its parameters, and no others:
        attn.*                     those of TinySelfAttn(hidden, heads)
        ff.0.weight, ff.0.bias     (4H, H) and (4H,)   the feed-forward network widens ...
        ff.2.weight, ff.2.bias     (H, 4H) and (H,)    ... and comes back; ff.1 is the exact GELU, without parameters
        ln1.weight, ln1.bias       (H,) each           the LayerNorm in front of attn, eps 1e-5
        ln2.weight, ln2.bias       (H,) each           the LayerNorm in front of ff, eps 1e-5
    """

    def __init__(self, hidden: int, heads: int) -> None:
        """Make attention, feed-forward network and both LayerNorms.

        Arguments:
            hidden: H, the width of a token's vector.
            heads: the number of heads.
        """
        super().__init__()
        raise NotImplementedError("TinyLayer.__init__ is not written yet")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add both halves to the stream, one after the other.

        Arguments:
            x: (B, T, H).

        Returns:
            (B, T, H). First x = x + attn(ln1(x)), then x + ff(ln2(x)) with the new x.
        """
        raise NotImplementedError("TinyLayer.forward is not written yet")


class TinyBertForClassification(nn.Module):
    """Embeddings, layers, and a classifier that reads position 0. 28 994 parameters by default.

    Its parameters, and no others:
        tok_emb.weight            (vocab, H)     one row for each token id; row 0 is a row like any other
        pos_emb.weight            (max_len, H)   one row for each position
        layers.0.*, layers.1.*, ...              those of TinyLayer(hidden, heads), each layer with its own
        head.weight, head.bias    (K, H) and (K,)

    No LayerNorm after the last layer, no segment embedding, no dropout.
    """

    def __init__(
        self,
        vocab: int = 100,
        hidden: int = 32,
        heads: int = 4,
        layers: int = 2,
        max_len: int = 16,
        classes: int = 2,
    ) -> None:
        """Make the embeddings, the layers and the head. How they are initialised, and in which order, is up to you.

        Arguments:
            vocab: the number of token ids, 0 to vocab - 1.
            hidden: H, the width of a token's vector.
            heads: the number of heads in each layer.
            layers: the number of layers.
            max_len: the largest number of tokens in a sequence.
            classes: K, the number of classes.
        """
        super().__init__()
        raise NotImplementedError("TinyBertForClassification.__init__ is not written yet")

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Score the classes for each sequence.

        Arguments:
            ids: (B, T) int64, T from 1 to max_len. They are not changed.

        Returns:
            (B, K), the logits: head(x[:, 0, :]) of what the last layer returns. No softmax.

        Raises:
            ValueError: if T is larger than max_len. The message names T.
        """
        raise NotImplementedError("TinyBertForClassification.forward is not written yet")


def fine_tune(
    model: nn.Module, ids: torch.Tensor, labels: torch.Tensor, epochs: int = 30, lr: float = 1e-3
) -> list[float]:
    """Train every weight of the model, in place.

    Arguments:
        model: a TinyBertForClassification. It keeps the weights after the last step.
        ids: (B, T) int64. They are not changed.
        labels: (B,) int64, the class of each sequence. They are not changed.
        epochs: how many steps; each uses all B sequences at once.
        lr: the learning rate.

    Returns:
        A list of floats, one for each epoch: the cross-entropy *before* the step of that epoch, averaged over the
        sequences.

    - Adam with betas 0.9 and 0.999 and eps 1e-8; no weight decay, no clipping, no schedule. torch.optim.Adam, or your
      own.
    - Everything is trained: the head, the layers, the position table, and each row of the token table that occurs in
      ids, row 0 included.
    - As many steps as epochs, whatever the loss does, and the weights after the last step stay.
    - Each call is a training of its own, with a new optimiser; gradients that are there on entry do not count.
    - The model is left in the mode (train or eval) in which it was found. No generator is seeded.
    """
    raise NotImplementedError("fine_tune is not written yet")
