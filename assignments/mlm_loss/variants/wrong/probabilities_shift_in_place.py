# CANARY-PRIVATE-mlm_loss-wrong-probabilities_shift_in_place
"""token_probabilities subtracts the maximum in place, so the caller's logits change as well. Make a new tensor:
logits - maximum rather than logits -= maximum.

Read on: What may go wrong, Changed arguments."""

from torch.nn import functional as F


def token_probabilities(logits):
    logits -= logits.amax(dim=-1, keepdim=True)
    powers = logits.exp()  # (..., V)
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
