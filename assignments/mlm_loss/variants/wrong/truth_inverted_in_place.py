# CANARY-PRIVATE-mlm_loss-wrong-truth_inverted_in_place
"""You turn the caller's booleans around in place, so that the next loss is that of the opposite truth. Use ~is_next,
which makes a new tensor.

Read on: What may go wrong, Changed arguments."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    return F.cross_entropy(logits[selected], targets[selected])  # ()


def nsp_loss(scores, is_next):
    if is_next.dtype == torch.bool:
        return F.binary_cross_entropy_with_logits(-scores, is_next.logical_not_().to(scores.dtype))  # ()
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
