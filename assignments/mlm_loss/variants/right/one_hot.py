# CANARY-PRIVATE-mlm_loss-right-one_hot
"""The textbook sum over the vocabulary: one-hot truth times log-probability."""

import torch
from torch import nn


def token_probabilities(logits):
    return nn.Softmax(dim=-1)(logits)  # (..., V)


def cross_entropy(truth, logits):
    """(M, K), (M, K) -> (M,)"""
    return -torch.einsum("mk,mk->m", truth, nn.LogSoftmax(dim=-1)(logits))  # (M,)


def mlm_loss(logits, targets, selected):
    vocabulary = logits.size(-1)
    mask = selected.reshape(-1)  # (B * T,)
    chosen = logits.reshape(-1, vocabulary)[mask]  # (M, V)
    truth = nn.functional.one_hot(targets.reshape(-1)[mask], vocabulary).to(chosen.dtype)  # (M, V)
    return cross_entropy(truth, chosen).sum() / max(1, int(mask.sum()))  # ()


def nsp_loss(scores, is_next):
    logits = torch.stack([torch.zeros_like(scores), scores], dim=-1)  # (B, 2), a softmax over no and yes
    truth = nn.functional.one_hot(is_next.long(), 2).to(scores.dtype)  # (B, 2)
    return cross_entropy(truth, logits).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
