# CANARY-PRIVATE-mlm_loss-right-probability_targets
"""The truth as a distribution: KL divergence from a one-hot row, and a softmax over two scores for the pairs."""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return torch.special.softmax(logits, dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    log_probabilities = F.log_softmax(logits[selected], dim=-1)  # (M, V)
    if log_probabilities.shape[0] == 0:
        return log_probabilities.sum()  # ()
    truth = torch.zeros_like(log_probabilities).scatter_(1, targets[selected].unsqueeze(1), 1.0)  # (M, V)
    return F.kl_div(log_probabilities, truth, reduction="batchmean")  # ()


def nsp_loss(scores, is_next):
    return F.cross_entropy(torch.stack((-scores / 2, scores / 2), dim=1), is_next.long())  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return torch.add(mlm_loss(logits, targets, selected), nsp_loss(scores, is_next))  # ()
