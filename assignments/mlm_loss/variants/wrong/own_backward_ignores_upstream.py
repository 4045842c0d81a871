# CANARY-PRIVATE-mlm_loss-wrong-own_backward_ignores_upstream
"""Your own backward ignores the gradient that comes in, so three times the loss has the gradient of the loss.
Multiply by it, as the chain rule says, or let autograd do the work.

Read on: The MLM loss, multiplies it by the gradient that comes in"""

import torch
from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


class MaskedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets, selected):
        log_probabilities = logits[selected].log_softmax(dim=-1)  # (M, V)
        ctx.save_for_backward(log_probabilities, targets[selected], selected)
        return F.nll_loss(log_probabilities, targets[selected])  # ()

    @staticmethod
    def backward(ctx, upstream):
        log_probabilities, targets, selected = ctx.saved_tensors
        rows = log_probabilities.exp() - F.one_hot(targets, log_probabilities.shape[-1])  # (M, V)
        gradient = rows.new_zeros(*selected.shape, rows.shape[-1])  # (B, T, V)
        gradient[selected] = rows / len(targets)
        return gradient, None, None


def mlm_loss(logits, targets, selected):
    if not selected.any():
        return logits.sum() * 0  # ()
    return MaskedCrossEntropy.apply(logits, targets, selected)  # ()


def nsp_loss(scores, is_next):
    return F.binary_cross_entropy_with_logits(scores, is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
