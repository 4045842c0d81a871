# CANARY-PRIVATE-mlm_loss-wrong-sigmoid_probabilities
"""token_probabilities applies a sigmoid to each logit, so the row does not sum to 1. The tokens compete for one
place: use the softmax.

Read on: Token probabilities, The tokens compete for one"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.sigmoid()  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
