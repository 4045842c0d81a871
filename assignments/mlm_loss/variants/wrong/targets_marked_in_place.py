# CANARY-PRIVATE-mlm_loss-wrong-targets_marked_in_place
"""You write -100 into the caller's targets. Work on a copy: targets.masked_fill(~selected, -100) without the
underscore.

Read on: What may go wrong, Changed arguments."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    targets[~selected] = -100
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
