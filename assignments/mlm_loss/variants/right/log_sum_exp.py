# CANARY-PRIVATE-mlm_loss-right-log_sum_exp
"""Loss of a row = logsumexp of its scores minus the score of its target."""

import torch


def token_probabilities(logits):
    return torch.exp(logits - logits.logsumexp(dim=-1, keepdim=True))  # (..., V)


def mlm_loss(logits, targets, selected):
    rows, columns = selected.nonzero(as_tuple=True)  # (M,), (M,)
    if rows.numel() == 0:
        return 0.0 * logits.sum()  # ()
    truth = logits[rows, columns, targets[rows, columns]]  # (M,)
    return (logits[rows, columns].logsumexp(dim=-1) - truth).mean()  # ()


def nsp_loss(scores, is_next):
    zero = torch.zeros_like(scores)  # (B,)
    return (torch.logaddexp(zero, scores) - scores * is_next).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return nsp_loss(scores, is_next) + mlm_loss(logits, targets, selected)  # ()
