# CANARY-PRIVATE-mlm_loss-wrong-error_when_nothing_selected
"""With nothing selected you raise an error. That is a batch like any other in training: return a zero that can be
backpropagated.

Read on: The MLM loss, Nothing selected."""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        raise ValueError("no position is selected")
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
