# CANARY-PRIVATE-mlm_loss-wrong-nsp_squared_error
"""You take the squared error of the probability. NSP uses binary cross-entropy.

Read on: The NSP loss, The loss is binary cross-entropy"""

from torch.nn import functional as F


def token_probabilities(logits):
    return logits.softmax(dim=-1)  # (..., V)


def mlm_loss(logits, targets, selected):
    chosen = logits[selected]  # (M, V)
    truth = targets[selected]  # (M,)
    if truth.numel() == 0:
        return chosen.sum()  # ()
    return F.cross_entropy(chosen, truth)  # ()


def nsp_loss(scores, is_next):
    return F.mse_loss(scores.sigmoid(), is_next.to(scores.dtype))  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
