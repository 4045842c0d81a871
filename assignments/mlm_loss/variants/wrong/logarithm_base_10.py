# CANARY-PRIVATE-mlm_loss-wrong-logarithm_base_10
"""You take the logarithm to base 10, so every loss is 2.3 times too small. Use the natural logarithm.

Read on: The MLM loss, with z_i the logits and y_i the target"""

import math

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth) / math.log(10)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype)) / math.log(10)  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
