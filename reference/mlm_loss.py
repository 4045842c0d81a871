# CANARY-PRIVATE-reference-mlm_loss
"""The two losses of BERT's pretraining: recover the selected tokens, and tell whether sentence B follows sentence A.

Masked language modelling (MLM) scores only the selected positions: -(1/|M|) Σ log softmax(z_i)[y_i] over the set M of
selected positions of the whole batch, with the natural logarithm. Next-sentence prediction (NSP) is a yes-or-no
question per pair, so its loss is binary cross-entropy. Pretraining minimises their sum.

No loss here takes the logarithm of a probability. In float32 a probability below about 1e-45 is 0 and its logarithm is
minus infinity; the logarithm is taken together with the softmax or sigmoid instead, where large scores do no harm.

Shape letters: B batch, T length, V vocabulary, M number of selected positions in the batch.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F


def token_probabilities(logits: Tensor) -> Tensor:
    """Turn scores over the vocabulary into probabilities.

    logits: (..., V). Returns (..., V); the last axis sums to 1.
    """
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits: Tensor, targets: Tensor, selected: Tensor) -> Tensor:
    """Mean negative log-likelihood of the original tokens at the selected positions.

    logits: (B, T, V); targets: (B, T) int64, the original ids, of which only the selected ones are read;
    selected: (B, T) bool. Returns a scalar. With nothing selected it is a zero that can be backpropagated.
    """
    selected_logits = logits[selected]  # (M, V)
    selected_targets = targets[selected]  # (M,)
    if selected_targets.numel() == 0:
        return selected_logits.sum()  # (), the sum of no numbers: 0, and still part of the graph
    return F.cross_entropy(selected_logits, selected_targets)  # ()


def nsp_loss(scores: Tensor, is_next: Tensor) -> Tensor:
    """Mean binary cross-entropy of the answer to "does sentence B follow sentence A?".

    scores: (B,), positive for yes; is_next: (B,), bool or 0 and 1 of any dtype. Returns a scalar.
    """
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits: Tensor, targets: Tensor, selected: Tensor, scores: Tensor, is_next: Tensor) -> Tensor:
    """The loss that pretraining minimises: MLM plus NSP, with equal weight.

    Arguments as in `mlm_loss` and `nsp_loss`. Returns a scalar.
    """
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
