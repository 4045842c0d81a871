# CANARY-PRIVATE-mlm_loss-wrong-only_negative_targets_expected
"""You make -100 harmless at unselected positions but let larger ids through, which are out of range. Targets at
unselected positions may hold anything: select first, then look up.

Read on: Why a loss on some positions only, or a number that is no token at all"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    log_probabilities = logits.log_softmax(dim=-1)  # (B, T, V)
    picked = log_probabilities.gather(2, targets.clamp(min=0).unsqueeze(2)).squeeze(2)  # (B, T)
    return -picked[selected].mean()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
