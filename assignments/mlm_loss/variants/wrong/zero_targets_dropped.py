# CANARY-PRIVATE-mlm_loss-wrong-zero_targets_dropped
"""You leave out selected positions whose target is token 0. What counts is `selected` alone; token 0 is a target like
any other.

Read on: Why a loss on some positions only, `selected` alone decides"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    losses = F.cross_entropy(chosen, truth, ignore_index=0, reduction="sum")  # ()
    return losses / (truth != 0).sum().clamp(min=1)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
