# CANARY-PRIVATE-mlm_loss-wrong-powers_dropped_with_where
"""token_probabilities exponentiates the large logits too and drops the results with torch.where. Infinity is hidden
from the result that way but not from the gradient, which is NaN: subtract the largest logit first.

Read on: What may go wrong, NaN in the gradient alone."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    powers = torch.where(logits < 80, logits.exp(), 0.0)  # (..., V)
    simple = powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-30)  # (..., V)
    harmless = (logits.abs() < 80).all(dim=-1, keepdim=True)  # (..., 1)
    return torch.where(harmless, simple, logits.softmax(dim=-1))  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    return F.cross_entropy(logits[selected], targets[selected])  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
