# CANARY-PRIVATE-mlm_loss-wrong-shifted_by_one
"""You compare each position's scores with the next position's target, as a language model that reads left to right
does. In masked language modelling position i predicts the original token of position i.

Read on: What may go wrong, A shift by one."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[:, :-1][selected[:, 1:]]  # (M, V)
    truth = targets[:, 1:][selected[:, 1:]]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
