# CANARY-PRIVATE-mlm_loss-right-vmapped
"""The loss of one position and of one pair, mapped over all of them; everything in float64 inside."""

import torch
from torch.func import vmap
from torch.nn import functional as F


def one_position(scores, target):
    """(V,), () -> ()"""
    return torch.logsumexp(scores, 0) - (scores * F.one_hot(target, len(scores))).sum()


def one_pair(score, follows):
    """() and () -> ()"""
    return torch.logaddexp(torch.zeros_like(score), torch.where(follows, -score, score))


def token_probabilities(logits):
    return logits.double().softmax(-1).to(logits.dtype)  # (..., V)


def mlm_loss(logits, targets, selected):
    where = selected.flatten().nonzero().squeeze(1)  # (M,)
    rows = logits.flatten(0, 1).index_select(0, where).double()  # (M, V)
    truth = targets.flatten().index_select(0, where)  # (M,)
    return vmap(one_position)(rows, truth).mean() if len(where) else rows.sum()  # ()


def nsp_loss(scores, is_next):
    return vmap(one_pair)(scores.double(), is_next.bool()).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
