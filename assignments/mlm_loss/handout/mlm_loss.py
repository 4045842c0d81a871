"""The two losses of BERT's pretraining: fill in the four bodies below.

README.md beside this file explains the ideas.

Shape letters: B batch, T length, V vocabulary.
"""

from __future__ import annotations

import torch


def token_probabilities(logits: torch.Tensor) -> torch.Tensor:
    """Turn scores over the vocabulary into probabilities.

    Arguments:
        logits: (..., V), float32 or float64, with any number of leading axes, none included.

    Returns:
        (..., V). The softmax over the last axis, right for logits up to 10 000 in size, and so are its gradients.

    Example: logits [3, 1, 0] give about [0.844, 0.114, 0.042].
    """
    raise NotImplementedError("token_probabilities is not written yet")


def mlm_loss(logits: torch.Tensor, targets: torch.Tensor, selected: torch.Tensor) -> torch.Tensor:
    """Mean negative log-likelihood of the original tokens at the selected positions.

    Arguments:
        logits: (B, T, V), float32 or float64, the scores of the model at every position.
        targets: (B, T) int64, the original token ids. At positions that are not selected they may hold anything,
            -100 included: do not use them there.
        selected: (B, T) bool, True where the position counts.

    Returns:
        A scalar: the mean of -log softmax(logits)[target], natural logarithm, over all selected positions of the
        batch. With no position selected: a zero on which `backward()` works.

    - The mean is over the selected positions of the whole batch, not row by row.
    - Logits up to 10 000 in size give the right value, not merely a finite one.
    - Only the logits of selected positions get a gradient. The arguments themselves are not changed.
    """
    raise NotImplementedError("mlm_loss is not written yet")


def nsp_loss(scores: torch.Tensor, is_next: torch.Tensor) -> torch.Tensor:
    """Mean binary cross-entropy of the answer to "does sentence B follow sentence A?".

    Arguments:
        scores: (B,), float32 or float64, one for each pair; sigmoid(score) is the probability that B follows A.
        is_next: (B,), the truth: bool, or 0 and 1 of any dtype.

    Returns:
        A scalar: the mean over the batch, natural logarithm. Scores up to 10 000 in size give the right value.

    - The gradient reaches the scores: (sigmoid - truth) / B. The arguments themselves are not changed.

    Example: score 1.2 with is_next True gives about 0.2633.
    """
    raise NotImplementedError("nsp_loss is not written yet")


def pretraining_loss(
    logits: torch.Tensor, targets: torch.Tensor, selected: torch.Tensor, scores: torch.Tensor, is_next: torch.Tensor
) -> torch.Tensor:
    """The loss that pretraining minimises: the MLM loss plus the NSP loss.

    Arguments:
        As in `mlm_loss` and `nsp_loss`, and whatever those take.

    Returns:
        A scalar: mlm_loss(...) + nsp_loss(...). With no position selected it is the NSP loss.

    Example: an MLM loss of 1.7887 and an NSP loss of 0.2633 give 2.0520.
    """
    raise NotImplementedError("pretraining_loss is not written yet")
