# CANARY-PRIVATE-mlm_loss-wrong-gathers_before_selecting
"""You look the targets up at every position and select afterwards, so a -100 at an unselected position is an index
out of range. Select first, then look up.

Read on: The MLM loss, Select first, then look up."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    log_probabilities = logits.log_softmax(dim=-1)  # (B, T, V)
    picked = log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return -picked[selected].mean()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
