# CANARY-PRIVATE-mlm_loss-wrong-truth_stays_float32
"""You make the one-hot truth float32, so that float64 logits no longer fit it. Give it the dtype of the logits.

Read on: What may go wrong, The wrong dtype."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    truth = F.one_hot(targets[selected], logits.shape[-1]).float()  # (M, V)
    return -torch.einsum("mv,mv->m", truth, logits[selected].log_softmax(dim=-1)).mean()  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
