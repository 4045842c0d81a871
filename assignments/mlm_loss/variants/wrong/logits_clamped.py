# CANARY-PRIVATE-mlm_loss-wrong-logits_clamped
"""You clamp the logits to -50 ... 50 to avoid overflow, so large ones give the wrong loss and get no gradient. Use
cross_entropy, which needs no clamp.

Read on: The MLM loss, Large logits."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen.clamp(-50.0, 50.0), truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
