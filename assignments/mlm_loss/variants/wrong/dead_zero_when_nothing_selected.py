# CANARY-PRIVATE-mlm_loss-wrong-dead_zero_when_nothing_selected
"""With nothing selected you return a fresh zero tensor, on which backward() fails because it does not require a
gradient. Return one that belongs to the graph, such as logits.sum() * 0.

Read on: What may go wrong, No graph."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return torch.tensor(0.0)  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
