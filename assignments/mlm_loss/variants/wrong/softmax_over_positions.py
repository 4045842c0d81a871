# CANARY-PRIVATE-mlm_loss-wrong-softmax_over_positions
"""Your loss takes the softmax over the positions. At each position the probabilities of the vocabulary sum to 1: use
the last axis.

Read on: What may go wrong, The wrong axis."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    log_probabilities = logits.log_softmax(dim=1)  # (B, T, V)
    return F.nll_loss(log_probabilities[selected], targets[selected])  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
