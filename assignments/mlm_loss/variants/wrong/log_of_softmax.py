# CANARY-PRIVATE-mlm_loss-wrong-log_of_softmax
"""You take the logarithm of the softmax. In float32 a small probability becomes exactly 0, and its logarithm is minus
infinity: use log_softmax.

Read on: The MLM loss, Large logits."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.nll_loss(chosen.softmax(dim=-1).log(), truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
