# CANARY-PRIVATE-mlm_loss-wrong-unselected_scored
"""You score exactly the positions that were not selected. True in `selected` means that the position counts.

Read on: Why a loss on some positions only, is True where the position counts"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    others = ~selected  # (B, T)
    safe = targets.clamp(0, logits.shape[-1] - 1)  # (B, T)
    return F.cross_entropy(logits[others], safe[others])  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
