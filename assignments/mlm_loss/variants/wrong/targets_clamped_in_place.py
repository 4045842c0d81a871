# CANARY-PRIVATE-mlm_loss-wrong-targets_clamped_in_place
"""You clamp the caller's targets in place, so their -100 are gone afterwards. Work on a copy: targets.clamp(min=0)
without the underscore, or select first.

Read on: What may go wrong, Changed arguments."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    targets.clamp_(0, logits.shape[-1] - 1)
    return F.cross_entropy(logits[selected], targets[selected])  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
