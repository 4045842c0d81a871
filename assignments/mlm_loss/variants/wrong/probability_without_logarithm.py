# CANARY-PRIVATE-mlm_loss-wrong-probability_without_logarithm
"""You average the probability of the target, with a minus sign, and forget the logarithm. The loss is the mean of
-log p.

Read on: A worked example, loss if this token is the truth"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.nll_loss(chosen.softmax(dim=-1), truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
