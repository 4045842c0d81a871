# CANARY-PRIVATE-mlm_loss-wrong-log_of_softmax_plus_epsilon
"""You add a small number to the probability before the logarithm. That stops the loss near 21, where it should go on
growing, and stops the gradient too: use log_softmax.

Read on: The MLM loss, Large logits."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.nll_loss((chosen.softmax(dim=-1) + 1e-9).log(), truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
