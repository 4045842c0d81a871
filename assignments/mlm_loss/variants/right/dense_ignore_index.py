# CANARY-PRIVATE-mlm_loss-right-dense_ignore_index
"""Cross-entropy over the dense logits, with the positions that do not count marked by ignore_index."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return F.softmax(logits, dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    labels = torch.where(selected, targets, -100)  # (B, T)
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")  # ()
    return total / selected.sum().clamp(min=1)  # ()


def nsp_loss(scores, is_next):
    return torch.nn.BCEWithLogitsLoss()(scores, is_next.to(scores))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
