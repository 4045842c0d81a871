# CANARY-PRIVATE-mlm_loss-right-position_by_position
"""Plain Python loops: one loss for each selected position, one for each pair."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    if logits.dim() > 1:
        return torch.stack([token_probabilities(row) for row in logits])  # (..., V)
    return torch.softmax(logits, dim=0)  # (V,)


def mlm_loss(logits, targets, selected):
    losses = []
    for b, t in selected.nonzero().tolist():
        target = targets[b, t].item()
        losses.append(-torch.log_softmax(logits[b, t], dim=0)[target])
    if not losses:
        return torch.zeros((), requires_grad=True)  # ()
    return sum(losses) / len(losses)  # ()


def nsp_loss(scores, is_next):
    total = 0.0
    for score, truth in zip(scores, is_next.tolist(), strict=True):
        total = total - F.logsigmoid(score if truth else -score)  # ()
    return total / len(scores)  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
