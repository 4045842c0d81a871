# CANARY-PRIVATE-mlm_loss-wrong-pretraining_zero_without_targets
"""When no token is selected your pretraining loss is zero altogether. The NSP loss still counts.

Read on: The sum, the NSP loss still counts"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    if not selected.any():
        return logits.sum() * 0  # ()
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
