# CANARY-PRIVATE-reference-tiny_bert
"""A whole encoder, small enough to train in a second: BERT's layers with a classification head, and its fine-tuning.

The model is a *residual stream*. Each token starts as the sum of what it is (token embedding) and where it stands
(position embedding), and every layer adds to that sum twice: what the other tokens have to say (`attn`), then what
the token makes of it by itself (`ff`). Pre-LayerNorm means that each addend is computed from a normalised copy of the
stream, while the stream itself is never normalised. The classifier reads the stream at position 0, where `[CLS]`
stands. Fine-tuning then moves every weight there is, the embeddings included.

Shape letters: B batch, T length, H hidden width, d width of one head (H / heads), K classes.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class TinySelfAttn(nn.Module):
    """Multi-head self-attention without a mask and without dropout.

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

    def forward(self, x: Tensor) -> Tensor:
        """Mix each position with all positions. x: (B, T, H). Returns (B, T, H)."""
        query, key, value = map(self._split, self.qkv(x).chunk(3, dim=-1))  # each (B, heads, T, d)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)  # (B, heads, T, T)
        mixed = scores.softmax(dim=-1) @ value  # (B, heads, T, d)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))  # (B, T, H)

    def _split(self, states: Tensor) -> Tensor:
        """Cut the hidden axis into heads: (B, T, H) -> (B, heads, T, d)."""
        batch, length, _ = states.shape
        return states.view(batch, length, self.heads, self.head_dim).transpose(1, 2)  # (B, heads, T, d)


class TinyLayer(nn.Module):
    """One pre-LayerNorm encoder layer: attention, then a feed-forward network of four times the width.

    Parameters: those of `attn`, `ff.0` (4H, H) and `ff.2` (H, 4H) with their biases, and the scale and shift of `ln1`
    and `ln2`. Both LayerNorms use an eps of 1e-5, and GELU is the exact one, x Φ(x).
    """

    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.attn = TinySelfAttn(hidden, heads)
        self.ff = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))
        self.ln1 = nn.LayerNorm(hidden)
        self.ln2 = nn.LayerNorm(hidden)

    def forward(self, x: Tensor) -> Tensor:
        """Add both halves to the stream. x: (B, T, H). Returns (B, T, H)."""
        x = x + self.attn(self.ln1(x))  # (B, T, H)
        return x + self.ff(self.ln2(x))  # (B, T, H)


class TinyBertForClassification(nn.Module):
    """Embeddings, layers and a classifier on the `[CLS]` position: 28 994 parameters by default.

    There is no LayerNorm after the last layer, no segment embedding and no dropout.
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
        super().__init__()
        self.max_len = max_len
        # The published figures depend on this order: each line draws its weights from the global generator.
        self.tok_emb = nn.Embedding(vocab, hidden)
        self.pos_emb = nn.Embedding(max_len, hidden)
        self.layers = nn.ModuleList(TinyLayer(hidden, heads) for _ in range(layers))
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids: Tensor) -> Tensor:
        """Score the classes for each sequence. ids: (B, T) int64 with T <= max_len. Returns logits, (B, K)."""
        length = ids.shape[1]
        if length > self.max_len:
            raise ValueError(f"a sequence of {length} tokens is longer than max_len")
        positions = torch.arange(length, device=ids.device)  # (T,)
        x = self.tok_emb(ids) + self.pos_emb(positions)  # (B, T, H)
        for layer in self.layers:
            x = layer(x)  # (B, T, H)
        return self.head(x[:, 0, :])  # (B, K)


def fine_tune(model: nn.Module, ids: Tensor, labels: Tensor, epochs: int = 30, lr: float = 1e-3) -> list[float]:
    """Train all weights of `model` in place, on the whole batch at once, with Adam and cross-entropy.

    ids: (B, T) int64; labels: (B,) int64. Returns the losses, one for each epoch, each taken before that epoch's step:
    the first tells how good the model was on entry, and the effect of the last step is in no loss.
    """
    was_training = model.training
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()  # first, so that gradients which were there on entry do not count
        loss = F.cross_entropy(model(ids), labels)  # ()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.train(was_training)
    return losses
