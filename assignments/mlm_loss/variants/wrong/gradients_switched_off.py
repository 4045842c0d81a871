# CANARY-PRIVATE-mlm_loss-wrong-gradients_switched_off
"""You switch gradients off for the whole program and never on again, so that nothing learns after the first call.
Leave the switch alone.

Read on: What may go wrong, A switch that stays."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    loss = F.cross_entropy(logits[selected], targets[selected])  # ()
    torch.set_grad_enabled(False)
    return loss  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
