# CANARY-PRIVATE-mlm_loss-right-gather_and_mask
"""Scores every position against a harmless target, then keeps the selected ones by multiplying with the mask."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return logits.log_softmax(-1).exp()  # (..., V)


def mlm_loss(logits, targets, selected):
    safe_targets = targets.masked_fill(~selected, 0)  # (B, T)
    log_probabilities = torch.log_softmax(logits, dim=-1)  # (B, T, V)
    picked = log_probabilities.gather(2, safe_targets.unsqueeze(2)).squeeze(2)  # (B, T)
    keep = selected.to(picked.dtype)  # (B, T)
    return -(picked * keep).sum() / keep.sum().clamp_min(1.0)  # ()


def nsp_loss(scores, is_next):
    sign = torch.where(is_next.bool(), 1.0, -1.0)  # (B,)
    return -F.logsigmoid(sign * scores).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return torch.stack([mlm_loss(logits, targets, selected), nsp_loss(scores, is_next)]).sum()  # ()
