# CANARY-PRIVATE-mlm_loss-wrong-maximum_of_all_logits
"""token_probabilities subtracts one maximum, that of all logits. A row far below it underflows to zero everywhere, and
zero divided by zero is NaN: subtract the maximum of each row.

Read on: Token probabilities, subtract the largest logit of each row"""

from torch.nn import functional as F


def token_probabilities(logits):
    powers = (logits - logits.max()).exp()  # (..., V)
    return powers / powers.sum(dim=-1, keepdim=True)  # (..., V)


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
