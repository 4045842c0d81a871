# CANARY-PRIVATE-mlm_loss-wrong-all_positions_scored
"""You score every position. Only the selected ones count: at the others the token stands in the input, and copying it
teaches nothing.

Read on: Why a loss on some positions only, Scoring those would reward copying"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    safe = targets.clamp(0, logits.shape[-1] - 1)  # (B, T)
    return F.cross_entropy(logits.flatten(0, 1), safe.flatten())  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
