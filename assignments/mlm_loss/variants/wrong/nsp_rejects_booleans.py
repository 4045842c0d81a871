# CANARY-PRIVATE-mlm_loss-wrong-nsp_rejects_booleans
"""You compute 1 - is_next, which torch refuses for booleans. is_next may be bool or 0 and 1 of any dtype: convert it
to the dtype of the scores first.

Read on: The NSP loss, may be bool, or 0 and 1 of any dtype"""

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
    return -(is_next * F.logsigmoid(scores) + (1 - is_next) * F.logsigmoid(-scores)).mean()  # ()


def pretraining_loss(logits, targets, selected, scores, is_next):
    return mlm_loss(logits, targets, selected) + nsp_loss(scores, is_next)  # ()
